import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CorruptError } from '../../../shards/errors.ts';
import { LeafDirectory, LeafDirectoryBuilder, murmur3 } from '../../../shards/postings/index.ts';
import { randomFrom } from '../support.ts';

type Leaf = readonly [content: string, separator: string | null];

function encode(leaves: readonly Leaf[]): Buffer {
  const builder = new LeafDirectoryBuilder();
  for (const [index, [content, separator]] of leaves.entries()) {
    builder.add(index + 1, Buffer.from(content), separator === null ? null : Buffer.from(separator));
  }
  return builder.finish();
}

function decode(bytes: Uint8Array): LeafDirectory {
  return LeafDirectory.decode('a.shard', bytes);
}

const leaves: readonly Leaf[] = [
  ['first', 'b'],
  ['second', 'be'],
  ['third', null],
  ['fourth', 'm'],
  ['fifth', '東'],
  ['sixth', null],
];

describe('the directory of leaves', () => {
  const directory = decode(encode(leaves));

  it('keeps the sum of each leaf', () => {
    expect(directory.leafCount).toBe(6);
    for (const [index, [content]] of leaves.entries()) {
      expect(directory.sumOf(index + 1)).toBe(murmur3(Buffer.from(content)));
    }
  });

  it('finds the only leaf on which a term can begin', () => {
    const found = ['', 'a', 'b', 'bd', 'be', 'bed', 'c', 'lz', 'm', 'z', '東', '東京'].map((term) =>
      directory.find(Buffer.from(term)),
    );
    expect(found).toEqual([0, 0, 1, 1, 2, 2, 2, 2, 4, 4, 5, 5]);
  });

  it('says up to which leaf the last term of a leaf can go on', () => {
    expect([1, 2, 4, 5].map((leaf) => directory.lastLeafFrom(leaf))).toEqual([2, 4, 5, 6]);
  });

  it('says how much memory it holds', () => {
    expect(directory.byteLength).toBe(4 * 6 + 4 * 4 + 4 * 5 + 7);
  });

  it('may be empty', () => {
    const empty = decode(new LeafDirectoryBuilder().finish());
    expect([empty.leafCount, empty.find(Buffer.from('a'))]).toEqual([0, 0]);
  });

  it('finds what a search from the front finds, for any separators', () => {
    const terms = fc.uniqueArray(fc.uint8Array({ minLength: 1, maxLength: 3, max: 3 }), {
      selector: (bytes) => bytes.join(),
      minLength: 1,
      maxLength: 40,
    });
    fc.assert(
      fc.property(terms, fc.uint8Array({ maxLength: 4, max: 3 }), (unsorted, term) => {
        const separators = unsorted.sort(Buffer.compare);
        const builder = new LeafDirectoryBuilder();
        for (const [index, separator] of separators.entries()) builder.add(index + 1, Buffer.of(index), separator);
        const expected = separators.filter((separator) => Buffer.compare(separator, term) <= 0).length;
        expect(decode(builder.finish()).find(term)).toBe(expected);
      }),
    );
  });

  it('does not keep the bytes that it was decoded from', () => {
    const bytes = encode(leaves);
    const own = decode(bytes);
    bytes.fill(0);
    expect(own.find(Buffer.from('be'))).toBe(2);
    expect(own.sumOf(1)).toBe(murmur3(Buffer.from('first')));
  });

  it.each<[what: string, bytes: Uint8Array, detail: RegExp]>([
    ['no bytes', Buffer.alloc(0), /runs past the end/],
    ['billions of leaves', Buffer.from([255, 255, 255, 255, 127, 1]), /no room for the sums/],
    ['separators without leaves', Buffer.from([0, 1, 1, 1, 97]), /1 separators for 0 leaves/],
    ['leaves without separators', Buffer.from([1, 0, 0, 0, 0, 0]), /0 separators for 1 leaves/],
    [
      'a first leaf without a term',
      encode([
        ['a', null],
        ['b', 'b'],
      ]),
      /separator 1 is of leaf 2 of 2/,
    ],
    ['a separator without bytes', encode([['a', '']]), /separator 1 has 0 bytes/],
    ['a separator longer than terms can be', encode([['a', 'a'.repeat(32_769)]]), /separator 1 has 32769 bytes/],
    [
      'separators in disorder',
      encode([
        ['a', 'b'],
        ['b', 'a'],
      ]),
      /separator 2 is not greater/,
    ],
    [
      'a separator twice',
      encode([
        ['a', 'b'],
        ['b', 'b'],
      ]),
      /separator 2 is not greater/,
    ],
    ['bytes at its end', Buffer.concat([encode(leaves), Buffer.of(0)]), /have 8 bytes, expected 7/],
    ['its last byte missing', encode(leaves).subarray(0, -1), /have 6 bytes, expected 7/],
  ])('is refused with %s', (_, bytes, detail) => {
    expect(() => decode(bytes)).toThrow(CorruptError);
    expect(() => decode(bytes)).toThrow(detail);
  });

  it('gives a typed error or another directory for any damage', () => {
    const seed = 11;
    const random = randomFrom(seed);
    const sound = encode(leaves);
    for (let run = 0; run < 2000; run++) {
      const bytes = Buffer.from(sound.subarray(0, sound.length - random(3)));
      bytes[random(bytes.length)] = random(256);
      try {
        decode(bytes).find(Buffer.from('bed'));
      } catch (error) {
        expect(error, `seed ${seed}, run ${run}`).toBeInstanceOf(CorruptError);
      }
    }
  });
});
