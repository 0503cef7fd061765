import { formatShelfmark, type ShardId, ShelfmarkError } from '../../shards/index.ts';
import type { RankedHit } from '../../workers/protocol.ts';
import { depthOf } from '../retrieve/list-depth.ts';
import type { Retriever } from '../retrieve/retriever.ts';
import type { Coverage, Retrieval, SearchAnswer } from '../search/hits.ts';
import type { QueryPlan, RungName } from '../search/match-policy.ts';
import type { FilledSearchOptions } from '../search/options.ts';
import type { Searcher } from '../search/searcher.ts';

/** A query of a batch. */
export interface BatchQuery {
  readonly id: string;
  readonly text: string;
}

/** An answered query of a batch. A query without searchable words has no tokens and no hits. */
export interface BatchRow extends SearchAnswer {
  readonly id: string;
}

/** A ranked query of a batch, without text. */
export interface RankedRow {
  readonly id: string;
  readonly rung: RungName | null;
  readonly hits: readonly {
    readonly rank: number;
    readonly score: number;
    readonly uri: string;
    readonly ordinal: number;
    readonly shelfmark: string;
  }[];
  readonly coverage: Coverage;
  /** as in an answer */
  readonly retrieval?: Retrieval;
}

/** Queries per message, at most: enough to make messages cheap, few enough for steady progress. */
const maxGroupQueries = 128;

/** Hits of a group, at most: what is under way must fit into memory. */
const maxGroupHits = 65_536;

/** Groups under way: while one is merged here, the threads work on the next. */
const groupsInFlight = 3;

/** Answers queries in their order with full hits. @param openRetriever asked for each group; always the same one */
export function answerBatch(
  searcher: Searcher,
  queries: AsyncIterable<BatchQuery> | Iterable<BatchQuery>,
  options: FilledSearchOptions,
  openRetriever: () => Promise<Retriever>,
): AsyncGenerator<BatchRow> {
  return inGroups(queries, hitsPerQuery(options), async (group) => {
    const planned = plan(searcher, group, options);
    const retriever = await openRetriever();
    const answers = await searcher.answer(withPlan(planned), options, retriever);
    let next = 0;
    const { coverage, retrieval } = answers[0] ?? (await retriever.rank([], options));
    const how = retrieval === undefined ? {} : { retrieval };
    return planned.map(({ query, plan }): BatchRow => {
      if (plan !== null) return { id: query.id, ...answers[next++]! };
      const rung = lastRung(options.match);
      return {
        id: query.id,
        query: query.text,
        match: options.match,
        rung,
        tokens: [],
        searched: [],
        droppedTokens: 0,
        hits: [],
        coverage,
        ...how,
        tookMs: 0,
      };
    });
  });
}

/** Ranks queries in their order; no text is read. */
export function rankBatch(
  searcher: Searcher,
  queries: AsyncIterable<BatchQuery> | Iterable<BatchQuery>,
  options: FilledSearchOptions,
  openRetriever: () => Promise<Retriever>,
): AsyncGenerator<RankedRow> {
  return inGroups(queries, hitsPerQuery(options), async (group) => {
    const planned = plan(searcher, group, options);
    const { answers, coverage, retrieval } = await (await openRetriever()).rank(withPlan(planned), options);
    const how = retrieval === undefined ? {} : { retrieval };
    let next = 0;
    return planned.map(({ query, plan }): RankedRow => {
      if (plan === null) return { id: query.id, rung: null, hits: [], coverage, ...how };
      const { rung, hits } = answers[next++]!;
      return { id: query.id, rung: rung.name, hits: hits.map(toRankedRowHit), coverage, ...how };
    });
  });
}

function toRankedRowHit(hit: RankedHit, index: number): RankedRow['hits'][number] {
  const { score, uri, ordinal, document } = hit;
  const shelfmark = formatShelfmark({ shard: hit.shard as ShardId, document, ordinal });
  return { rank: index + 1, score, uri, ordinal, shelfmark };
}

function lastRung(match: FilledSearchOptions['match']): RungName {
  return match === 'strict' ? 'top5' : match;
}

interface PlannedQuery {
  readonly query: BatchQuery;
  /** null when the query has no searchable words */
  readonly plan: QueryPlan | null;
}

function plan(searcher: Searcher, group: readonly BatchQuery[], options: FilledSearchOptions): PlannedQuery[] {
  return group.map((query) => {
    try {
      return { query, plan: searcher.plan(query.text, options) };
    } catch (error) {
      if (error instanceof ShelfmarkError && error.code === 'SHELFMARK_NO_WORDS') return { query, plan: null };
      throw error;
    }
  });
}

function withPlan(planned: readonly PlannedQuery[]): QueryPlan[] {
  return planned.flatMap(({ plan }) => (plan === null ? [] : [plan]));
}

/** Hits of a query that are in memory at once: in the lists that are joined, or as passages beside those wanted. */
function hitsPerQuery({ limit, retriever, evidence }: FilledSearchOptions): number {
  const ranked = retriever === 'hybrid' ? 2 * depthOf(limit) : limit;
  return Math.max(ranked, limit * evidence);
}

/** Runs groups a few at a time and yields their rows in order. */
async function* inGroups<Row>(
  queries: AsyncIterable<BatchQuery> | Iterable<BatchQuery>,
  hitsEach: number,
  run: (group: readonly BatchQuery[]) => Promise<readonly Row[]>,
): AsyncGenerator<Row> {
  const running: Promise<readonly Row[]>[] = [];
  const size = Math.max(1, Math.min(maxGroupQueries, Math.floor(maxGroupHits / hitsEach)));
  for await (const group of groupsOf(queries, size)) {
    const rows = run(group);
    // A failure is seen when its turn comes; until then it must not count as unhandled.
    rows.catch(() => {});
    running.push(rows);
    if (running.length >= groupsInFlight) yield* await running.shift()!;
  }
  for (const rows of running) yield* await rows;
}

async function* groupsOf(
  queries: AsyncIterable<BatchQuery> | Iterable<BatchQuery>,
  size: number,
): AsyncGenerator<BatchQuery[]> {
  let group: BatchQuery[] = [];
  for await (const query of queries) {
    group.push(query);
    if (group.length === size) {
      yield group;
      group = [];
    }
  }
  if (group.length > 0) yield group;
}
