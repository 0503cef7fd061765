import type { Counters } from '../catalog.ts';

export const emptyCounters: Counters = { indexed: 0, unchanged: 0, empty: 0, duplicate: 0, skipped: 0, repaired: 0 };

/** Sum of two sets of counters. */
export function addCounters(a: Counters, b: Counters): Counters {
  return {
    indexed: a.indexed + b.indexed,
    unchanged: a.unchanged + b.unchanged,
    empty: a.empty + b.empty,
    duplicate: a.duplicate + b.duplicate,
    skipped: a.skipped + b.skipped,
    repaired: a.repaired + b.repaired,
  };
}

/** Records seen; every one of them is counted exactly once. */
export function seen(counters: Counters): number {
  return counters.indexed + counters.unchanged + counters.empty + counters.duplicate + counters.skipped;
}
