import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { ShelfmarkError } from '../../shards/index.ts';
import { Catalog } from '../catalog.ts';
import { layoutOf } from '../layout.ts';

/**
 * Makes sure that a folder is a corpus or may become one: what is not ours is never touched, and shards whose catalog is
 * gone are not taken for rubbish.
 * @throws ShelfmarkError SHELFMARK_USAGE when it holds other files, SHELFMARK_CORRUPT when it holds shards but no catalog.
 */
export function checkFolder(root: string): void {
  const { catalog, shards, lock } = layoutOf(root);
  if (!existsSync(root)) return;
  if (!statSync(root).isDirectory()) throw usage(root, 'it is a file');
  if (Catalog.exists(root)) return;
  if (existsSync(shards) && readdirSync(shards).some((name) => name.endsWith('.shard'))) {
    throw new ShelfmarkError(
      'SHELFMARK_CORRUPT',
      `${root} holds shards, but its catalog.db is missing or empty. Restore catalog.db from a copy, or choose another folder.`,
      { corpus: root },
    );
  }
  // What a first build that was killed early may have left.
  const ours = [catalog, lock].map((file) => basename(file)).flatMap((name) => [name, `${name}-journal`]);
  for (const name of readdirSync(root)) {
    const isEmptyShards = name === basename(shards) && readdirSync(shards).length === 0;
    if (!isEmptyShards && !ours.includes(name)) throw usage(root, `it is no corpus, and it holds ${name}`);
  }
}

function usage(root: string, why: string): ShelfmarkError {
  const choice = `Choose an empty or new folder, for example ${dirname(root)}/corpus`;
  return new ShelfmarkError('SHELFMARK_USAGE', `${root} cannot become a corpus: ${why}. ${choice}.`, { corpus: root });
}
