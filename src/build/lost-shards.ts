import { statSync } from 'node:fs';
import { join } from 'node:path';
import { ShelfmarkError } from '../../shards/index.ts';
import type { Catalog, ShardRow } from '../catalog.ts';
import { layoutOf } from '../layout.ts';

/** Whether a shard's file is missing or has not its length. Its content is for `verify` to check. */
export function isLost(corpus: string, shard: Pick<ShardRow, 'file' | 'bytes'>): boolean {
  const status = statSync(join(layoutOf(corpus).shards, shard.file), { throwIfNoEntry: false });
  return status?.size !== shard.bytes;
}

/**
 * Looks for shards that the catalog lists and the folder has not: a build that found everything else unchanged would
 * leave a hole that nobody notices.
 * @param rebuild forget them, so that their sources are read again.
 * @throws ShelfmarkError SHELFMARK_CORRUPT when there is one and it is not to be rebuilt.
 */
export function handleLostShards(corpus: string, catalog: Catalog, rebuild: boolean): void {
  const lost = catalog.shards().filter((shard) => isLost(corpus, shard));
  const [first] = lost;
  if (first === undefined) return;
  if (!rebuild) {
    throw new ShelfmarkError(
      'SHELFMARK_CORRUPT',
      `${join(layoutOf(corpus).shards, first.file)} is missing or cut off${lost.length > 1 ? `, and ${lost.length - 1} more shards` : ''}. Restore it from a copy, or build with --rebuild-lost and name all its sources.`,
      { corpus, shards: lost.map(({ name }) => name) },
    );
  }
  catalog.transaction(() => {
    for (const { id } of lost) catalog.forgetShard(id);
  });
}
