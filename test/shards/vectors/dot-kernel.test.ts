import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDots, plainDots } from '../../../shards/vectors/dot-kernel.ts';

const extremes = { bytes: [-127, 127], numbers: [-2047, 2047] } as const;

describe('dot products of many vectors', () => {
  it('are the sums of the products, with vector instructions and without', () => {
    const shape = fc.record({
      strides: fc.integer({ min: 1, max: 12 }),
      count: fc.integer({ min: 0, max: 9 }),
      byte: fc.infiniteStream(fc.integer({ min: -127, max: 127 })),
      number: fc.infiniteStream(fc.integer({ min: -2047, max: 2047 })),
    });
    fc.assert(
      fc.property(shape, ({ strides, count, byte, number }) => {
        const stride = 16 * strides;
        const codes = Array.from({ length: count * stride }, () => byte.next().value as number);
        const query = Array.from({ length: stride }, () => number.next().value as number);
        const expected = Array.from({ length: count }, (_, vector) =>
          query.reduce((sum, value, index) => sum + value * codes[vector * stride + index]!, 0),
        );
        for (const create of [createDots, plainDots]) expect(sums(create, codes, query, count)).toEqual(expected);
      }),
      { numRuns: 100 },
    );
  });

  it('do not overflow for vectors of 8,192 dimensions that are as large as they can be', () => {
    for (const byte of extremes.bytes) {
      for (const number of extremes.numbers) {
        const [codes, query] = [byte, number].map((value) => new Array<number>(8192).fill(value));
        for (const create of [createDots, plainDots]) {
          expect(sums(create, codes!, query!, 1)).toEqual([byte * number * 8192]);
        }
      }
    }
  });
});

function sums(create: typeof createDots, codes: readonly number[], query: readonly number[], count: number): number[] {
  const memory = new WebAssembly.Memory({ initial: 2 });
  const queryAt = codes.length;
  const outAt = queryAt + 2 * query.length;
  new Int8Array(memory.buffer).set(codes);
  new Int16Array(memory.buffer, queryAt, query.length).set(query);
  create(memory)(0, codes.length, query.length, queryAt, outAt);
  return [...new Int32Array(memory.buffer, outAt, count)];
}
