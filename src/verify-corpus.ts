import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseVectorsFileName } from '../shards/index.ts';
import type { VerifyAnswer } from '../workers/protocol.ts';
import { Catalog, type ShardRow } from './catalog.ts';
import { layoutOf } from './layout.ts';
import type { ShardPool } from './search/shard-pool.ts';

/** One status per shard and for the catalog; nothing is printed. */
export interface CorpusReport {
  readonly ok: boolean;
  readonly depth: 'sample' | 'deep';
  readonly shards: readonly VerifyAnswer[];
  readonly catalog: { readonly ok: boolean; readonly detail: string };
  /** files in `shards/` that belong to no shard of the catalog; harmless, the next build removes them */
  readonly strays: readonly string[];
}

/** How much to verify. */
export interface VerifyOptions {
  /** Compare every posting with the text, not a sample. @default false */
  readonly deep?: boolean;
  /** Called after each shard. */
  readonly onShard?: (done: number, total: number) => void;
}

/** Verifies every shard and the catalog. */
export async function verifyCorpus(
  root: string,
  rows: readonly ShardRow[],
  pool: ShardPool,
  options: VerifyOptions,
): Promise<CorpusReport> {
  const depth = options.deep === true ? 'deep' : 'sample';
  const folder = layoutOf(root).shards;
  const names = await readdir(folder).catch((): string[] => []);
  const vectors = names.flatMap((name) => parseVectorsFileName(name) ?? []);
  const tasks = rows.map((row) => ({
    shard: row.name,
    file: join(folder, row.file),
    sha256: row.sha256,
    bytes: row.bytes,
    documents: row.documents,
    chunks: row.chunks,
    depth: depth as 'sample' | 'deep',
    vectors: vectors.flatMap(({ shard, key, isFinished }) => (shard === row.name && isFinished ? [key] : [])),
  }));
  const reports: VerifyAnswer[] = [];
  for await (const report of pool.verify(tasks)) {
    reports.push(report);
    options.onShard?.(reports.length, tasks.length);
  }
  const order = new Map(rows.map((row, index) => [row.name, index]));
  reports.sort((a, b) => order.get(a.shard)! - order.get(b.shard)!);
  const catalog = checkCatalog(root);
  const listed = new Set(rows.map(({ file }) => file));
  const isStray = (name: string): boolean => !listed.has(name) && !order.has(parseVectorsFileName(name)?.shard ?? '');
  const strays = names.filter(isStray);
  return { ok: catalog.ok && reports.every(({ ok }) => ok), depth, shards: reports, catalog, strays };
}

function checkCatalog(root: string): CorpusReport['catalog'] {
  const catalog = Catalog.openReadOnly(root);
  try {
    return catalog.check();
  } finally {
    catalog.close();
  }
}
