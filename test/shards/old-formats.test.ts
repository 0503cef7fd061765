import { copyFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ShardReader, verifyShardFile } from '../../shards/index.ts';
import { errorOf, newPath } from './support.ts';

/** Written by the last version that made shards of the format, and kept. */
function shardOf(format: number): string {
  return fileURLToPath(new URL(`../fixtures/format-${format}/library.shard`, import.meta.url));
}

describe.each([1, 2])('a shard of format %i', (format) => {
  const shardFile = shardOf(format);

  it('is refused with the way out, and not called damaged', () => {
    const error = errorOf(() => new ShardReader(shardFile));
    expect(error).toMatchObject({ code: 'SHELFMARK_TOO_OLD', facts: { file: shardFile, format } });
    expect(error.message).toBe(
      `${shardFile} has format ${format}; this version of shelfmark reads from 3. Rebuild it.`,
    );
  });

  it('is refused so by verify too, at every depth', () => {
    const file = newPath();
    copyFileSync(shardFile, file);
    for (const depth of ['quick', 'sample', 'deep'] as const) {
      const detail = expect.stringMatching(`format ${format}.*Rebuild it`);
      expect(verifyShardFile(file, { depth }).parts).toEqual([{ name: 'open', status: 'damaged', detail }]);
    }
  });
});
