import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Catalog } from '../catalog.ts';

/** A file or folder that could not be looked at while sources were listed. */
export interface UnreadableFile {
  readonly path: string;
  readonly reason: string;
}

/** A state of a source whose rejects are asked for. */
interface ListedSource {
  readonly id: number;
  readonly path: string;
}

/**
 * Writes the rejects file: one JSON object a line for every record of these sources that is not in the corpus, with its
 * file, byte range, kind and reason. Without rejects there is no file. Returns whether there is one.
 */
export async function writeRejects(
  file: string,
  catalog: Catalog,
  sources: readonly ListedSource[],
  unreadable: readonly UnreadableFile[],
): Promise<boolean> {
  const draft = `${file}.new`;
  try {
    const output = createWriteStream(draft);
    await pipeline(Readable.from(linesOf(catalog, sources, unreadable)), output);
    if (output.bytesWritten > 0) await rename(draft, file);
    else await rm(file, { force: true });
    return output.bytesWritten > 0;
  } finally {
    await rm(draft, { force: true });
  }
}

function* linesOf(
  catalog: Catalog,
  sources: readonly ListedSource[],
  unreadable: readonly UnreadableFile[],
): Generator<string> {
  for (const { path, reason } of unreadable) {
    yield toLine({ source: path, byteStart: null, byteEnd: null, uri: null, kind: 'skipped', reason });
  }
  for (const { id, path } of sources) {
    for (const reject of catalog.rejects(id)) {
      const { byte_start: byteStart, byte_end: byteEnd, uri, kind, reason } = reject;
      yield toLine({ source: path, byteStart, byteEnd, uri, kind, reason });
    }
  }
}

function toLine(reject: object): string {
  return `${JSON.stringify(reject)}\n`;
}
