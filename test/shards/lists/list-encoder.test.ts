import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CorruptError } from '../../../shards/index.ts';
import { classifyLengths } from '../../../shards/lists/chunk-lengths.ts';
import type { Impact } from '../../../shards/lists/impact.ts';
import { type EncodedList, ListEncoder } from '../../../shards/lists/list-encoder.ts';
import { decodeHead, THRESHOLD_DEPTHS } from '../../../shards/lists/list-format.ts';
import { decodeSegment } from '../../../shards/lists/segment-decoder.ts';
import { randomFrom } from '../support.ts';

const columnUnits = [4, 3, 2] as const;

interface TestPostings {
  readonly chunkCount: number;
  /** tokens of chunk c at index c */
  readonly tokens: Uint32Array;
  /** first chunk of every document */
  readonly starts: Uint32Array;
  readonly chunks: Int32Array;
  readonly units: Int32Array;
}

/** A term in a share of the chunks; in some stretches in none of them. */
function randomPostings(seed: number, chunkCount: number, share: number): TestPostings {
  const random = randomFrom(seed);
  const tokens = Uint32Array.from({ length: chunkCount + 1 }, () => random(random(20) === 0 ? 5_000 : 60));
  const starts: number[] = [];
  for (let start = 1; start <= chunkCount; start += 1 + random(5)) starts.push(start);
  const chunks: number[] = [];
  const gap = 1 + random(chunkCount);
  for (let chunk = 1; chunk <= chunkCount; chunk++) {
    const isInGap = chunk > gap && chunk < gap + 10_000;
    if (!isInGap && random(1_000) < share * 1_000) chunks.push(chunk);
  }
  if (chunks.length === 0) chunks.push(gap);
  const units = chunks.map(() => 1 + random([3, 40, 400, 100_000][random(4)]!));
  return {
    chunkCount,
    tokens,
    starts: Uint32Array.from(starts),
    chunks: Int32Array.from(chunks),
    units: Int32Array.from(units),
  };
}

const term = Buffer.from('東京');

function encode({ tokens, starts, chunks, units }: TestPostings, firstSegment = 1): EncodedList {
  const encoder = new ListEncoder(classifyLengths(tokens), starts, columnUnits);
  return encoder.encode(term, { chunks, units, length: chunks.length, occurrences: 2 * chunks.length }, firstSegment);
}

/** All postings that segments hold, read back. */
function decode({ head, segments }: EncodedList, chunkCount: number, firstSegment: number): [number, number][] {
  const { segments: heads } = decodeHead('f', '東京', head, chunkCount);
  expect(heads).toHaveLength(segments.length);
  return heads.flatMap((segment, index) => {
    const { rawLength, data } = segments[index]!;
    const row = { id: firstSegment + index, raw_length: rawLength, data };
    const { blocks, starts, offsets, units, over } = decodeSegment('f', row, segment, chunkCount);
    const found: [number, number][] = [];
    for (const [at, block] of blocks.entries()) {
      for (let index = starts[at]!; index < starts[at + 1]!; index++) {
        found.push([block * 4_096 + offsets[index]!, over?.get(index) ?? units[index]!]);
      }
    }
    return found;
  });
}

const anyPostings = fc
  .record({
    seed: fc.nat(),
    chunkCount: fc.oneof(
      fc.integer({ min: 1, max: 300 }),
      fc.constantFrom(4_095, 4_096, 4_097),
      fc.integer({ min: 8_000, max: 40_000 }),
    ),
    share: fc.constantFrom(0.002, 0.1, 0.9, 1),
  })
  .map(({ seed, chunkCount, share }) => randomPostings(seed, chunkCount, share));

