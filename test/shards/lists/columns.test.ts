import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CorruptError } from '../../../shards/index.ts';
import { classifyLengths, decodeLengths, encodeLengths } from '../../../shards/lists/chunk-lengths.ts';
import {
  decodeDocumentOrder,
  decodeDocumentStarts,
  encodeDocumentOrder,
  encodeDocumentStarts,
} from '../../../shards/lists/document-starts.ts';

const tokens = fc
  .array(fc.oneof(fc.nat(30), fc.nat(2 ** 32 - 1)), { minLength: 1, maxLength: 300 })
  .map((lengths) => Uint32Array.from([0, ...lengths]));

const chunkCounts = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 200 });

/** First chunk of every document, and how many chunks there are. */
function startsOf(counts: readonly number[]): { readonly starts: Uint32Array; readonly chunks: number } {
  let next = 1;
  const starts = counts.map((count) => {
    next += count;
    return next - count;
  });
  return { starts: Uint32Array.from(starts), chunks: next - 1 };
}

/** The places of documents: a permutation that depends on the numbers. */
const places = fc
  .array(fc.nat(), { minLength: 1, maxLength: 200 })
  .map((keys) =>
    Uint32Array.from(keys.map((_, index) => [...keys.keys()].sort((a, b) => keys[a]! - keys[b]!).indexOf(index))),
  );

describe('the lengths of chunks', () => {
  it('come back as they were, one class for all chunks of a length, classes in order', () => {
    fc.assert(
      fc.property(tokens, (tokens) => {
        const chunkCount = tokens.length - 1;
        const stored = encodeLengths(classifyLengths(tokens));
        const { classes, lengths } = decodeLengths('f', stored, chunkCount);
        expect([...classes].slice(1).map((one) => lengths[one])).toEqual([...tokens].slice(1));
        expect([...lengths]).toEqual([...new Set(tokens.subarray(1))].sort((a, b) => a - b));
      }),
    );
  });

  it('are refused when bytes are missing or too many, or a class has no length', () => {
    const stored = encodeLengths(classifyLengths(Uint32Array.of(0, 5, 7, 5)));
    for (const [bytes, chunks] of [
      [stored, 2],
      [stored, 4],
      [stored.subarray(0, -1), 3],
      [Buffer.concat([stored, Buffer.from([0])]), 3],
      [Buffer.alloc(0), 3],
      [Buffer.from([...stored.subarray(0, -2), 2, 0]), 3],
      [Buffer.from([255, ...stored.subarray(1)]), 3],
    ] as const) {
      expect(() => decodeLengths('f', bytes, chunks)).toThrow(CorruptError);
    }
  });

  it('may have 65,536 classes and no more', () => {
    const tokens = Uint32Array.from({ length: 65_537 }, (_, chunk) => chunk);
    expect(decodeLengths('f', encodeLengths(classifyLengths(tokens)), 65_536).classes.at(-1)).toBe(65_535);
    expect(() => classifyLengths(Uint32Array.from({ length: 65_538 }, (_, chunk) => chunk))).toThrow(RangeError);
  });
});

describe('the chunks of documents', () => {
  it('come back as they were', () => {
    fc.assert(
      fc.property(chunkCounts, (counts) => {
        const { starts, chunks } = startsOf(counts);
        const stored = encodeDocumentStarts(starts, chunks);
        expect(decodeDocumentStarts('f', stored, starts.length, chunks)).toEqual(starts);
      }),
    );
  });

  it('are refused when they do not cover all chunks exactly, or a document has none', () => {
    const stored = encodeDocumentStarts(Uint32Array.of(1, 3), 4);
    for (const [bytes, documents, chunks] of [
      [stored, 2, 5],
      [stored, 2, 3],
      [stored, 1, 4],
      [stored, 3, 4],
      [Buffer.from([0, 4]), 2, 4],
      [Buffer.from([4, 0]), 2, 4],
    ] as const) {
      expect(() => decodeDocumentStarts('f', bytes, documents, chunks)).toThrow(CorruptError);
    }
  });
});

describe('the order of documents', () => {
  it('comes back as it was', () => {
    fc.assert(
      fc.property(places, (ranks) => {
        expect(decodeDocumentOrder('f', encodeDocumentOrder(ranks), ranks.length)).toEqual(ranks);
      }),
    );
  });

  it('is refused when a place is none of those there are, or bytes are missing or too many', () => {
    const stored = encodeDocumentOrder(Uint32Array.of(2, 0, 1));
    for (const [bytes, documents] of [
      [stored, 2],
      [stored, 4],
      [stored.subarray(1), 3],
      [Buffer.from([1, 0, 0]), 3],
    ] as const) {
      expect(() => decodeDocumentOrder('f', bytes, documents)).toThrow(CorruptError);
    }
  });
});
