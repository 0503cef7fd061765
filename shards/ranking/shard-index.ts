import { isDeepStrictEqual } from 'node:util';
import { CorruptError } from '../errors.ts';
import { type ChunkLengths, decodeLengths } from '../lists/chunk-lengths.ts';
import { decodeDocumentOrder, decodeDocumentStarts } from '../lists/document-starts.ts';
import { decodeHead } from '../lists/list-format.ts';
import { decodeModifiedTimes } from '../lists/modified-times.ts';
import { decodeSegment, expandPostings, type SegmentRow } from '../lists/segment-decoder.ts';
import type { PackedColumns } from '../packed-columns.ts';
import { type ColumnUnits, LeafDirectory, PostingBuffer, readSegment, SegmentReader } from '../postings/index.ts';
import type { Database, Statement } from '../sqlite.ts';
import { normsOf, type Scoring } from './bm25.ts';
import type { PostingsCache, TermCache } from './postings-cache.ts';
import { type ChunkNorms, PostingSegment, TermPostings } from './term-postings.ts';
import type { ChunkOrder } from './top-k.ts';
import { noWork, type WorkCounter } from './work.ts';

/** What the index of one shard consists of. */
export interface ShardIndexParts {
  readonly file: string;
  readonly database: Database;
  readonly columns: PackedColumns;
  readonly documents: number;
  readonly chunks: number;
  /** column units that the offset lists were made with */
  readonly listUnits: ColumnUnits;
  /** false: every term is read from FTS5's pages, as if there were no lists */
  readonly useLists: boolean;
}

/** The postings of one shard and what they are scored and ordered with. Everything is read when it is first needed. */
export class ShardIndex implements ChunkOrder {
  readonly #parts: ShardIndexParts;
  readonly #cache: PostingsCache;
  readonly #terms: TermCache<TermPostings>;
  readonly #list: Statement;
  readonly #segment: Statement;
  #lengths: ChunkLengths | undefined;
  #starts: Uint32Array | undefined;
  #ranks: Uint32Array | undefined;
  #modified: Float64Array | undefined;
  #pages: SegmentReader | null | undefined;
  #norms: { readonly scoring: Scoring; readonly norms: ChunkNorms } | undefined;
  #units: ColumnUnits;

  constructor(parts: ShardIndexParts, cache: PostingsCache) {
    this.#parts = parts;
    this.#cache = cache;
    this.#terms = cache.forShard();
    this.#units = parts.listUnits;
    this.#list = parts.database.prepare('SELECT first_segment, head FROM list WHERE term = ?').raw();
    this.#segment = parts.database.prepare('SELECT id, raw_length, data FROM list_segment WHERE id = ?');
  }

  /** Forgets what is cached. */
  close(): void {
    this.#cache.remove(this.#terms);
  }

  get chunks(): number {
    return this.#parts.chunks;
  }

  /**
   * The postings of a term, or null when it is not in the shard: from its offset list, or from FTS5's pages when it has
   * none or its units are not the ones asked for.
   * @throws CorruptError
   */
  postings(term: string, units: ColumnUnits, work: WorkCounter): TermPostings | null {
    if (!areSame(units, this.#units)) {
      this.#terms.clear();
      this.#units = units;
    }
    work.terms++;
    const known = this.#terms.get(term);
    if (known !== undefined) {
      work.termsCached++;
      return known;
    }
    const found = this.#readList(term, units, work) ?? this.#readPages(term, units, work);
    this.#terms.set(term, found);
    return found;
  }

  /** Calls `mark` for each chunk of each term that begins so. @throws CorruptError */
  markBeginning(beginning: string, mark: (chunk: number) => void, work: WorkCounter, check: () => void): void {
    const pages = this.#pageReader();
    if (pages === null) return;
    const before = pages.pagesRead;
    pages.visitBeginning(beginning, this.#units, buffer, () => {
      check();
      work.terms++;
      for (let index = 0; index < buffer.length; index++) mark(buffer.chunks[index]!);
    });
    work.pages += pages.pagesRead - before;
  }

  /** Norms of the shard's chunks under a scoring. */
  norms(scoring: Scoring): ChunkNorms {
    if (this.#norms === undefined || !haveSameNorms(this.#norms.scoring, scoring)) {
      const { classes, lengths } = this.lengths();
      const one = new Float64Array(1);
      const normOf = (length: number): number => {
        one[0] = length;
        return normsOf(one, scoring)[0]!;
      };
      this.#norms = { scoring, norms: { classes, norms: normsOf(lengths, scoring), normOf } };
    }
    return this.#norms.norms;
  }

