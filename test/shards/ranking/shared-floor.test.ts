import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newFloors, SharedFloor } from '../../../shards/index.ts';

const score = fc.oneof(
  fc.constant(0),
  fc.double({ min: 0, max: 1e5, noNaN: true }),
  fc.double({ min: 0, max: 1e-3, noNaN: true }),
);

describe('a shared floor', () => {
  it('is the highest score that it was raised to, or a little less, and never more', () => {
    fc.assert(
      fc.property(fc.array(score, { minLength: 1, maxLength: 20 }), (scores) => {
        const cells = newFloors(1);
        // Two threads have an object each for the same cell.
        const [one, two] = [new SharedFloor(cells, 0), new SharedFloor(cells, 0)];
        let highest = 0;
        for (const [index, raised] of scores.entries()) {
          (index % 2 === 0 ? one : two).raise(raised);
          highest = Math.max(highest, raised);
          expect(two.value).toBe(one.value);
          expect(one.value).toBeLessThanOrEqual(highest);
          // The smallest positive number of 32 bits is 2^-149.
          expect(one.value).toBeGreaterThanOrEqual(highest * (1 - 2 ** -22) - 2 ** -148);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('is one of as many as there are queries', () => {
    const cells = newFloors(3);
    new SharedFloor(cells, 1).raise(2.5);
    expect([0, 1, 2].map((index) => new SharedFloor(cells, index).value)).toEqual([0, 2.5, 0]);
  });
});
