/** What a list is at most long: hits that an answer may have. */
const deepest = 10_000;

/**
 * How deep the lists go that are joined. A hit beyond that in both has at most 2 / (61 + depth), which for ten times the limit is less
 * than the 1 / (60 + limit) that the first hits of one list have in any case: it cannot be among those that are wanted.
 */
export function depthOf(limit: number): number {
  return Math.min(deepest, Math.max(100, 10 * limit));
}
