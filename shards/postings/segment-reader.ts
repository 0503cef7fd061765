import { CorruptError } from '../errors.ts';
import type { Database } from '../sqlite.ts';
import { DoclistDecoder } from './doclist-decoder.ts';
import type { Segment } from './fts-structure.ts';
import type { LeafDirectory } from './leaf-directory.ts';
import { LeafPage } from './leaf-page.ts';
import { murmur3 } from './murmur3.ts';
import { PageSource } from './page-source.ts';
import type { ColumnUnits, PostingBuffer } from './posting-buffer.ts';
import { TermCursor } from './term-cursor.ts';

const pagesPerRead = 32;

/**
 * Looks terms up in the index of a sealed shard. A page is used only when its checksum is the directory's, so a damaged
 * one gives an error and never a wrong answer.
 *
 * FTS5's own `fts_idx` table and its doclist-index pages are not read. SQLite's b-tree pages carry no checksum, so a
 * damaged `fts_idx` would say without an error that a term is not there; the directory is checked as a whole. A
 * doclist index lets FTS5 skip inside long doclists; here a doclist is read whole, and frequent terms have lists elsewhere.
 */
export class SegmentReader {
  readonly #file: string;
  readonly #directory: LeafDirectory;
  readonly #source: PageSource | null;
  readonly #page: LeafPage;
  readonly #cursor = new TermCursor();
  readonly #chunkCount: number;

  /** leaf pages read so far */
  pagesRead = 0;

  /**
   * @param segment null for an index without any term: nothing is found in it.
   * @param chunkCount the greatest rowid there may be.
   * @throws CorruptError when the directory is not that of the segment.
   */
  constructor(file: string, database: Database, segment: Segment | null, directory: LeafDirectory, chunkCount: number) {
    const leaves = segment?.lastLeaf ?? 0;
    if (directory.leafCount !== leaves) {
      const detail = `the index has ${leaves} pages, its directory ${directory.leafCount}`;
      throw new CorruptError(file, 'its index', detail);
    }
    this.#file = file;
    this.#directory = directory;
    this.#source = segment === null ? null : new PageSource(file, database, segment.segmentId);
    this.#page = new LeafPage(file);
    this.#chunkCount = chunkCount;
  }

  /**
   * Puts all postings of a term into the buffer; false, and an empty buffer, when the term is not in the index.
   * @throws ShelfmarkError CorruptError when a page is missing or is not the one that was sealed.
   */
  postings(term: string, columnUnits: ColumnUnits, buffer: PostingBuffer): boolean {
    buffer.clear();
    const bytes = Buffer.from(term);
    const leaf = this.#directory.find(bytes);
    if (leaf === 0 || this.#source === null) return false;
    this.#load(leaf, this.#source.read(leaf));
    const index = this.#findTerm(bytes);
    if (index < 0) return false;

    const page = this.#page;
    const decoder = new DoclistDecoder(this.#chunkCount, this.#directory.leafCount, columnUnits, buffer);
    decoder.begin();
    decoder.decodePostings(page, page.at, page.entryStart(index + 1));
    if (index === page.termCount - 1) this.#decodeRest(decoder, this.#source, leaf);
    decoder.finish(page);
    return true;
  }

  /**
   * Visits every term that begins so, with all its postings in the buffer.
   * @param visit called once a term; it may throw to stop.
   * @throws ShelfmarkError CorruptError as {@link postings}.
   */
  visitBeginning(beginning: string, columnUnits: ColumnUnits, buffer: PostingBuffer, visit: () => void): void {
    if (this.#source === null) return;
    const bytes = Buffer.from(beginning);
    const { leafCount } = this.#directory;
    const page = this.#page;
    const decoder = new DoclistDecoder(this.#chunkCount, leafCount, columnUnits, buffer);
    let isOpen = false;
    const endTerm = (): void => {
      if (!isOpen) return;
      decoder.finish(page);
      isOpen = false;
      visit();
    };
    for (const [leaf, pageBytes] of this.#pagesFrom(Math.max(1, this.#directory.find(bytes)), this.#source)) {
      this.#load(leaf, pageBytes);
      if (isOpen) decoder.decodeRest(page);
      this.#cursor.restart();
      for (let index = 0; index < page.termCount; index++) {
        endTerm();
        const start = this.#cursor.read(page, index);
        if (!this.#cursor.startsWith(bytes)) {
          if (this.#cursor.compare(bytes) > 0) return;
          continue;
        }
        buffer.clear();
        decoder.begin();
        decoder.decodePostings(page, start, page.entryStart(index + 1));
        isOpen = true;
      }
    }
    endTerm();
  }

  /** The pages from a leaf on, one at first and more with each read: a beginning often has few terms. */
  *#pagesFrom(leaf: number, source: PageSource): Generator<readonly [leaf: number, bytes: Buffer]> {
    const { leafCount } = this.#directory;
    let size = 1;
    for (let first = leaf; first <= leafCount; first += size, size = Math.min(2 * size, pagesPerRead)) {
      const pages = source.readRange(first, Math.min(leafCount, first + size - 1));
      for (const [index, bytes] of pages.entries()) yield [first + index, bytes];
    }
  }

  /** Compares every page with its checksum. @returns the number of pages. @throws CorruptError */
  checkPages(): number {
    const { leafCount } = this.#directory;
    for (let first = 1; this.#source !== null && first <= leafCount; first += pagesPerRead) {
      const pages = this.#source.readRange(first, Math.min(leafCount, first + pagesPerRead - 1));
      for (const [index, bytes] of pages.entries()) this.#load(first + index, bytes);
    }
    return leafCount;
  }

  /** Number of the term on the page, with `page.at` at its doclist; negative when it is not there. */
  #findTerm(term: Uint8Array): number {
    const page = this.#page;
    this.#cursor.restart();
    for (let index = 0; index < page.termCount; index++) {
      const start = this.#cursor.read(page, index);
      const order = this.#cursor.compare(term);
      if (order > 0) return -1;
      if (order < 0) continue;
      page.at = start;
      return index;
    }
    return -1;
  }

  /** Decodes what follows of a doclist on the pages up to the one on which the next term begins. */
  #decodeRest(decoder: DoclistDecoder, source: PageSource, leaf: number): void {
    const end = this.#directory.lastLeafFrom(leaf);
    for (let first = leaf + 1; first <= end; first += pagesPerRead) {
      const pages = source.readRange(first, Math.min(end, first + pagesPerRead - 1));
      for (const [index, bytes] of pages.entries()) {
        this.#load(first + index, bytes);
        decoder.decodeRest(this.#page);
      }
    }
  }

  #load(leaf: number, bytes: Buffer): void {
    this.pagesRead++;
    if (murmur3(bytes) !== this.#directory.sumOf(leaf)) {
      throw new CorruptError(this.#file, `its index (page ${leaf})`, 'its checksum does not match the directory');
    }
    this.#page.load(leaf, bytes);
  }
}
