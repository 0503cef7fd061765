import { constants } from 'node:fs';
import { copyFile, link } from 'node:fs/promises';
import { syncPath } from '../sync-path.ts';

/** A second name for a file that never changes, or where the file system has none a durable copy. */
export async function linkOrCopy(origin: string, file: string): Promise<void> {
  await link(origin, file).catch(() => copyDurably(origin, file));
}

async function copyDurably(origin: string, file: string): Promise<void> {
  await copyFile(origin, file, constants.COPYFILE_FICLONE);
  await syncPath(file, 'r+');
}
