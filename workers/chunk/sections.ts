import type { Heading, ParsedDocument } from '../parse/index.ts';
import { CHARACTER_CLASS, EXTEND, SPACE } from './character-class.ts';

/** A heading path with its text: [start, bodyStart) is the lead (front matter, heading lines, white space), the rest is body. */
export interface Section {
  readonly start: number;
  /** The first character of the body; `end` when the body is empty. */
  readonly bodyStart: number;
  readonly end: number;
  /** Outermost first; headings without words are left out. */
  readonly path: readonly string[];
}

/**
 * Divides a document into its sections, which tile its text. What has no body of its own (front matter, the white space
 * before the first heading, a heading right before a deeper one) becomes part of the next section's lead, so that an empty
 * section is a heading followed by nothing that it heads, or the whole of an empty document.
 */
export function* sectionsOf(
  document: Pick<ParsedDocument, 'text' | 'frontMatterEnd' | 'headings'>,
): Generator<Section, void, undefined> {
  const { text, frontMatterEnd, headings } = document;
  const open: Heading[] = [];
  let start = 0;
  let leadEnd = frontMatterEnd;
  for (let i = 0; i <= headings.length; i++) {
    const next = headings[i];
    const end = next?.start ?? text.length;
    const bodyStart = skipSpace(text, leadEnd, end);
    const current = open.at(-1);
    const headsNext = next !== undefined && (current === undefined || next.level > current.level);
    if (bodyStart < end || !headsNext) {
      yield { start, bodyStart, end, path: pathOf(open) };
      start = end;
    }
    if (next === undefined) return;
    while (open.length > 0 && open.at(-1)!.level >= next.level) open.pop();
    open.push(next);
    leadEnd = next.end;
  }
}

function pathOf(headings: readonly Heading[]): string[] {
  return headings.map((heading) => heading.text).filter((text) => text !== '');
}

function skipSpace(text: string, start: number, end: number): number {
  let position = start;
  while (position < end && CHARACTER_CLASS[text.charCodeAt(position)] === SPACE) position++;
  // A mark stays with the white space it stands on.
  const isMark = position > start && position < end && CHARACTER_CLASS[text.charCodeAt(position)] === EXTEND;
  return isMark ? position - 1 : position;
}
