import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import { type ErrorCode, ShardReader, ShelfmarkError } from '../../shards/index.ts';
import { Catalog } from '../../src/catalog.ts';
import { type BuildOptions, type BuildReport, buildCorpus, Corpus, type Hit } from '../../src/index.ts';

// ── Sources ──

/** Numbers in [0, 1) that depend on the seed alone. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const vocabulary = (
  'archive ledger harbour copper lantern meadow orchard pilgrim quarry river saffron timber umbrella valley walnut ' +
  'anchor basket candle donkey ember falcon garnet hollow island jacket kettle linen marble needle oyster pepper'
).split(' ');

/** Words of a small vocabulary, the first ones more often. */
export function randomWords(random: () => number, count: number): string {
  return Array.from({ length: count }, () => vocabulary[Math.floor(random() ** 2 * vocabulary.length)]).join(' ');
}

/** Writes records one a line; a string is a line as it is. */
export async function writeJsonl(file: string, records: readonly (object | string)[]): Promise<string> {
  await writeFile(file, records.map((record) => `${toLine(record)}\n`).join(''));
  return file;
}

function toLine(record: object | string): string {
  return typeof record === 'string' ? record : JSON.stringify(record);
}

/** Bytes of a source as the byte ranges count them. */
export async function readSource(path: string): Promise<Buffer> {
  const bytes = await readFile(path);
  return path.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}

// ── Corpora ──

/** Builds with one lane unless told otherwise: a thread run from source is slow to start. */
export function build(options: BuildOptions): Promise<BuildReport> {
  return buildCorpus({ workers: 1, ...options });
}

/** Opens a corpus, uses it and closes it. */
export async function withCorpus<Result>(path: string, use: (corpus: Corpus) => Promise<Result>): Promise<Result> {
  const corpus = await Corpus.open(path, { workers: 1 });
  try {
    return await use(corpus);
  } finally {
    await corpus.close();
  }
}

/** Hits of one query. */
export function search(path: string, query: string, options: Parameters<Corpus['search']>[1] = {}): Promise<Hit[]> {
  return withCorpus(path, async (corpus) => [...(await corpus.search(query, options)).hits]);
}

/** A document that can be a hit, read from its shard. */
export interface LiveDocument {
  readonly shard: string;
  readonly uri: string;
  readonly collection: string;
  readonly title: string;
  readonly label: string;
  readonly source: { readonly path: string; readonly byteStart: number; readonly byteEnd: number };
  readonly text: string;
}

