import { copyFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ShardReader, verifyShardFile } from '../../shards/index.ts';
import { errorOf, newPath } from './support.ts';

/** Written by the last version that made shards of format 1, and kept. */
const shardFile = fileURLToPath(new URL('../fixtures/format-1/library.shard', import.meta.url));

describe('a shard of format 1', () => {
  it('is refused with the way out, and not called damaged', () => {
    const error = errorOf(() => new ShardReader(shardFile));
    expect(error).toMatchObject({ code: 'SHELFMARK_TOO_OLD', facts: { file: shardFile, format: 1 } });
    expect(error.message).toBe(`${shardFile} has format 1; this version of shelfmark reads from 2. Rebuild it.`);
  });

  it('is refused so by verify too, at every depth', () => {
    const file = newPath();
    copyFileSync(shardFile, file);
    for (const depth of ['quick', 'sample', 'deep'] as const) {
      const detail = expect.stringMatching(/format 1.*Rebuild it/);
      expect(verifyShardFile(file, { depth }).parts).toEqual([{ name: 'open', status: 'damaged', detail }]);
    }
  });
});
