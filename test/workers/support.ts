import {
  COLUMN_UNITS,
  DEFAULT_SCORING,
  NO_FILTER,
  newFloors,
  prepareQuery,
  type Scoring,
  type SealedShard,
  type ShardQuery,
  termsOf,
} from '../../shards/index.ts';
import type {
  FetchTask,
  Limits,
  OpenTask,
  RankAnswer,
  RankedHit,
  RankOptions,
  RankTask,
  ShardTarget,
  VerifyTask,
} from '../../workers/protocol.ts';
import { packQueries, unpackHits } from '../../workers/rank-message.ts';
import { answerRank, countTerms } from '../../workers/search-shards.ts';
import { ShardCache } from '../../workers/shard-cache.ts';

/** A shard as the catalog would name it. */
export function targetOf(sealed: SealedShard, dead: readonly number[] = []): ShardTarget {
  const { documents, chunks, terms } = sealed.meta;
  return { id: sealed.id, file: sealed.file, documents, chunks, tokens: terms, dead };
}

/** The shards of a thread. */
export function cacheOf(
  shards: readonly ShardTarget[],
  changes: Partial<Omit<OpenTask, 'op' | 'shards'>> = {},
): ShardCache {
  return new ShardCache({ shards, maxOpen: 8, postingsBytes: 2 ** 20, ...changes });
}

/** No shard left out, no limit. */
export const unlimited: Limits = { excluded: [], deadline: null, stop: null };

/** Scoring when some shards are the corpus. */
export function scoringOver(shards: readonly ShardTarget[]): Scoring {
  const sum = (pick: (shard: ShardTarget) => number): number => shards.reduce((total, shard) => total + pick(shard), 0);
  const chunks = sum((shard) => shard.chunks);
  return { ...DEFAULT_SCORING, columnUnits: COLUMN_UNITS, chunks, tokens: sum(({ tokens }) => tokens) };
}

/** Chunks with each term of some queries when some shards are the corpus. */
export function frequenciesOver(
  shards: readonly ShardTarget[],
  queries: readonly ShardQuery[],
): ReadonlyMap<string, number> {
  const terms = [...new Set(queries.flatMap(termsOf))];
  const cache = cacheOf(shards);
  const { frequencies } = countTerms({ op: 'count', terms, columnUnits: COLUMN_UNITS, ...unlimited }, cache);
  cache.close();
  return new Map(terms.map((term, index) => [term, frequencies[index]!]));
}

/** What a test asks to be ranked: queries as they are before they are made numbers of, and what they have in common. */
export interface RankRequest extends Omit<RankOptions, 'floors'> {
  readonly queries: readonly ShardQuery[];
  readonly frequencies: ReadonlyMap<string, number>;
}

/** What a thread answers, its hits unpacked. */
export interface UnpackedAnswer extends Omit<RankAnswer, 'hits'> {
  readonly hits: readonly (readonly RankedHit[])[];
}

/** Queries, ranked as if some shards were the corpus. */
export function rankTask(
  corpus: readonly ShardTarget[],
  queries: readonly ShardQuery[],
  changes: Partial<RankRequest> = {},
): RankRequest {
  return {
    queries,
    k: 10,
    by: 'chunk',
    filter: NO_FILTER,
    words: null,
    scoring: scoringOver(corpus),
    frequencies: frequenciesOver(corpus, queries),
    countWork: true,
    ...unlimited,
    ...changes,
  };
}

/** Ranks in some threads, one after the other. They share what they find, but nothing is left of it for the next time. */
export function rankIn(threads: readonly ShardCache[], request: RankRequest): UnpackedAnswer[] {
  const floors = newFloors(request.queries.length);
  return threads.map((thread) => rankBeside(floors, thread, request));
}

/** Ranks in one thread, with what others have found. */
export function rankBeside(
  floors: RankOptions['floors'],
  thread: ShardCache,
  { queries, frequencies, ...options }: RankRequest,
): UnpackedAnswer {
  const task: RankTask = { op: 'rank', ...packedOf(queries, frequencies), floors, ...options };
  const answer = answerRank(task, thread);
  return { ...answer, hits: unpackHits(answer.hits) };
}

/** Queries as they travel. */
export function packedOf(
  queries: readonly ShardQuery[],
  frequencies: ReadonlyMap<string, number>,
): Pick<RankTask, 'terms' | 'frequencies' | 'queries'> {
  const terms = [...new Set(queries.flatMap(termsOf))];
  const numberOf = new Map(terms.map((term, number) => [term, number]));
  const counts = Float64Array.from(terms, (term) => frequencies.get(term) ?? 0);
  return {
    terms: terms.join(' '),
    frequencies: counts,
    queries: packQueries(queries.map((query) => prepareQuery(query, numberOf, counts))),
  };
}

/** Ranks in one thread. */
export function rankAlone(request: RankRequest, thread: ShardCache): UnpackedAnswer {
  return rankIn([thread], request)[0]!;
}

export function fetchTask(
  shard: ShardTarget,
  chunks: readonly number[],
  query: ShardQuery,
  changes: Partial<FetchTask> = {},
): FetchTask {
  return {
    op: 'fetch',
    items: chunks.map((chunk) => ({ shard: shard.id, chunk, score: 0, query: 0 })),
    queries: [{ tokens: query.tokens, literal: null, terms: termsOf(query) }],
    snippetLength: 80,
    text: false,
    explain: null,
    stop: null,
    ...changes,
  };
}

export function verifyTask(sealed: SealedShard, changes: Partial<VerifyTask> = {}): VerifyTask {
  const { id, file, sha256, bytes, meta } = sealed;
  const { documents, chunks } = meta;
  return { op: 'verify', shard: id, file, sha256, bytes, documents, chunks, depth: 'sample', vectors: [], ...changes };
}