/** All documents that can be hits, by collection and uri. */
export function documentsOf(path: string): LiveDocument[] {
  const catalog = Catalog.openReadOnly(path);
  const dead = catalog.tombstones();
  const documents = catalog.shards().flatMap((row) => {
    const reader = new ShardReader(join(path, 'shards', row.file));
    try {
      const texts = new Map<number, string>();
      for (const { document, lead, body } of reader.chunks()) {
        texts.set(document, (texts.get(document) ?? '') + lead + body);
      }
      const gone = new Set(dead.get(row.id));
      return [...reader.documents()]
        .filter(({ id }) => !gone.has(id))
        .map(({ id, uri, collection, title, label, source: { path, byteStart, byteEnd } }): LiveDocument => {
          const text = texts.get(id) ?? '';
          return { shard: row.name, uri, collection, title, label, source: { path, byteStart, byteEnd }, text };
        });
    } finally {
      reader.close();
    }
  });
  catalog.close();
  return documents.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function keyOf({ collection, uri }: LiveDocument): string {
  return JSON.stringify([collection, uri]);
}

/** Documents without what depends on how they were spread over shards. */
export function withoutShards(documents: readonly LiveDocument[]): Omit<LiveDocument, 'shard'>[] {
  return documents.map(({ shard: _, ...document }) => document);
}

/** Uris of all documents that can be hits, sorted. */
export function urisOf(path: string): string[] {
  return documentsOf(path)
    .map(({ uri }) => uri)
    .sort();
}

/** Names of all shards, sorted. */
export function shardsOf(path: string): string[] {
  const catalog = Catalog.openReadOnly(path);
  const names = catalog.shards().map(({ name }) => name);
  catalog.close();
  return names.sort();
}

/** SHA-256 of each shard file, read from disk, by file name. */
export async function shardHashes(path: string): Promise<Record<string, string>> {
  const names = (await readdir(join(path, 'shards'))).sort();
  const hashes = names.map(async (name) => {
    const bytes = await readFile(join(path, 'shards', name));
    return [name, createHash('sha256').update(bytes).digest('hex')] as const;
  });
  return Object.fromEntries(await Promise.all(hashes));
}

/** Files of a corpus folder that no finished build leaves. */
export async function strayFiles(path: string): Promise<string[]> {
  const listed = new Set(shardsOf(path).map((name) => join('shards', `${name}.shard`)));
  const expected = new Set(['catalog.db', 'build.lock', 'rejects.jsonl', 'shards', ...listed]);
  return (await readdir(path, { recursive: true })).filter((name) => !expected.has(name));
}

/** A line of the rejects file. */
export interface Reject {
  readonly source: string;
  readonly byteStart: number;
  readonly byteEnd: number | null;
  readonly uri: string | null;
  readonly kind: 'skipped' | 'duplicate';
  readonly reason: string;
}

/** The rejects file of a corpus. */
export async function rejectsOf(path: string): Promise<Reject[]> {
  return jsonLines(await readFile(join(path, 'rejects.jsonl'), 'utf8')) as Reject[];
}

/** The values of JSON lines. */
export function jsonLines(text: string): unknown[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
}

/** What must be the same in two corpora of the same documents: documents, texts and answers with their scores. */
export async function contentOf(path: string, queries: readonly string[]): Promise<unknown> {
  const answers = await withCorpus(path, async (corpus) => {
    const found = [];
    for (const query of queries) {
      const { hits, coverage, rung } = await corpus.search(query, { limit: 20, by: 'chunk' });
      found.push({ query, rung, hits, coverage });
    }
    return found;
  });
  return { documents: documentsOf(path), answers };
}

// ── Processes ──

/** How a job in a process of its own ended. */
export interface JobEnd {
  readonly killed: boolean;
  /** what the job returned, null when it was killed or failed */
  readonly report: unknown;
  readonly stderr: string;
}

/** When a job is killed: so many milliseconds after it began, or when its corpus has so many shards. */
export type KillAt = number | { readonly corpus: string; readonly shards: number };

/** Runs `build`, `batch` or `adopt` of the built program in a process of its own, and kills it unless it has ended by then. */
export async function runJob(name: 'build' | 'batch' | 'adopt', options: object, killAt?: KillAt): Promise<JobEnd> {
  const program = fileURLToPath(new URL('job.mjs', import.meta.url));
  const child = spawn(process.execPath, [program, name, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<NodeJS.Signals | null>((resolve) => {
    child.on('close', (_, signal) => resolve(signal));
  });
  let report: unknown = null;
  let timer: NodeJS.Timeout | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    if (line !== 'started') report = JSON.parse(line);
    else if (typeof killAt === 'number') timer = setTimeout(() => child.kill('SIGKILL'), killAt);
    else if (killAt !== undefined) timer = setInterval(() => hasShards(killAt) && child.kill('SIGKILL'), 2);
  }
  const signal = await ended;
  clearInterval(timer);
  return { killed: signal === 'SIGKILL', report: signal === null ? report : null, stderr };
}

function hasShards({ corpus, shards }: Exclude<KillAt, number>): boolean {
  try {
    return shardsOf(corpus).length >= shards;
  } catch (error) {
    // Its catalog is not there yet, or just being written.
    if (error instanceof ShelfmarkError || (error instanceof Error && 'code' in error)) return false;
    throw error;
  }
}

// ── Disks ──

/** A small file system of its own, or undefined where that cannot be had. */
export async function smallDisk(
  folder: string,
  size: string,
): Promise<{ path: string; resize: (size: string) => void } | undefined> {
  const path = join(folder, 'disk');
  await mkdir(path);
  const mount = (options: string): boolean =>
    spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path]).status === 0;
  if (process.getuid?.() !== 0 || !mount(`size=${size}`)) return undefined;
  onTestFinished(() => {
    spawnSync('umount', ['-l', path]);
  });
  return {
    path,
    resize: (next) => {
      if (!mount(`remount,size=${next}`)) throw new Error('remount failed');
    },
  };
}

// ── Errors ──

/** The error that a promise is rejected with. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(
    () => {
      throw new Error('it was expected to fail');
    },
    (error: unknown) => error,
  );
}

/** The typed error that a promise is rejected with; anything else is thrown on. */
export async function shelfmarkError(promise: Promise<unknown>, code: ErrorCode): Promise<ShelfmarkError> {
  const error = await failureOf(promise);
  if (error instanceof ShelfmarkError && error.code === code) return error;
  throw error;
}