  lengths(): ChunkLengths {
    this.#lengths ??= decodeLengths(this.#parts.file, this.#parts.columns.read('lengths'), this.#parts.chunks);
    return this.#lengths;
  }

  documentOf(chunk: number): number {
    const starts = this.documentStarts();
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (starts[middle]! <= chunk) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  rankOf(document: number): number {
    const { file, columns, documents } = this.#parts;
    this.#ranks ??= decodeDocumentOrder(file, columns.read('order'), documents);
    return this.#ranks[document]!;
  }

  /** First chunk of every document. */
  documentStarts(): Uint32Array {
    const { file, columns, documents, chunks } = this.#parts;
    this.#starts ??= decodeDocumentStarts(file, columns.read('documents'), documents, chunks);
    return this.#starts;
  }

  /** When every document was modified, in milliseconds since 1970; NaN for none. */
  modifiedTimes(): Float64Array {
    const { file, columns, documents } = this.#parts;
    this.#modified ??= decodeModifiedTimes(file, columns.read('modified'), documents);
    return this.#modified;
  }

  /**
   * Compares the list of a term with the pages it was made from.
   * @throws CorruptError when they differ
   */
  checkList(term: string): void {
    const { file, listUnits } = this.#parts;
    const list = this.#readList(term, listUnits, noWork());
    const pages = this.#readPages(term, listUnits, noWork());
    if (list === null || pages === null || !isDeepStrictEqual(postingsOf(list), postingsOf(pages))) {
      throw new CorruptError(file, `the list of "${term}"`, 'it does not match the index');
    }
  }

  /** Compares every page of the index with its checksum. @returns their number. @throws CorruptError */
  checkPages(): number {
    return this.#pageReader()?.checkPages() ?? 0;
  }

  #readList(term: string, units: ColumnUnits, work: WorkCounter): TermPostings | null {
    const { file, chunks, listUnits, useLists } = this.#parts;
    if (!useLists || !areSame(units, listUnits)) return null;
    const row = this.#list.get(term) as [number, Buffer] | undefined;
    if (row === undefined) return null;
    const [firstSegment, bytes] = row;
    const head = decodeHead(file, term, bytes, chunks);
    work.lists++;
    const segments = head.segments.map((segment, index) =>
      PostingSegment.stored(segment, () => {
        const id = firstSegment + index;
        const stored = this.#segment.get(id) as SegmentRow | undefined;
        if (stored === undefined) throw new CorruptError(file, `list segment ${id}`, 'it is missing');
        return decodeSegment(file, stored, segment, chunks);
      }),
    );
    return new TermPostings(head, segments, (grown) => this.#cache.charge(grown));
  }

  #readPages(term: string, units: ColumnUnits, work: WorkCounter): TermPostings | null {
    const pages = this.#pageReader();
    if (pages === null) return null;
    const before = pages.pagesRead;
    const isFound = pages.postings(term, units, buffer);
    work.pages += pages.pagesRead - before;
    if (!isFound) return null;
    const segment = PostingSegment.of(expandPostings(buffer.chunks, buffer.units, buffer.length));
    return new TermPostings({ df: buffer.length, thresholds: [] }, [segment], () => {});
  }

  #pageReader(): SegmentReader | null {
    if (this.#pages === undefined) {
      const { file, database, columns, chunks } = this.#parts;
      const segment = readSegment(database, file);
      this.#pages =
        segment === null
          ? null
          : new SegmentReader(file, database, segment, LeafDirectory.decode(file, columns.read('leaves')), chunks);
    }
    return this.#pages;
  }
}

function areSame(a: ColumnUnits, b: ColumnUnits): boolean {
  return a[0] === b[0] && a[1] === b[1] && a[2] === b[2];
}

function haveSameNorms(a: Scoring, b: Scoring): boolean {
  return (
    a.k1 === b.k1 &&
    a.b === b.b &&
    a.chunks === b.chunks &&
    a.tokens === b.tokens &&
    a.columnUnits[2] === b.columnUnits[2]
  );
}

/** Chunks and units of all postings. */
function postingsOf(postings: TermPostings): [chunk: number, units: number][] {
  const all: [number, number][] = [];
  postings.visit((chunk, units) => all.push([chunk, units]));
  return all;
}

/** Where postings are put as pages are decoded; no two are under way at once in a thread. */
const buffer = new PostingBuffer(4096);
