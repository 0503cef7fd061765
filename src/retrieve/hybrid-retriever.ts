import { byName } from '../../workers/merge-ranked.ts';
import type { RankedHit, ShardFailure } from '../../workers/protocol.ts';
import { coverageOf } from '../search/coverage.ts';
import type { RetrieverRanks } from '../search/hits.ts';
import { deadlineOf } from '../search/limits.ts';
import type { QueryPlan } from '../search/match-policy.ts';
import type { FilledSearchOptions } from '../search/options.ts';
import { keyOf, type RankedGroup, type RungHit } from '../search/ranked-group.ts';
import { depthOf } from './list-depth.ts';
import type { Retriever } from './retriever.ts';

/** The constant of reciprocal rank fusion. */
const fusionConstant = 60;

/**
 * Joins the lists of two retrievers by reciprocal rank fusion: a hit's score is the sum over the lists of 1 / (60 + its rank
 * there) (Cormack, Clarke and Büttcher, SIGIR 2009). Of a document the passage is shown that ranks better in its list.
 */
export class HybridRetriever implements Retriever {
  readonly #lexical: Retriever;
  readonly #vector: Retriever;

  constructor(lexical: Retriever, vector: Retriever) {
    this.#lexical = lexical;
    this.#vector = vector;
  }

  async rank(
    plans: readonly QueryPlan[],
    options: FilledSearchOptions,
    known: readonly ShardFailure[] = [],
    deadline: number | null = deadlineOf(options),
  ): Promise<RankedGroup> {
    // Both lists rest on the same shards, so one whose index is damaged is in neither.
    const wide = { ...options, limit: depthOf(options.limit), scanDamaged: false };
    let failed = known;
    for (;;) {
      const [lexical, vector] = await Promise.all([
        this.#lexical.rank(plans, wide, failed, deadline),
        this.#vector.rank(plans, wide, failed, deadline),
      ]);
      const failures = new Map([...lexical.failures, ...vector.failures]);
      // A shard counts as failed as a whole: in neither list may it have hits, or have kept out others.
      if (failures.size === lexical.failures.size && failures.size === vector.failures.size) {
        return join(lexical, vector, options);
      }
      failed = [...failures.values()];
    }
  }
}

function join(lexical: RankedGroup, vector: RankedGroup, options: FilledSearchOptions): RankedGroup {
  const timedOut = new Set([...lexical.timedOut, ...vector.timedOut]);
  const { withoutVectors = [], shards } = vector.coverage;
  return {
    ...lexical,
    answers: lexical.answers.map((answer, query) => {
      const byVector = vector.answers[query]!;
      const hits = fuse(answer.hits, byVector.hits, options);
      return { ...answer, rung: answer.hits.length > 0 ? answer.rung : byVector.rung, hits };
    }),
    timedOut,
    coverage: { ...coverageOf(shards, lexical.failures, timedOut), withoutVectors },
    ...(vector.retrieval === undefined ? {} : { retrieval: { ...vector.retrieval, retriever: 'hybrid' } }),
  };
}

/** A hit of either list and its places. */
interface Entry {
  hit: RungHit;
  lexical: number | null;
  vector: number | null;
}

const compareHits = byName((hit: RankedHit) => hit);

/** The best of two lists, each of which has a chunk (by document: a document) once. */
function fuse(
  lexical: readonly RungHit[],
  vector: readonly RungHit[],
  { by, limit }: Pick<FilledSearchOptions, 'by' | 'limit'>,
): RungHit[] {
  const entries = new Map<string, Entry>();
  for (const [index, hit] of lexical.entries()) entries.set(keyOf(hit, by), { hit, lexical: index + 1, vector: null });
  for (const [index, hit] of vector.entries()) {
    const rank = index + 1;
    const known = entries.get(keyOf(hit, by));
    if (known === undefined) entries.set(keyOf(hit, by), { hit, lexical: null, vector: rank });
    else {
      known.vector = rank;
      if (rank < known.lexical!) known.hit = hit;
    }
  }
  return [...entries.values()]
    .map(({ hit, ...ranks }): RungHit => ({ ...hit, score: scoreOf(ranks), retrievers: ranks }))
    .sort((a, b) => b.score - a.score || compareHits(a, b))
    .slice(0, limit);
}

function scoreOf({ lexical, vector }: RetrieverRanks): number {
  const share = (rank: number | null): number => (rank === null ? 0 : 1 / (fusionConstant + rank));
  return share(lexical) + share(vector);
}
