import { describe, expect, it } from 'vitest';
import { murmur3 } from '../../../shards/postings/index.ts';

describe('MurmurHash3', () => {
  // Vectors for seed 0: by Ian Boyd (public, made with the reference code), and widely published ones of texts.
  const vectors: readonly (readonly [bytes: string | readonly number[], sum: number])[] = [
    [[], 0],
    [[0x21], 0x72661cf4],
    [[0x21, 0x43], 0xa0f7b07a],
    [[0x21, 0x43, 0x65], 0x7e4a8634],
    [[0x21, 0x43, 0x65, 0x87], 0xf55b516b],
    [[0xff, 0xff, 0xff, 0xff], 0x76293b50],
    [[0], 0x514e28b7],
    [[0, 0], 0x30f4c306],
    [[0, 0, 0], 0x85f0b427],
    [[0, 0, 0, 0], 0x2362f9de],
    ['test', 0xba6bd213],
    ['hello', 0x248bfa47],
    ['Hello, world!', 0xc0363e43],
    ['The quick brown fox jumps over the lazy dog', 0x2e4ff723],
  ];

  it('gives the published sums', () => {
    for (const [bytes, sum] of vectors) {
      expect(murmur3(typeof bytes === 'string' ? Buffer.from(bytes) : Uint8Array.from(bytes)), `${bytes}`).toBe(sum);
    }
  });

  it('gives the same sum wherever the bytes lie in memory', () => {
    const bytes = Uint8Array.from({ length: 4099 }, (_, index) => (index * 37) & 255);
    const memory = new Uint8Array(bytes.length + 4);
    for (let offset = 0; offset < 4; offset++) {
      memory.set(bytes, offset);
      for (const length of [0, 1, 2, 3, 4, 5, 4096, 4097, 4098, 4099]) {
        expect(murmur3(memory.subarray(offset, offset + length))).toBe(murmur3(bytes.slice(0, length)));
      }
    }
  });

  it('is another when any byte is another', () => {
    const bytes = Buffer.alloc(1027, 7);
    const sum = murmur3(bytes);
    for (let at = 0; at < bytes.length; at++) {
      bytes[at] = 8 + (at % 200);
      expect(murmur3(bytes)).not.toBe(sum);
      bytes[at] = 7;
    }
  });
});
