import type { FileHandle } from 'node:fs/promises';

/**
 * Reads an open file in chunks of at most `chunkBytes`, each in memory of its own, and closes it at the end.
 *
 * @param position byte to begin at; null reads a pipe or device from where it is.
 * @param sizeHint bytes there probably are from `position` on, so that a small file takes little memory; 0 when unknown.
 */
export async function* readFileChunks(
  file: FileHandle,
  position: number | null,
  sizeHint: number,
  chunkBytes: number,
): AsyncGenerator<Buffer> {
  try {
    for (let read = 0; ; ) {
      const expected = sizeHint > read ? sizeHint - read : chunkBytes;
      const chunk = Buffer.allocUnsafeSlow(Math.min(expected, chunkBytes));
      const { bytesRead } = await file.read(chunk, 0, chunk.length, position === null ? null : position + read);
      if (bytesRead === 0) return;
      read += bytesRead;
      yield chunk.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
