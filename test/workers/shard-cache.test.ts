import { readdirSync, readlinkSync, unlinkSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { NO_FILTER, type SealedShard } from '../../shards/index.ts';
import type { ShardTarget } from '../../workers/protocol.ts';
import { buildShard, copyOf, documentsOf, errorOf, flipByte, newPath, tempFolder } from '../shards/support.ts';
import { cacheOf, targetOf } from './support.ts';

const folder = tempFolder();
let shards: SealedShard[];
let targets: ShardTarget[];

beforeAll(async () => {
  shards = [];
  for (let index = 0; index < 8; index++) {
    shards.push(await buildShard(documentsOf(`shard ${index}`, 'second'), { file: newPath(folder) }));
  }
  targets = shards.map((sealed) => targetOf(sealed));
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
    const cache = cacheOf(targets, { maxOpen: 3 });
    for (const { id } of targets) cache.get(id);
    expect(openFiles(folder).sort()).toEqual(shards.slice(-3).map(({ file }) => file));
    cache.get(shards[5]!.id);
    cache.get(shards[0]!.id);
    expect(openFiles(folder).sort()).toEqual([0, 5, 7].map((index) => shards[index]?.file));
    cache.close();
    expect(openFiles(folder)).toEqual([]);
  });

  it('gives the same reader again as long as it is open', () => {
    const cache = cacheOf(targets, { maxOpen: 2 });
    const [one, two, three] = shards.map(({ id }) => id);
    const first = cache.get(one!);
    expect(cache.get(one!)).toBe(first);
    cache.get(two!);
    cache.get(three!);
    expect(cache.get(one!)).not.toBe(first);
    cache.close();
  });

  it('names the shards it was given, all or without some, and knows no others', () => {
    const cache = cacheOf(targets);
    const ids = shards.map(({ id }) => id);
    expect([...cache.targets([])]).toEqual(targets);
    expect([...cache.targets([ids[1]!, ids[7]!])].map(({ id }) => id)).toEqual(
      ids.filter((_, index) => index !== 1 && index !== 7),
    );
    expect(cache.target(ids[3]!)).toBe(targets[3]);
    for (const ask of [() => cache.target('s0123456789'), () => cache.get('s0123456789')]) {
      expect(errorOf(ask)).toMatchObject({ code: 'SHELFMARK_INTERNAL', facts: { id: 's0123456789' } });
    }
  });

  it('leaves documents out that are dead', () => {
    const [first, second] = shards;
    const cache = cacheOf([targetOf(first!, [2]), targetOf(second!)]);
    expect(cache.get(first!.id).allowedChunks(NO_FILTER)?.bitmap).toEqual(Uint8Array.of(0, 1, 0));
    expect(cache.get(second!.id).allowedChunks(NO_FILTER)).toBeNull();
    cache.close();
  });

  it.each([{ documents: 3 }, { chunks: 1 }, { tokens: 9 }, { id: 's0123456789' }])(
    'refuses a file that is not what %j says',
    (other) => {
      const target = { ...targets[0]!, ...other };
      const cache = cacheOf([target, targets[1]!]);
      const error = errorOf(() => cache.get(target.id));
      expect(error).toMatchObject({ code: 'SHELFMARK_CORRUPT', facts: { file: target.file, part: 'meta' } });
      expect(error.message).toContain('the catalog says');
      if (process.platform === 'linux') expect(openFiles(folder)).toEqual([]);
      expect(cache.get(targets[1]!.id).meta.id).toBe(shards[1]?.id);
      cache.close();
    },
  );

  it.runIf(process.platform === 'linux')('leaves no file open when opening fails', () => {
    for (const offset of [0, 16, 18, 21, 44, 60, 100, 103, 105, 108, 2000]) {
      const file = copyOf(shards[0]!.file);
      flipByte(file, offset, 0x3c);
      const target = { ...targets[0]!, file };
      const cache = cacheOf([target]);
      try {
        cache.get(target.id);
      } catch (error) {
        expect(error).toMatchObject({ code: expect.stringMatching(/^SHELFMARK_/) });
        expect(openFiles(file)).toEqual([]);
      }
      cache.close();
      expect(openFiles(file)).toEqual([]);
    }
  });

  it('opens a shard again after it was dropped, and can drop what it does not have open', () => {
    const file = copyOf(shards[0]!.file);
    const target = { ...targets[0]!, file };
    const cache = cacheOf([target]);
    const reader = cache.get(target.id);
    cache.drop(target.id);
    cache.drop(target.id);
    expect(cache.get(target.id)).not.toBe(reader);
    cache.drop(target.id);
    unlinkSync(file);
    expect(errorOf(() => cache.get(target.id))).toMatchObject({ code: 'SHELFMARK_NOT_FOUND' });
    cache.close();
  });
});
