import { existsSync } from 'node:fs';
import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { parseVectorsFileName } from '../../shards/index.ts';
import { layoutOf } from '../layout.ts';
import { syncPath } from '../sync-path.ts';
import { linkOrCopy } from './link-or-copy.ts';

/**
 * Brings over the vectors that another corpus has for some shards and this one has not. They are not looked into: what is
 * damaged, searches and `verify` notice, and it can be made again.
 */
export async function adoptVectors(shards: ReadonlySet<string>, root: string, other: string): Promise<void> {
  const here = layoutOf(root);
  const there = layoutOf(other);
  const names = (await readdir(there.shards)).filter((name) => {
    const parsed = parseVectorsFileName(name);
    return parsed?.isFinished === true && shards.has(parsed.shard) && !existsSync(join(here.shards, name));
  });
  for (const name of names) {
    const file = join(here.building, name);
    await linkOrCopy(join(there.shards, name), file);
    await rename(file, join(here.shards, name));
  }
  if (names.length > 0) await syncPath(here.shards);
}
