import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { afterAll } from 'vitest';
import { SHARD_SCHEMA } from '../../../shards/format.ts';
import {
  type ColumnUnits,
  LeafDirectory,
  LeafDirectoryBuilder,
  PostingBuffer,
  readSegment,
  SegmentReader,
  walkSegment,
} from '../../../shards/postings/index.ts';
import type { Database } from '../../../shards/sqlite.ts';
import { tempFolder } from '../support.ts';

export const columnUnits: ColumnUnits = [5, 3, 1];

/** A chunk's terms, one text a column. */
export interface Row {
  readonly id: number;
  readonly title: string;
  readonly heading: string;
  readonly body: string;
}

export interface IndexOptions {
  /** FTS5's page size in bytes; its own default when absent */
  readonly pageSize?: number;
  /** the rows are written in so many transactions; more than one leaves a segment each until they are merged */
  readonly transactions?: number;
  /** merge all segments into one (the default) */
  readonly merge?: boolean;
  readonly schema?: string;
  /** further configuration of the FTS5 table */
  readonly config?: readonly (readonly [name: string, value: bigint])[];
}

/** A file with an FTS5 index as a shard has it. */
export interface TestIndex {
  readonly file: string;
  /** open for writing, so that a test can damage it */
  readonly database: Database;
  readonly chunkCount: number;
}

const databases: Database[] = [];

afterAll(() => {
  for (const database of databases.splice(0)) database.close();
});

let indexNumber = 0;
const folder = tempFolder();

/** Rows of body text only, numbered from 1. */
export function bodies(...texts: readonly string[]): Row[] {
  return texts.map((body, index) => ({ id: index + 1, title: '', heading: '', body }));
}

/** Writes an index; its database is closed when the test file has run. */
export function buildIndex(rows: readonly Row[], options: IndexOptions = {}): TestIndex {
  const { pageSize, transactions = 1, merge = true, schema = SHARD_SCHEMA, config = [] } = options;
  const file = join(folder, `${indexNumber++}.sqlite`);
  const database = new BetterSqlite(file);
  databases.push(database);
  database.unsafeMode(true);
  database.pragma('journal_mode=OFF');
  database.pragma('synchronous=OFF');
  database.exec(schema);
  const configure = database.prepare('INSERT INTO fts(fts, rank) VALUES(?, ?)');
  configure.run('automerge', 0n);
  if (pageSize !== undefined) configure.run('pgsz', BigInt(pageSize));
  for (const [name, value] of config) configure.run(name, value);
  const insert = database.prepare('INSERT INTO fts(rowid, title, heading, body) VALUES(?, ?, ?, ?)');
  const size = Math.max(1, Math.ceil(rows.length / transactions));
  for (let start = 0; start < rows.length; start += size) {
    database.transaction(() => {
      for (const { id, title, heading, body } of rows.slice(start, start + size)) insert.run(id, title, heading, body);
    })();
  }
  if (transactions > 1 && merge) database.exec("INSERT INTO fts(fts) VALUES('optimize')");
  return { file, database, chunkCount: rows.at(-1)?.id ?? 0 };
}

/** A term's postings as plain data. */
export interface Postings {
  readonly chunks: number[];
  readonly units: number[];
  readonly occurrences: number;
}

export type Terms = Map<string, Postings>;

/** What FTS5 itself says is in the index, in the order of the terms' bytes. */
export function termsByFts5({ database }: TestIndex): Terms {
  database.exec("CREATE VIRTUAL TABLE IF NOT EXISTS temp.instances USING fts5vocab(main, fts, 'instance')");
  const columns = { title: columnUnits[0], heading: columnUnits[1], body: columnUnits[2] };
  const terms = new Map<string, { chunks: number[]; units: number[]; occurrences: number }>();
  const rows = database.prepare<[], [string, number, keyof typeof columns]>(
    'SELECT term, doc, col FROM temp.instances',
  );
  for (const [term, chunk, column] of rows.raw().iterate()) {
    const postings = terms.get(term) ?? { chunks: [], units: [], occurrences: 0 };
    terms.set(term, postings);
    if (postings.chunks.at(-1) !== chunk) {
      postings.chunks.push(chunk);
      postings.units.push(0);
    }
    postings.units[postings.units.length - 1]! += columns[column];
    postings.occurrences++;
  }
  return terms;
}

/** What a buffer holds. */
export function contentOf({ chunks, units, length, occurrences }: PostingBuffer): Postings {
  return { chunks: [...chunks.subarray(0, length)], units: [...units.subarray(0, length)], occurrences };
}

/** What a walk over the leaf pages finds. */
export function termsByWalk({ database, file, chunkCount }: TestIndex): Terms {
  const terms: Terms = new Map();
  walkSegment(database, file, chunkCount, columnUnits, {
    leaf: () => {},
    term: (term, postings) => terms.set(term.toString(), contentOf(postings)),
  });
  return terms;
}

/** The encoded directory of an index. */
export function directoryOf({ database, file, chunkCount }: TestIndex): Buffer {
  const builder = new LeafDirectoryBuilder();
  walkSegment(database, file, chunkCount, columnUnits, {
    leaf: (number, bytes, separator) => builder.add(number, bytes, separator),
    term: () => {},
  });
  return builder.finish();
}

/** A reader of an index, with the directory as it was before anything was damaged. */
export function readerOf(index: TestIndex, directory: Buffer = directoryOf(index)): SegmentReader {
  const { database, file, chunkCount } = index;
  const segment = readSegment(database, file);
  return new SegmentReader(file, database, segment, LeafDirectory.decode(file, directory), chunkCount);
}

/** What a reader finds for a term, or null. */
export function lookUp(
  reader: SegmentReader,
  term: string,
  buffer: PostingBuffer = new PostingBuffer(0),
): Postings | null {
  return reader.postings(term, columnUnits, buffer) ? contentOf(buffer) : null;
}

/** The leaf pages of an index by row. */
export function leavesOf({ database, file }: TestIndex): { readonly row: number; readonly bytes: Buffer }[] {
  const segment = readSegment(database, file);
  if (segment === null) return [];
  const first = segment.segmentId * 2 ** 37;
  const select = database.prepare<[number, number], { row: number; bytes: Buffer }>(
    'SELECT id AS row, block AS bytes FROM fts_data WHERE id BETWEEN ? AND ? ORDER BY id',
  );
  return select.all(first + 1, first + segment.lastLeaf);
}

/** Puts other bytes in place of a row of `fts_data`. */
export function replaceBlock({ database }: TestIndex, row: number, bytes: Buffer): void {
  database.prepare('UPDATE fts_data SET block = ? WHERE id = ?').run(bytes, row);
}
