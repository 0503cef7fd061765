import type { Database } from '../sqlite.ts';
import { DoclistDecoder } from './doclist-decoder.ts';
import { readSegment, type Segment } from './fts-structure.ts';
import { LeafPage, PAGE_HEADER_BYTES } from './leaf-page.ts';
import { PageSource } from './page-source.ts';
import { type ColumnUnits, PostingBuffer } from './posting-buffer.ts';
import { TermCursor } from './term-cursor.ts';

const pagesPerRead = 64;

/** What a walk over an index hands out; everything passed is valid during the call only. */
export interface SegmentVisitor {
  /**
   * A leaf page, in order from 1; before the terms that begin on it. Its separator is the shortest beginning of the first term on it that is greater than
   * the last term before it; null when no term begins on the page.
   */
  leaf(pageNumber: number, bytes: Uint8Array, separator: Uint8Array | null): void;
  /** A term with all its postings, in ascending order of its UTF-8 bytes. */
  term(term: Buffer, postings: PostingBuffer): void;
}

/**
 * Walks over the whole index of a sealed shard, page after page, and checks all of its grammar. An index without any
 * term calls nothing.
 * @param chunkCount the greatest rowid there may be.
 * @throws ShelfmarkError CorruptError for anything that is not as FTS5 writes it; what the visitor throws, as it is.
 */
export function walkSegment(
  database: Database,
  file: string,
  chunkCount: number,
  columnUnits: ColumnUnits,
  visitor: SegmentVisitor,
): void {
  const segment = readSegment(database, file);
  if (segment === null) return;
  const source = new PageSource(file, database, segment.segmentId);
  const page = new LeafPage(file);
  const cursor = new TermCursor();
  const postings = new PostingBuffer(1024);
  const decoder = new DoclistDecoder(chunkCount, segment.lastLeaf, columnUnits, postings);
  const endTerm = () => {
    decoder.finish(page);
    visitor.term(cursor.term, postings);
  };
  for (const [number, bytes] of pagesOf(source, segment)) {
    page.load(number, bytes);
    if (number > segment.firstLeaf) decoder.decodeRest(page);
    else if (page.restEnd !== PAGE_HEADER_BYTES) page.fail('the first page does not begin with a term');
    if (page.termCount === 0) visitor.leaf(number, bytes, null);
    for (let index = 0; index < page.termCount; index++) {
      if (number > segment.firstLeaf || index > 0) endTerm();
      const start = cursor.read(page, index);
      if (index === 0) visitor.leaf(number, bytes, cursor.separator);
      decoder.begin();
      decoder.decodePostings(page, start, page.entryStart(index + 1));
    }
  }
  endTerm();
}

/** Every page of a segment with its number. */
function* pagesOf(source: PageSource, { firstLeaf, lastLeaf }: Segment): Generator<[number: number, bytes: Buffer]> {
  for (let first = firstLeaf; first <= lastLeaf; first += pagesPerRead) {
    const pages = source.readRange(first, Math.min(lastLeaf, first + pagesPerRead - 1));
    for (const [index, bytes] of pages.entries()) yield [first + index, bytes];
  }
}
