import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  COLUMN_UNITS,
  contribution,
  DEFAULT_SCORING,
  idfOf,
  normsOf,
  QUANTUM,
  weightOf,
} from '../../../shards/ranking/bm25.ts';

const scoring = { ...DEFAULT_SCORING, columnUnits: COLUMN_UNITS, chunks: 1_000, tokens: 50_000 };

const posting = fc.record({
  weight: fc.double({ min: 0, max: 100, noNaN: true }),
  units: fc.integer({ min: 1, max: 100_000 }),
  norm: fc.double({ min: 0, max: 10_000, noNaN: true }),
});

describe('what a posting adds to a score', () => {
  it('is the formula up to the next multiples of a quantum, and never nothing', () => {
    fc.assert(
      fc.property(posting, ({ weight, units, norm }) => {
        const added = contribution(weight, units, norm);
        const exact = weight * (units / (units + norm));
        expect(added % QUANTUM).toBe(0);
        expect(added).toBeGreaterThan(0);
        expect(added - exact).toBeGreaterThanOrEqual(QUANTUM / 2);
        expect(added - exact).toBeLessThanOrEqual(1.5 * QUANTUM);
      }),
      { numRuns: 5_000 },
    );
  });

  it('adds up to the same bits in any order', () => {
    fc.assert(
      fc.property(
        fc.array(posting, { maxLength: 200 }),
        fc.array(fc.nat(), { minLength: 200, maxLength: 200 }),
        (all, keys) => {
          const parts = all.map(({ weight, units, norm }) => contribution(weight, units, norm));
          const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
          const shuffled = [...parts.keys()].sort((a, b) => keys[a]! - keys[b]!).map((index) => parts[index]!);
          const half = Math.floor(parts.length / 2);
          expect(sum(shuffled)).toBe(sum(parts));
          expect(sum(parts.slice(0, half)) + sum(parts.slice(half))).toBe(sum(parts));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('is weighted by an idf that is never below 0, even for a term in every chunk', () => {
    expect(idfOf(scoring, 1)).toBeCloseTo(Math.log(1 + 999.5 / 1.5), 12);
    expect(idfOf(scoring, 500)).toBeCloseTo(Math.log(2), 12);
    expect(idfOf(scoring, 1_000)).toBeGreaterThan(0);
    expect(weightOf(scoring, 1)).toBeCloseTo(1.9 * idfOf(scoring, 1), 12);
    expect(idfOf({ ...scoring, idf: 'fts5' }, 999)).toBe(1e-6);
  });

  it('depends on the length as b says, and not at all with k1 0', () => {
    const norms = (k1: number, b: number): number[] => [...normsOf(Float64Array.of(0, 50, 100), { ...scoring, k1, b })];
    // In column units, of which the body has two.
    expect(norms(1, 0)).toEqual([2, 2, 2]);
    expect(norms(1, 1)).toEqual([0, 2, 4]);
    expect(norms(0, 0.4)).toEqual([0, 0, 0]);
    expect(normsOf(Float64Array.of(0), { ...scoring, chunks: 3, tokens: 0 })[0]).toBeCloseTo(2 * 0.9 * 0.6, 12);
  });
});
