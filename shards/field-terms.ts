import type { Analyzer } from './analysis/index.ts';

const NOTHING = Buffer.alloc(0);

/** Terms of a title, ready to be bound; a copy, valid for good. */
export function titleTerms(analyzer: Analyzer, title: string): Buffer {
  return title === '' ? NOTHING : Buffer.from(analyzer.encodeField(Buffer.from(title)));
}

/** Terms of a heading path, ready to be bound; a copy, valid for good. */
export function headingTerms(analyzer: Analyzer, heading: readonly string[]): Buffer {
  return heading.length === 0 ? NOTHING : Buffer.from(analyzer.encodeField(Buffer.from(heading.join('\n'))));
}

/** Terms of a chunk's body in UTF-8, ready to be bound; valid until the analyzer's next call. */
export function bodyTerms(analyzer: Analyzer, body: Uint8Array): Buffer {
  return analyzer.encodeField(body);
}
