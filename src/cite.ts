import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { StoredSource } from '../shards/index.ts';
import type { HitSource } from './search/hits.ts';
import { openSource, SourceError, standardInput } from './sources/index.ts';

/** Whether a cited record still stands in its source. */
export interface Citation {
  readonly shelfmark: string;
  /**
   * `verified`: the bytes at that place are the ones indexed. `changed`: the file is there, the bytes are others.
   * `missing`: the file is gone, cannot be read, or was standard input.
   */
  readonly status: 'verified' | 'changed' | 'missing';
  readonly detail: string;
  readonly source: HitSource;
}

/** Reads a record from its source again, decompressing as the build did, and compares its SHA-256. */
export async function checkCitation(shelfmark: string, source: StoredSource): Promise<Citation> {
  const { path, byteStart, byteEnd, sha256 } = source;
  const result = (status: Citation['status'], detail: string): Citation => ({
    shelfmark,
    status,
    detail,
    source: { path, byteStart, byteEnd, sha256 },
  });
  if (path === standardInput) return result('missing', 'the source was standard input');
  try {
    const status = await stat(path).catch(() => undefined);
    if (status?.isFile() === false) return result('changed', 'it is not a regular file any more');
    const found = await hashRange(source);
    if (found.bytes < byteEnd - byteStart)
      return result('changed', `the source ends at byte ${byteStart + found.bytes}`);
    return found.sha256 === sha256
      ? result('verified', `bytes ${byteStart} to ${byteEnd} are the ones indexed`)
      : result('changed', `bytes ${byteStart} to ${byteEnd} are not the ones indexed`);
  } catch (error) {
    if (error instanceof SourceError) return result(error.byte === null ? 'missing' : 'changed', error.reason);
    throw error;
  }
}

async function hashRange(source: StoredSource): Promise<{ readonly sha256: string; readonly bytes: number }> {
  const { byteStart, byteEnd } = source;
  const hash = createHash('sha256');
  let bytes = 0;
  const wanted = byteEnd - byteStart;
  for await (const chunk of openSource(source, { start: byteStart })) {
    const part = chunk.subarray(0, wanted - bytes);
    hash.update(part);
    bytes += part.length;
    if (bytes >= wanted) break;
  }
  return { sha256: hash.digest('hex'), bytes };
}
