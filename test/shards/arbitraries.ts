import fc from 'fast-check';
import type { ShardChunk } from '../../shards/index.ts';
import { documentOf, type TestDocument } from './support.ts';

/** Text as the parser hands it on: well formed, without NUL. */
export const storedText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      {
        weight: 4,
        arbitrary: fc.constantFrom('the ', 'archive ', 'PIO-1384 ', 'getElementById ', "l'été ", '1,234.56 '),
      },
      {
        weight: 2,
        arbitrary: fc.constantFrom('東京都', '한국어 ', '日本語の', 'हिन्दी ', 'e\u0301', '\n\n', '\r\n', ' '),
      },
      { weight: 2, arbitrary: fc.constantFrom('👩\u200d💻', '🇫🇷🇩🇪', '𠮷', '\u00ad', '\ufeff', '\u200d', '\u2028') },
      fc.string({ unit: 'grapheme', maxLength: 6 }),
      fc.string({ unit: 'binary', maxLength: 6 }),
    ),
    { maxLength: 24 },
  )
  .map((pieces) => pieces.join('').replaceAll('\0', ' ').toWellFormed());

const shortText = fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replaceAll('\0', ' '));
const headings = fc.array(
  shortText.map((part) => `h${part.replaceAll('\u001f', ' ')}`),
  { maxLength: 3 },
);

/** A document cut at random code points, with leads, headings and overlaps. */
export const anyDocument: fc.Arbitrary<TestDocument> = fc
  .record({
    text: storedText,
    cuts: fc.array(fc.nat(1000), { maxLength: 4 }),
    leads: fc.array(fc.nat(8), { minLength: 5, maxLength: 5 }),
    overlap: fc.nat(6),
    heading: fc.array(headings, { minLength: 5, maxLength: 5 }),
    sha256: fc.uint8Array({ minLength: 32, maxLength: 32 }),
    fields: fc.record({
      uri: shortText,
      title: fc.oneof(fc.constant(''), storedText),
      kind: fc.constantFrom('document', 'note', ''),
      collection: fc.constantFrom('default', '東京', ''),
      fileType: fc.constantFrom('txt', 'md', ''),
      modifiedAt: fc.option(fc.constant('2026-11-30T00:00:00.000Z')),
      metadata: fc.option(fc.jsonValue({ maxDepth: 1 }).map((value) => JSON.stringify({ value }).toWellFormed())),
      label: shortText,
      source: fc.record({
        path: fc.constantFrom('/a/one.jsonl', '/a/two.jsonl', '/a/日本.md', ''),
        compression: fc.constantFrom('none', 'gzip'),
      }),
      byteStart: fc.maxSafeNat(),
    }),
  })
  .map(({ text, cuts, leads, overlap, heading, sha256, fields }) => {
    const { byteStart } = fields;
    const byteEnd = Math.min(Number.MAX_SAFE_INTEGER, byteStart + text.length);
    const { document } = documentOf(text, { ...fields, byteEnd, sha256: Buffer.from(sha256) });
    return { document, chunks: cutAt(text, cuts, leads, overlap, heading) };
  });

function cutAt(
  text: string,
  cuts: readonly number[],
  leads: readonly number[],
  overlap: number,
  heading: readonly (readonly string[])[],
): ShardChunk[] {
  const borders = [0, ...cuts.map((cut) => codePointAt(text, cut % (text.length + 1))).sort((a, b) => a - b)];
  return borders.map((border, index) => {
    const start = codePointAt(text, Math.max(0, border - overlap));
    const end = borders[index + 1] ?? text.length;
    const bodyStart = codePointAt(text, Math.min(end, start + (leads[index] ?? 0)));
    return { start, bodyStart, end, heading: heading[index] ?? [] };
  });
}

/** The code point border at or before a position. */
function codePointAt(text: string, position: number): number {
  return (text.charCodeAt(position) & 0xfc00) === 0xdc00 ? position - 1 : position;
}
