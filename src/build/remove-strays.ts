import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseVectorsFileName } from '../../shards/index.ts';
import type { Catalog } from '../catalog.ts';
import { layoutOf, shardIdOf } from '../layout.ts';

/**
 * Removes what an unfinished process left: scratch files, shards renamed into place but never entered, and vectors of shards
 * that are no more. The corpus must be locked.
 */
export async function removeStrays(corpus: string, catalog: Catalog): Promise<void> {
  const layout = layoutOf(corpus);
  await rm(layout.building, { recursive: true, force: true });
  for (const name of await readdir(layout.shards)) {
    const id = shardIdOf(name) ?? parseVectorsFileName(name)?.shard ?? null;
    if (id !== null && catalog.shardByName(id) === undefined) await rm(join(layout.shards, name));
  }
}
