import { open } from 'node:fs/promises';

/**
 * Makes a file's content, or the names in a folder, durable.
 * @param flags how to open it; a file has to be opened for writing on some systems.
 */
export async function syncPath(path: string, flags: 'r' | 'r+' = 'r'): Promise<void> {
  const handle = await open(path, flags);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
