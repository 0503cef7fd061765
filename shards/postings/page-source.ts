import { CorruptError } from '../errors.ts';
import type { Database, Statement } from '../sqlite.ts';
import { explained } from './explain.ts';

/** Leaves of segment s are the rows from s * 2^37 on (fts5_index.c, FTS5_SEGMENT_ROWID). */
const segmentRows = 2 ** 37;

/** Reads the leaf pages of a segment; several at once take a third of the time. */
export class PageSource {
  readonly #file: string;
  readonly #firstRow: number;
  readonly #selectPage: Statement<[number], unknown>;
  readonly #selectPages: Statement<[number, number], unknown>;

  constructor(file: string, database: Database, segmentId: number) {
    this.#file = file;
    this.#firstRow = segmentId * segmentRows;
    const prepare = <Parameters extends number[]>(sql: string) =>
      explained(file, () => database.prepare<Parameters, unknown>(sql).pluck());
    this.#selectPage = prepare('SELECT block FROM fts_data WHERE id = ?');
    this.#selectPages = prepare('SELECT block FROM fts_data WHERE id BETWEEN ? AND ? ORDER BY id');
  }

  /** @throws ShelfmarkError when SQLite cannot read it, CorruptError when there is no such page. */
  read(number: number): Buffer {
    const block = explained(this.#file, () => this.#selectPage.get(this.#firstRow + number));
    return this.#requireBlob(number, block);
  }

  /** All pages from `first` to `last`; errors as {@link read}. */
  readRange(first: number, last: number): Buffer[] {
    const rows = [this.#firstRow + first, this.#firstRow + last] as const;
    const blocks = explained(this.#file, () => this.#selectPages.all(...rows));
    const expected = last - first + 1;
    if (blocks.length !== expected) {
      const part = `its index (pages ${first} to ${last})`;
      throw new CorruptError(this.#file, part, `there are ${blocks.length} of ${expected}`);
    }
    return blocks.map((block, index) => this.#requireBlob(first + index, block));
  }

  #requireBlob(number: number, block: unknown): Buffer {
    if (Buffer.isBuffer(block)) return block;
    throw new CorruptError(this.#file, `its index (page ${number})`, 'the page is missing');
  }
}
