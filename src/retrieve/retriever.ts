import type { ShardFailure } from '../../workers/protocol.ts';
import type { QueryPlan } from '../search/match-policy.ts';
import type { FilledSearchOptions } from '../search/options.ts';
import type { RankedGroup } from '../search/ranked-group.ts';

/** How hits are found: by the words of the query, by the likeness of vectors, or by both. */
export type RetrieverName = 'lexical' | 'vector' | 'hybrid';

/** Queries in, ranked hits out. Each way of finding hits is one of these. */
export interface Retriever {
  /**
   * Ranks planned queries over the whole corpus: for each at most `limit` hits, best first, each chunk (or document) once,
   * only what filters, phrases, prefixes and exclusions allow; hits with equal scores by uri, collection and ordinal. The same corpus
   * and query give the same hits, however it is cut into shards and however many threads search. A shard that fails gives
   * none; one that is late gives none of the kind it was late with.
   * @param known shards that failed before, not to be asked again.
   * @param deadline milliseconds since the epoch, or null for none. @default what `timeoutMs` says from now
   * @throws the signal's reason when aborted.
   */
  rank(
    plans: readonly QueryPlan[],
    options: FilledSearchOptions,
    known?: readonly ShardFailure[],
    deadline?: number | null,
  ): Promise<RankedGroup>;
}
