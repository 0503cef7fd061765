import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { layoutOf, shardFileName } from '../layout.ts';
import { syncPath } from '../sync-path.ts';

/** Moves a complete, synced shard file to its final name and makes the name durable. */
export async function publishShard(file: string, id: string, corpus: string): Promise<void> {
  const { shards } = layoutOf(corpus);
  await rename(file, join(shards, shardFileName(id)));
  await syncPath(shards);
}
