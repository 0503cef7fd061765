import { readdirSync, readlinkSync, unlinkSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { SealedShard } from '../../shards/index.ts';
import { ShardCache } from '../../workers/shard-cache.ts';
import { buildShard, copyOf, documentsOf, errorOf, flipByte, newPath, tempFolder } from '../shards/support.ts';
import { targetOf } from './support.ts';

const folder = tempFolder();
let shards: SealedShard[];

beforeAll(async () => {
  shards = [];
  for (let index = 0; index < 8; index++) {
    shards.push(await buildShard(documentsOf(`shard ${index}`, 'second'), { file: newPath(folder) }));
  }
});

/** Files below a folder that this process holds open. */
function openFiles(below: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${descriptor}`);
      return path.startsWith(below) ? [path] : [];
    } catch {
      return [];
    }
  });
}

describe('a cache of open shards', () => {
  it.runIf(process.platform === 'linux')('holds no more files open than it may, the least recently used not', () => {
    const cache = new ShardCache(3);
    for (const sealed of shards) cache.get(targetOf(sealed));
    expect(openFiles(folder).sort()).toEqual(shards.slice(-3).map(({ file }) => file));
    cache.get(targetOf(shards[5]!));
    cache.get(targetOf(shards[0]!));
    expect(openFiles(folder).sort()).toEqual([0, 5, 7].map((index) => shards[index]?.file));
    cache.close();
    expect(openFiles(folder)).toEqual([]);
  });

  it('gives the same reader again as long as it is open', () => {
    const cache = new ShardCache(2);
    const first = cache.get(targetOf(shards[0]!));
    expect(cache.get(targetOf(shards[0]!))).toBe(first);
    cache.get(targetOf(shards[1]!));
    cache.get(targetOf(shards[2]!));
    expect(cache.get(targetOf(shards[0]!))).not.toBe(first);
    cache.close();
  });

  it('opens a shard anew when other documents of it are dead', () => {
    const cache = new ShardCache(2);
    const none = { kinds: [], collections: [] };
    expect(cache.get(targetOf(shards[0]!)).allowedChunks(none)).toBeNull();
    expect(cache.get(targetOf(shards[0]!, [2])).allowedChunks(none)).toEqual(Uint8Array.of(0, 1, 0));
    expect(cache.get(targetOf(shards[0]!, [1, 2])).allowedChunks(none)).toEqual(Uint8Array.of(0, 0, 0));
    cache.close();
  });

  it.each([{ documents: 3 }, { chunks: 1 }, { id: 's0123456789' }])(
    'refuses a file that is not what %j says',
    (other) => {
      const cache = new ShardCache(2);
      const target = { ...targetOf(shards[0]!), ...other };
      const error = errorOf(() => cache.get(target));
      expect(error).toMatchObject({ code: 'SHELFMARK_CORRUPT', facts: { file: target.file, part: 'meta' } });
      expect(error.message).toContain('the catalog says');
      if (process.platform === 'linux') expect(openFiles(folder)).toEqual([]);
      expect(cache.get(targetOf(shards[0]!)).meta.id).toBe(shards[0]?.id);
      cache.close();
    },
  );

  it.runIf(process.platform === 'linux')('leaves no file open when opening fails', () => {
    const cache = new ShardCache(2);
    const [first] = shards;
    for (const offset of [0, 16, 18, 21, 44, 60, 100, 103, 105, 108, 2000]) {
      const file = copyOf(first!.file);
      flipByte(file, offset, 0x3c);
      try {
        cache.get({ ...targetOf(first!), file });
      } catch (error) {
        expect(error).toMatchObject({ code: expect.stringMatching(/^SHELFMARK_/) });
        expect(openFiles(file)).toEqual([]);
      }
      cache.close();
      expect(openFiles(file)).toEqual([]);
    }
  });

  it('opens a shard again after it was dropped, and can drop what it does not have', () => {
    const cache = new ShardCache(2);
    const file = copyOf(shards[0]!.file);
    const target = { ...targetOf(shards[0]!), file };
    const reader = cache.get(target);
    cache.drop(target);
    cache.drop(target);
    expect(cache.get(target)).not.toBe(reader);
    cache.drop(target);
    unlinkSync(file);
    expect(errorOf(() => cache.get(target))).toMatchObject({ code: 'SHELFMARK_NOT_FOUND' });
    cache.close();
  });
});