describe('an offset list', () => {
  it('gives back every posting with its units', () => {
    fc.assert(
      fc.property(anyPostings, fc.constantFrom(1, 500), (postings, firstSegment) => {
        const { chunks, units, chunkCount } = postings;
        const list = encode(postings, firstSegment);
        expect(decode(list, chunkCount, firstSegment)).toEqual(
          [...chunks].map((chunk, index) => [chunk, units[index]]),
        );
        expect(decodeHead('f', '東京', list.head, chunkCount)).toMatchObject({
          df: chunks.length,
          occurrences: 2 * chunks.length,
        });
      }),
      { numRuns: 30 },
    );
  });

  it('bounds the postings of each segment and gives thresholds that as many documents reach, under any statistics', () => {
    const statistics = fc.record({
      c0: fc.double({ min: 0, max: 10, noNaN: true }),
      c1: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(anyPostings, fc.array(statistics, { minLength: 4, maxLength: 4 }), (postings, many) => {
        const { chunks, units, tokens, starts, chunkCount } = postings;
        const head = decodeHead('f', '東京', encode(postings).head, chunkCount);
        for (const { c0, c1 } of many) {
          const value = ({ units, length }: Impact): number => units / (units + c0 + c1 * length);
          const values = [...chunks].map((chunk, at) => value({ units: units[at]!, length: tokens[chunk]! }));
          let from = 0;
          for (const segment of head.segments) {
            const inSegment = values.slice(from, from + segment.postings);
            expect(Math.max(...segment.impacts.map(value))).toBeCloseTo(maxOf(inSegment), 14);
            from += segment.postings;
          }
          const ofDocuments = bestPerDocument(chunks, values, starts);
          for (const [index, impacts] of head.thresholds.entries()) {
            const threshold = Math.min(...impacts.map(value)) - 1e-14;
            expect(ofDocuments.filter((best) => best >= threshold).length).toBeGreaterThanOrEqual(
              THRESHOLD_DEPTHS[index]!,
            );
          }
          expect(head.thresholds).toHaveLength(THRESHOLD_DEPTHS.filter((depth) => depth <= ofDocuments.length).length);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('has thresholds near the k-th best document under the default parameters', () => {
    const postings = randomPostings(5, 40_000, 0.9);
    const { chunks, units, tokens, starts } = postings;
    const average = tokens.subarray(1).reduce((sum, count) => sum + count, 0) / 40_000;
    const value = ({ units, length }: Impact): number => units / (units + 2 * 0.9 * (0.6 + (0.4 * length) / average));
    const values = [...chunks].map((chunk, at) => value({ units: units[at]!, length: tokens[chunk]! }));
    const ofDocuments = bestPerDocument(chunks, values, starts).sort((a, b) => b - a);
    const { thresholds } = decodeHead('f', '東京', encode(postings).head, 40_000);
    for (const [index, impacts] of thresholds.entries()) {
      const lowest = Math.min(...impacts.map(value));
      const exact = ofDocuments[THRESHOLD_DEPTHS[index]! - 1]!;
      expect(lowest).toBeLessThanOrEqual(exact + 1e-12);
      expect(lowest).toBeGreaterThan(exact - 1 / 4096);
    }
  });

  it('is refused under another term, for fewer chunks or cut off, and a segment under another id', () => {
    const postings = randomPostings(1, 9_000, 0.5);
    const { head, segments } = encode(postings);
    for (const read of [
      () => decodeHead('f', '京都', head, 9_000),
      () => decodeHead('f', '東京', head, 100),
      () => decodeHead('f', '東京', head.subarray(1), 9_000),
      () => decodeHead('f', '東京', head.subarray(0, -1), 9_000),
      () => decodeHead('f', '東京', Buffer.alloc(0), 9_000),
    ]) {
      expect(read).toThrow(CorruptError);
    }
    const [segment] = decodeHead('f', '東京', head, 9_000).segments;
    const { rawLength, data } = segments[0]!;
    for (const row of [
      { id: 2, raw_length: rawLength, data },
      { id: 1, raw_length: rawLength + 1, data },
      { id: 1, raw_length: 1e9, data },
      { id: 1, raw_length: -1, data },
      { id: 1, raw_length: rawLength, data: data.subarray(0, -1) },
    ]) {
      expect(() => decodeSegment('f', row, segment!, 9_000)).toThrow(CorruptError);
    }
    const row = { id: 1, raw_length: rawLength, data };
    expect(() => decodeSegment('f', row, { ...segment!, postings: segment!.postings - 1 }, 9_000)).toThrow(
      CorruptError,
    );
    expect(() => decodeSegment('f', row, segment!, 10)).toThrow(CorruptError);
  });
});

/** The best value of each document that has one. */
function bestPerDocument(chunks: Int32Array, values: readonly number[], starts: Uint32Array): number[] {
  const best = new Map<number, number>();
  let document = 0;
  for (const [index, chunk] of chunks.entries()) {
    while (document + 1 < starts.length && starts[document + 1]! <= chunk) document++;
    best.set(document, Math.max(best.get(document) ?? 0, values[index]!));
  }
  return [...best.values()];
}

function maxOf(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0);
}
