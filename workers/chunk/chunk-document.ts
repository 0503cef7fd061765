import type { ParsedDocument } from '../parse/index.ts';
import { AtomScanner, countHalfWords } from './atom-scanner.ts';
import { cutBody } from './cut-body.ts';
import { type Section, sectionsOf } from './sections.ts';

/** How large chunks are. A word is a run of non-space characters; two characters of a script without spaces are one word. */
export interface ChunkOptions {
  /** Most words in the body of a chunk, its overlap included; at least 1. @default 300 */
  readonly maxWords: number;
  /** Words a chunk repeats from the chunk before it in the same section; at most half of maxWords. @default 0 */
  readonly overlapWords: number;
}

export const DEFAULT_CHUNK_OPTIONS: ChunkOptions = { maxWords: 300, overlapWords: 0 };

/** What the chunker needs to know of a document. */
export type ChunkableDocument = Pick<ParsedDocument, 'text' | 'frontMatterEnd' | 'headings'>;

/** A passage of a document; offsets are UTF-16 units into its text. */
export interface Chunk {
  readonly start: number;
  /** [start, bodyStart) is lead: front matter, heading lines and white space, shown with the chunk but not body text. */
  readonly bodyStart: number;
  readonly end: number;
  /** The section's heading path, outermost first, in plain text. */
  readonly heading: readonly string[];
}

/**
 * Cuts a document into chunks. Without overlap they tile its text: the first starts at 0, each ends where the next starts,
 * the last ends with the text. White space belongs to the chunk before it.
 *
 * No chunk crosses a section. A section of more than `maxWords` words is cut into the fewest pieces of about equal size,
 * at paragraphs if possible, else at lines or sentences, else between words; never inside a word, a grapheme cluster or a
 * surrogate pair. A word of any length is one word. A heading that heads nothing is a chunk with an empty body, and so is
 * an empty document. Equal input gives equal chunks; time is linear in the length of the text.
 *
 * @throws RangeError for options outside their bounds.
 */
export function chunkDocument(document: ChunkableDocument, options: ChunkOptions = DEFAULT_CHUNK_OPTIONS): Chunk[] {
  checkOptions(options);
  const chunks: Chunk[] = [];
  for (const section of sectionsOf(document)) addChunks(chunks, document.text, section, options);
  return chunks;
}

function addChunks(chunks: Chunk[], text: string, section: Section, options: ChunkOptions): void {
  const { bodyStart, end, path: heading } = section;
  const cuts = cutBody(text, bodyStart, end, 2 * (options.maxWords - options.overlapWords));
  chunks.push({ start: section.start, bodyStart, end: cuts[0] ?? end, heading });
  let previous = bodyStart;
  for (const [i, cut] of cuts.entries()) {
    const start = overlapStart(text, previous, cut, 2 * options.overlapWords);
    chunks.push({ start, bodyStart: start, end: cuts[i + 1] ?? end, heading });
    previous = cut;
  }
}

/** The first border in the piece text[pieceStart, cut) behind which no more than `halfWords` are left of it. */
function overlapStart(text: string, pieceStart: number, cut: number, halfWords: number): number {
  if (halfWords === 0) return cut;
  const scanner = new AtomScanner(text, pieceStart, cut);
  let left = countHalfWords(text, pieceStart, cut);
  while (scanner.next()) {
    if (left <= halfWords) return scanner.position;
    left -= scanner.halfWords;
  }
  return cut;
}

function checkOptions({ maxWords, overlapWords }: ChunkOptions): void {
  if (!Number.isInteger(maxWords) || maxWords < 1) {
    throw new RangeError(`maxWords is ${maxWords}; it must be a whole number of at least 1`);
  }
  if (!Number.isInteger(overlapWords) || overlapWords < 0 || overlapWords > maxWords / 2) {
    throw new RangeError(
      `overlapWords is ${overlapWords}; it must be a whole number from 0 to half of maxWords (${maxWords})`,
    );
  }
}
