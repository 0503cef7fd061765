/** What is said of the times of one class of queries, in milliseconds. */
export interface LatencySummary {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly mean: number;
}

/**
 * The smallest sample that at least `share` of the samples do not exceed (nearest rank).
 * @param sorted ascending; NaN is returned for no samples.
 */
export function percentile(sorted: readonly number[], share: number): number {
  const rank = Math.max(1, Math.ceil(sorted.length * share));
  return sorted[rank - 1] ?? Number.NaN;
}

/** The middle sample, of an even number the mean of the two in the middle; NaN for none. */
export function median(samples: readonly number[]): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length % 2 === 1) return sorted[middle]!;
  return sorted.length === 0 ? Number.NaN : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Percentiles and mean of samples in any order. */
export function summarize(samples: readonly number[]): LatencySummary {
  const sorted = [...samples].sort((a, b) => a - b);
  return {
    p50: percentile(sorted, 0.5),
    p95: percentile(sorted, 0.95),
    p99: percentile(sorted, 0.99),
    mean: sorted.reduce((sum, sample) => sum + sample, 0) / sorted.length,
  };
}

/** Share of the k hits of two lists that both have, mean over queries where either has any; NaN when none has. */
export function meanOverlap(
  left: readonly (readonly number[])[],
  right: readonly (readonly number[])[],
  k: number,
): number {
  let sum = 0;
  let counted = 0;
  for (const [query, list] of left.entries()) {
    const a = list.slice(0, k);
    const b = new Set((right[query] ?? []).slice(0, k));
    const most = Math.max(a.length, b.size);
    if (most === 0) continue;
    sum += a.filter((hit) => b.has(hit)).length / most;
    counted++;
  }
  return sum / counted;
}
