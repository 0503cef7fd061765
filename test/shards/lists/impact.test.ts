import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { highestImpacts, type Impact, lowestImpacts } from '../../../shards/lists/impact.ts';

const impact = fc.record({ units: fc.integer({ min: 1, max: 400 }), length: fc.nat(3_000) });
const impacts = fc.array(impact, { minLength: 1, maxLength: 200 });
/** c0 and c1 of units / (units + c0 + c1 · length); 0 for k1 0, and for b 1 or 0. */
const constant = fc.oneof(
  fc.constant(0),
  fc.double({ min: 0, max: 1, noNaN: true }),
  fc.double({ min: 0, max: 500, noNaN: true }),
);

function valuesOf(impacts: readonly Impact[], c0: number, c1: number): number[] {
  return impacts.map(({ units, length }) => units / (units + c0 + c1 * length));
}

describe('of any impacts', () => {
  it('the highest ones have the highest value under any statistics', () => {
    fc.assert(
      fc.property(impacts, constant, constant, (all, c0, c1) => {
        const corners = highestImpacts(all);
        expect(all).toEqual(expect.arrayContaining(corners));
        expect(Math.max(...valuesOf(corners, c0, c1))).toBeCloseTo(Math.max(...valuesOf(all, c0, c1)), 14);
      }),
      { numRuns: 1_000 },
    );
  });

  it('the lowest ones have the lowest value under any statistics', () => {
    fc.assert(
      fc.property(impacts, constant, constant, (all, c0, c1) => {
        const corners = lowestImpacts(all);
        expect(all).toEqual(expect.arrayContaining(corners));
        expect(Math.min(...valuesOf(corners, c0, c1))).toBeCloseTo(Math.min(...valuesOf(all, c0, c1)), 14);
      }),
      { numRuns: 1_000 },
    );
  });

  it('those that no statistics make the best are left out', () => {
    const best = { units: 8, length: 10 };
    const worse = [
      { units: 8, length: 11 },
      { units: 7, length: 10 },
      { units: 4, length: 8 },
    ];
    expect(highestImpacts([...worse, best, best])).toEqual([best]);
    // Fewer units per token, but more of them: better when length does not count.
    const longer = { units: 30, length: 100 };
    expect(highestImpacts([best, ...worse, longer])).toHaveLength(2);
    expect(lowestImpacts([best, { units: 1, length: 50 }])).toEqual([{ units: 1, length: 50 }]);
  });
});
