import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import type { Catalog } from '../catalog.ts';

/** A file or folder that could not be looked at while sources were listed. */
export interface UnreadableFile {
  readonly path: string;
  readonly reason: string;
}

/**
 * Writes the rejects file: one JSON object a line for every record of these sources that is not in the corpus, with its
 * file, byte range, kind and reason. Without rejects there is no file. Returns whether there is one.
 */
export async function writeRejects(
  file: string,
  catalog: Catalog,
  sources: readonly { readonly id: number; readonly path: string }[],
  unreadable: readonly UnreadableFile[],
): Promise<boolean> {
  const draft = `${file}.new`;
  const output = createWriteStream(draft);
  const done = finished(output);
  let lines = 0;
  const write = async (line: object): Promise<void> => {
    lines++;
    if (!output.write(`${JSON.stringify(line)}\n`)) await once(output, 'drain');
  };
  for (const { path, reason } of unreadable) {
    await write({ source: path, byteStart: null, byteEnd: null, uri: null, kind: 'skipped', reason });
  }
  for (const { id, path } of sources) {
    for (const reject of catalog.rejects(id)) {
      const { byte_start: byteStart, byte_end: byteEnd, uri, kind, reason } = reject;
      await write({ source: path, byteStart, byteEnd, uri, kind, reason });
    }
  }
  output.end();
  await done;
  if (lines > 0) await rename(draft, file);
  else await Promise.all([rm(draft), rm(file, { force: true })]);
  return lines > 0;
}
