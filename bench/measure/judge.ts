import type { Measurement } from './results.ts';

/** How one number changed between two runs. */
export interface Change {
  readonly before: Measurement;
  readonly after: Measurement;
  /** above 1 = worse: slower, larger, or fewer per second */
  readonly ratio: number;
  /** the repetitions of one run do not reach those of the other; see {@link unrepeatedNoise} for what was measured once */
  readonly isBeyondNoise: boolean;
}

/** What became of the numbers of two runs. */
export interface Judgement {
  /** beyond noise, worst first */
  readonly worse: readonly Change[];
  /** beyond noise, best first */
  readonly better: readonly Change[];
  /** numbers in both runs that did not move beyond noise */
  readonly unchanged: number;
  /** worse by more than the tolerance */
  readonly failed: readonly Change[];
  /** numbers that only one run has */
  readonly unmatched: number;
}

/** A number that a run has only once says nothing about its noise; this factor is then taken for it. */
const unrepeatedNoise = 1.1;

/** Judges the numbers that two runs share. @param tolerance ratio up to which worse is let pass, for example 1.25. */
export function judge(before: readonly Measurement[], after: readonly Measurement[], tolerance: number): Judgement {
  const known = new Map(before.map((measurement) => [keyOf(measurement), measurement]));
  const changes = after.flatMap((measurement) => {
    const other = known.get(keyOf(measurement));
    return other === undefined ? [] : [changeOf(other, measurement)];
  });
  const moved = changes.filter(({ isBeyondNoise }) => isBeyondNoise).sort((a, b) => b.ratio - a.ratio);
  const worse = moved.filter(({ ratio }) => ratio > 1);
  return {
    worse,
    better: moved.filter(({ ratio }) => ratio < 1).reverse(),
    unchanged: changes.length - moved.length,
    failed: worse.filter(({ ratio }) => ratio > tolerance),
    unmatched: before.length + after.length - 2 * changes.length,
  };
}

function keyOf({ input, case: name, engine, measure }: Measurement): string {
  return JSON.stringify([input, name, engine, measure]);
}

function changeOf(before: Measurement, after: Measurement): Change {
  const isSame = after.value === before.value;
  const ratio = isSame ? 1 : after.better === 'lower' ? after.value / before.value : before.value / after.value;
  const isRepeated = before.repetitions.length > 1 && after.repetitions.length > 1;
  const isApart =
    Math.min(...after.repetitions) > Math.max(...before.repetitions) ||
    Math.max(...after.repetitions) < Math.min(...before.repetitions);
  const isLarge = ratio > unrepeatedNoise || ratio < 1 / unrepeatedNoise;
  return { before, after, ratio, isBeyondNoise: isRepeated ? isApart : isLarge };
}
