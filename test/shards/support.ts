import { createHash } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { afterAll, expect } from 'vitest';
import {
  ANALYZER_ID,
  analyzerFor,
  type Database,
  NO_FILTER,
  type SealedShard,
  type ShardChunk,
  type ShardDocument,
  type ShardFilter,
  ShardReader,
  type ShardReaderOptions,
  ShardWriter,
  type ShardWriterOptions,
  ShelfmarkError,
} from '../../shards/index.ts';
import { QueryAnalyzer } from '../../src/search/query-analyzer.ts';

const folders: string[] = [];

afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A new folder that is gone when the test file has run. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'shelfmark-shards-'));
  folders.push(folder);
  return folder;
}

export const analyzer = analyzerFor(ANALYZER_ID);

/** The same for queries. */
export const queryAnalyzer = new QueryAnalyzer([analyzer]);

/** A document and where it is cut. */
export interface TestDocument {
  readonly document: ShardDocument;
  readonly chunks: readonly ShardChunk[];
  /** id of its analyzer. @default the analyzer of the shard's writer */
  readonly analyzer?: string | undefined;
}

/** A document of one chunk, or of one chunk per text, with the given fields. */
export function documentOf(
  texts: string | readonly string[],
  fields: Partial<ShardDocument> & { readonly heading?: readonly string[]; readonly analyzer?: string } = {},
): TestDocument {
  const pieces = typeof texts === 'string' ? [texts] : texts;
  const text = pieces.join('');
  const { heading = [], analyzer, ...own } = fields;
  let start = 0;
  const chunks = pieces.map((piece): ShardChunk => {
    const chunk = { start, bodyStart: start, end: start + piece.length, heading };
    start = chunk.end;
    return chunk;
  });
  const byteStart = fields.byteStart ?? 100;
  const byteEnd = byteStart + Buffer.byteLength(text);
  const document: ShardDocument = {
    uri: 'a.txt',
    title: '',
    kind: 'document',
    collection: 'default',
    fileType: 'txt',
    modifiedAt: null,
    metadata: null,
    label: 'ungrounded',
    source: { path: '/archive/a.jsonl', compression: 'none' },
    byteStart,
    byteEnd,
    sha256: createHash('sha256').update(text).digest(),
    text,
    ...own,
  };
  return { document, chunks, analyzer };
}

/** Documents of one chunk each, named 000.txt, 001.txt, … */
export function documentsOf(...texts: readonly string[]): TestDocument[] {
  return texts.map((text, index) => documentOf(text, { uri: `${String(index).padStart(3, '0')}.txt` }));
}

let shardNumber = 0;

/** A path in a temp folder where nothing is yet. */
export function newPath(folder = tempFolder()): string {
  return join(folder, `${shardNumber++}.shard`);
}

export const chunking = { maxWords: 300, overlapWords: 0 };

/** Builds and seals a shard. */
export async function buildShard(
  documents: readonly TestDocument[],
  options: ShardWriterOptions & { readonly file?: string } = {},
): Promise<SealedShard> {
  const { file = newPath(), ...writerOptions } = options;
  const writer = new ShardWriter(file, analyzer, chunking, writerOptions);
  for (const { document, chunks, analyzer: id } of documents) {
    writer.addDocument(document, chunks, id === undefined ? analyzer : analyzerFor(id));
  }
  const sealed = await writer.seal();
  if (sealed === null) throw new Error('nothing was sealed');
  return sealed;
}

/** A filter by attributes; a name with no value allows any. */
export function filterBy(values: Readonly<Record<string, readonly string[]>>): ShardFilter {
  const conditions = Object.entries(values).map(([name, wanted]) => ({ name, values: wanted }));
  return { ...NO_FILTER, attributes: conditions.filter(({ values }) => values.length > 0) };
}

/** Whether something with one value each of some attributes meets a filter by no others. */
export function meetsAttributes(fields: Readonly<Record<string, string>>, { attributes }: ShardFilter): boolean {
  return attributes.every(({ name, values }) => values.includes(fields[name]!));
}

/** Opens a shard for the length of a function. */
export function reopen<Value>(
  file: string,
  use: (reader: ShardReader) => Value,
  options: ShardReaderOptions = {},
): Value {
  const reader = new ShardReader(file, options);
  try {
    return use(reader);
  } finally {
    reader.close();
  }
}

/** A copy of a file, to be damaged. */
export function copyOf(file: string): string {
  const copy = join(tempFolder(), basename(file));
  copyFileSync(file, copy);
  return copy;
}

/** Inverts bits of one byte. */
export function flipByte(file: string, offset: number, mask = 0xff): void {
  const bytes = readFileSync(file);
  bytes.writeUInt8(bytes.readUInt8(offset) ^ mask, offset);
  writeFileSync(file, bytes);
}

/** Changes a sealed file behind Shelfmark's back. */
export function editShard(file: string, edit: (database: Database) => void): void {
  const database = new BetterSqlite(file);
  try {
    database.unsafeMode(true);
    edit(database);
  } finally {
    database.close();
  }
}

/** The error of ours that a function throws. */
export function errorOf(run: () => unknown): ShelfmarkError {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(ShelfmarkError);
    return error as ShelfmarkError;
  }
  throw new Error('nothing was thrown');
}

/** The error of ours that a promise is rejected with. */
export async function rejectionOf(promise: Promise<unknown>): Promise<ShelfmarkError> {
  const error = await promise.then(
    () => new Error('the promise was not rejected'),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ShelfmarkError);
  return error as ShelfmarkError;
}

/** Numbers below 2^32 from a seed (mulberry32): the same for everyone who has the seed. */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
