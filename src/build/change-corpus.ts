import { mkdir } from 'node:fs/promises';
import { Catalog } from '../catalog.ts';
import { describeDiskError } from '../disk-error.ts';
import { layoutOf } from '../layout.ts';
import { FileLock } from '../lock.ts';
import { checkFolder } from './check-folder.ts';
import { removeStrays } from './remove-strays.ts';

/**
 * Runs whatever changes a corpus: creates it if need be, lets no other process change it meanwhile, gives an empty scratch
 * folder, and leaves no strays, however it ends.
 * @param assurance what is safe when the disk fails, for the message.
 * @throws ShelfmarkError SHELFMARK_BUSY, what {@link checkFolder} throws, SHELFMARK_IO; whatever `change` throws.
 */
export async function changeCorpus<Result>(
  root: string,
  assurance: string,
  change: (catalog: Catalog) => Promise<Result>,
): Promise<Result> {
  const layout = layoutOf(root);
  try {
    checkFolder(root);
    await mkdir(layout.shards, { recursive: true });
    const lock = new FileLock(layout.lock, 'this corpus');
    try {
      const catalog = Catalog.openWritable(root);
      try {
        await removeStrays(root, catalog);
        await mkdir(layout.building);
        return await change(catalog);
      } finally {
        await removeStrays(root, catalog).finally(() => catalog.close());
      }
    } finally {
      lock.release();
    }
  } catch (error) {
    throw describeDiskError(error, root, assurance);
  }
}
