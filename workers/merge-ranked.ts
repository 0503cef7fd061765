import { compareNames, compareTexts, type DocumentName, type RankedChunk } from '../shards/index.ts';

/** Order of hits of different shards that have the same score. */
export type NameOrder<Hit> = (a: Hit, b: Hit) => number;

/**
 * Merges ranked lists into the k best: by score, and where scores are equal as `compareNames` says. Lists are in that
 * order already, so names are only asked for across lists, which is rarely.
 */
export function mergeRanked<Hit extends RankedChunk>(
  lists: readonly (readonly Hit[])[],
  k: number,
  compareNames: NameOrder<Hit>,
): Hit[] {
  const filled = lists.filter((hits) => hits.length > 0);
  if (filled.length <= 1) return (filled[0] ?? []).slice(0, k);
  const heads = filled.map(() => 0);
  const merged: Hit[] = [];
  while (merged.length < k) {
    // The score first: names are known, or worth reading, only for hits that come next.
    let score = Number.NEGATIVE_INFINITY;
    for (const [list, hits] of filled.entries()) score = Math.max(score, hits[heads[list]!]?.score ?? score);
    let best: Hit | undefined;
    let from = -1;
    for (const [list, hits] of filled.entries()) {
      const hit = hits[heads[list]!];
      if (hit === undefined || hit.score !== score) continue;
      if (best !== undefined && compareNames(hit, best) > 0) continue;
      best = hit;
      from = list;
    }
    if (best === undefined) break;
    merged.push(best);
    heads[from]!++;
  }
  return merged;
}

/** Orders hits by uri, collection, and ordinal. Names are compared by UTF-16 code units. */
export function byName<Hit extends RankedChunk & { readonly shard: string }>(
  nameOf: (hit: Hit) => DocumentName,
): NameOrder<Hit> {
  return (a, b) => compareNames(nameOf(a), nameOf(b)) || a.ordinal - b.ordinal || compareTexts(a.shard, b.shard);
}
