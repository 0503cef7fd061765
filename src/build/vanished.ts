import { join } from 'node:path';
import { ShardReader } from '../../shards/index.ts';
import { documentKey } from '../../workers/document-key.ts';
import type { Catalog, ShardRow } from '../catalog.ts';
import { layoutOf } from '../layout.ts';

/**
 * Retires documents whose source was read to its end by this build without meeting them. Returns how many there were.
 * @param paths of sources that had an earlier state
 */
export function removeVanishedDocuments(
  catalog: Catalog,
  corpus: string,
  paths: ReadonlySet<string>,
  buildId: number,
): number {
  if (paths.size === 0) return 0;
  let removed = 0;
  for (const shard of catalog.shards()) {
    if (shard.build_id === buildId) continue;
    removed += catalog.transaction(() => removeFromShard(catalog, corpus, shard, paths, buildId));
  }
  return removed;
}

function removeFromShard(
  catalog: Catalog,
  corpus: string,
  shard: ShardRow,
  paths: ReadonlySet<string>,
  buildId: number,
): number {
  let removed = 0;
  const reader = new ShardReader(join(layoutOf(corpus).shards, shard.file));
  try {
    if (!reader.sourcePaths().some((path) => paths.has(path))) return 0;
    for (const document of reader.documents()) {
      if (!paths.has(document.source.path)) continue;
      const entry = catalog.entry(documentKey(document.collection, document.uri));
      const isHere = entry !== undefined && entry.shard_id === shard.id && entry.document === document.id;
      if (!isHere || entry.build_id === buildId) continue;
      catalog.addTombstone(shard.id, document.id);
      catalog.deleteEntry(entry.key);
      removed++;
    }
  } finally {
    reader.close();
  }
  return removed;
}
