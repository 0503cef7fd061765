import { describe, expect, it } from 'vitest';
import { meanOverlap, median, percentile, summarize } from '../../bench/measure/summary.ts';

describe('percentile', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => index + 1);

  it('gives the smallest sample that the share does not exceed', () => {
    expect(percentile(hundred, 0.5)).toBe(50);
    expect(percentile(hundred, 0.95)).toBe(95);
    expect(percentile(hundred, 0.99)).toBe(99);
    expect(percentile(hundred, 1)).toBe(100);
  });

  it('gives a sample that was measured, however few there are', () => {
    expect(percentile([7], 0.99)).toBe(7);
    expect(percentile([1, 9], 0.5)).toBe(1);
    expect(percentile([1, 9], 0.51)).toBe(9);
    expect(percentile([], 0.5)).toBeNaN();
  });
});

describe('median', () => {
  it('is the middle, or between the two in the middle', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(median([])).toBeNaN();
  });
});

describe('summarize', () => {
  it('sorts by number and leaves its samples as they were', () => {
    const samples = [10, 9, 100, 1];
    expect(summarize(samples)).toEqual({ p50: 9, p95: 100, p99: 100, mean: 30 });
    expect(samples).toEqual([10, 9, 100, 1]);
  });
});

describe('meanOverlap', () => {
  it('counts shared hits whatever their order, of as many as the longer list has', () => {
    expect(meanOverlap([[1, 2, 3, 4]], [[4, 3, 9, 8]], 4)).toBe(0.5);
    expect(meanOverlap([[1]], [[1, 2]], 10)).toBe(0.5);
  });

  it('leaves out queries that no list has hits for, and counts those that one has', () => {
    expect(meanOverlap([[], [1], [2]], [[], [1], []], 10)).toBe(0.5);
    expect(meanOverlap([[]], [[]], 10)).toBeNaN();
  });

  it('looks at the first k only', () => {
    expect(meanOverlap([[1, 2]], [[1, 3]], 1)).toBe(1);
  });
});
