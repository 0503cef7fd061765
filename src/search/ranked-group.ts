import type { Scoring, TermTable } from '../../shards/index.ts';
import type { RankedHit, ShardFailure } from '../../workers/protocol.ts';
import type { Coverage, Retrieval, RetrieverRanks, RungExplanation } from './hits.ts';
import type { QueryPlan, Rung } from './match-policy.ts';

/** A ranked hit and the step that found it. */
export interface RungHit extends RankedHit {
  readonly rung: Rung;
  /** where it stood in the lists that were joined */
  readonly retrievers?: RetrieverRanks;
}

/** What a hit is of which a list has one: its chunk, or its document. */
export function keyOf({ shard, chunk, document }: RankedHit, by: 'chunk' | 'document'): string {
  return `${shard}/${by === 'chunk' ? chunk : document}`;
}

/** A query ranked over the whole corpus; the text of its hits is not fetched yet. */
export interface RankedAnswer {
  readonly plan: QueryPlan;
  /** the first step that gave a hit; with no hits, the last */
  readonly rung: Rung;
  readonly hits: readonly RungHit[];
  readonly steps: readonly RungExplanation[];
}

/** Many queries ranked together. */
export interface RankedGroup {
  readonly answers: readonly RankedAnswer[];
  readonly coverage: Coverage;
  readonly failures: ReadonlyMap<string, ShardFailure>;
  readonly timedOut: ReadonlySet<string>;
  /** only when hits were to be found by more than words */
  readonly retrieval?: Retrieval;
  readonly scoring: Scoring;
  /** the terms of the queries */
  readonly table: TermTable;
  readonly countMs: number;
}
