import {
  analyzerFor,
  type ChunkId,
  CorruptError,
  type DocumentName,
  encodeError,
  excerptAround,
  excerptOf,
  explainChunk,
  explainReadError,
  literalSpans,
  noWork,
  type PreparedQuery,
  type RankedChunk,
  rankPassages,
  rankShard,
  type ShardReader,
  SharedFloor,
  ShelfmarkError,
  type TermTable,
  type Work,
  weighTerms,
} from '../shards/index.ts';
import { byName, mergeRanked, type NameOrder } from './merge-ranked.ts';
import type {
  Answer,
  CountAnswer,
  CountTask,
  EvidenceAnswer,
  EvidenceTask,
  FetchAnswer,
  FetchedHit,
  FetchItem,
  FetchTask,
  Limits,
  RankAnswer,
  RankedHit,
  RankOptions,
  RankTask,
  ShardFailure,
  ShardTarget,
  Shortfall,
} from './protocol.ts';
import { packHits, unpackGroup } from './rank-message.ts';
import type { ShardCache } from './shard-cache.ts';

/** Counts terms; what is looked up stays in the cache, so ranking need not look it up again. */
export function countTerms(task: CountTask, shards: ShardCache): CountAnswer {
  const frequencies = new Float64Array(task.terms.length);
  const work = noWork();
  const check = checkOf(task);
  const shortfall = forEachShard(task, shards, check, (reader) => {
    const found = task.terms.map((term) => {
      check();
      return reader.index.postings(term, task.columnUnits, work)?.df ?? 0;
    });
    for (const [index, count] of found.entries()) frequencies[index]! += count;
  });
  return { frequencies, ...shortfall };
}

/** Ranks the queries of a task and names the hits. */
export function answerRank(task: RankTask, shards: ShardCache): RankAnswer {
  const startedAt = performance.now();
  const { queries, table } = unpackGroup(task);
  const { hits, ...rest } = rankShards(queries, table, task, shards);
  const { named, unnamed } = nameHits(hits, task.floors, shards);
  return { ...rest, hits: packHits(named), unnamed, ms: performance.now() - startedAt };
}

/** A ranked chunk and the shard it stands in. */
export interface ShardHit extends RankedChunk {
  readonly shard: string;
}

/** What ranking gives; `hits[i]` and, if it was counted, `work[i]` belong to query i. */
export interface RankedShards extends Shortfall {
  readonly hits: readonly (readonly ShardHit[])[];
  readonly work: readonly Work[];
}

/** Ranks queries, shard by shard: a shard's postings are then at hand for every query. */
export function rankShards(
  queries: readonly PreparedQuery[],
  table: TermTable,
  options: RankOptions,
  shards: ShardCache,
): RankedShards {
  const { k, by, filter, words, scoring, countWork } = options;
  const hits: ShardHit[][] = queries.map(() => []);
  const uncounted = noWork();
  const work = countWork ? queries.map(noWork) : [];
  const check = checkOf(options);
  const compareNames = nameOrder(shards);
  const weighted = weighTerms(table, scoring);
  const floors = queries.map((_, index) => new SharedFloor(options.floors, index));
  const shortfall = forEachShard(options, shards, check, (reader) => {
    const found = queries.map((query, index) => {
      check();
      const counter = work[index] ?? uncounted;
      return rankShard(reader, query, weighted, {
        k,
        by,
        filter,
        words,
        documents: null,
        scoring,
        floor: floors[index]!,
        work: counter,
        check,
      });
    });
    // Only now: of a shard that fails for one of the queries, nothing counts.
    for (const [index, ranked] of found.entries()) {
      if (ranked.length === 0) continue;
      const ofShard = ranked.map((hit) => inShard(hit, reader.meta.id));
      hits[index] = hits[index]!.length === 0 ? ofShard : mergeRanked([hits[index]!, ofShard], k, compareNames);
      floors[index]!.raise(hits[index]![k - 1]?.score ?? 0);
    }
  });
  return { hits, work, ...shortfall };
}

export function inShard({ score, chunk, document, ordinal }: RankedChunk, shard: string): ShardHit {
  return { score, chunk, document, ordinal, shard };
}

/** Finds the best passages of winning documents; a shard that fails, fails alone. */
export function rankEvidence(task: EvidenceTask, shards: ShardCache): EvidenceAnswer {
  const { count, filter, words, scoring } = task;
  const { queries, table } = unpackGroup(task);
  const weighted = weighTerms(table, scoring);
  const check = checkOf({ stop: task.stop, deadline: null });
  return task.items.map(({ shard, documents, query }) =>
    answerOf(shards.target(shard), () => {
      const options = { filter, words, scoring, work: noWork(), check };
      return rankPassages(shards.get(shard), queries[query]!, weighted, documents, count, options);
    }),
  );
}

/** Order of hits with the same score; a name is read when it is first needed. */
export function nameOrder(shards: ShardCache): NameOrder<ShardHit> {
  return byName((hit) => nameForOrder(hit, shards));
}

/** A damaged name comes first, so that its hit is among those that are named, and the damage is reported. */
function nameForOrder(hit: ShardHit, shards: ShardCache): DocumentName {
  try {
    return shards.documentName(hit.shard, hit.document);
  } catch {
    return { uri: '', collection: '' };
  }
}

/**
 * Reads the names of hits, but for those that other threads have outdone meanwhile. A shard with a name that cannot be read
 * has no hits any more.
 */
export function nameHits(
  hits: RankedShards['hits'],
  floors: RankOptions['floors'] | null,
  shards: ShardCache,
): { readonly named: readonly (readonly RankedHit[])[]; readonly unnamed: readonly ShardFailure[] } {
  const unnamed = new Map<string, ShardFailure>();
  const named = hits.map((list, query) => {
    const least = floors === null ? Number.NEGATIVE_INFINITY : new SharedFloor(floors, query).value;
    return list.flatMap((hit): RankedHit[] => {
      if (hit.score < least || unnamed.has(hit.shard)) return [];
      try {
        const { score, chunk, document, ordinal, shard } = hit;
        const { uri, collection } = shards.documentName(shard, document);
        return [{ score, chunk, document, ordinal, shard, uri, collection }];
      } catch (error) {
        const { id, file } = shards.target(hit.shard);
        unnamed.set(id, { shard: id, error: encodeError(explainReadError(file, error)) });
        return [];
      }
    });
  });
  return { named, unnamed: [...unnamed.values()] };
}

/** Does something with every shard; one that fails or for which time is up is left out. */
export function forEachShard(
  { excluded }: Limits,
  shards: ShardCache,
  check: () => void,
  visit: (reader: ShardReader) => void,
): Shortfall {
  const failed: ShardFailure[] = [];
  const timedOut: string[] = [];
  for (const target of shards.targets(excluded)) {
    try {
      // Before opening it: when time is up, the rest is passed over at once.
      check();
      visit(shards.get(target.id));
    } catch (error) {
      if (error instanceof Stopped) {
        timedOut.push(target.id);
        continue;
      }
      shards.drop(target.id);
      failed.push({ shard: target.id, error: encodeError(explainReadError(target.file, error)) });
    }
  }
  return { failed, timedOut };
}

/** Thrown in the middle of work when time is up or the caller has lost interest. */
class Stopped extends Error {}

/** A function that throws when time is up or the caller has lost interest; {@link forEachShard} knows what it throws. */
export function checkOf({ stop, deadline }: Pick<Limits, 'stop' | 'deadline'>): () => void {
  return () => {
    if (stop !== null && Atomics.load(stop, 0) !== 0) throw new Stopped();
    if (deadline !== null && Date.now() > deadline) throw new Stopped();
  };
}

/** Fetches text, snippet and place of each winner; a damaged one fails alone. */
export function fetchHits(task: FetchTask, shards: ShardCache): FetchAnswer {
  const check = checkOf({ stop: task.stop, deadline: null });
  return task.items.map((item) =>
    answerOf(shards.target(item.shard), () => {
      check();
      return fetchHit(task, item, shards);
    }),
  );
}

function answerOf<Value>(shard: ShardTarget, read: () => Value): Answer<Value> {
  try {
    return { ok: true, value: read() };
  } catch (error) {
    return { ok: false, error: encodeError(explainReadError(shard.file, error)) };
  }
}

function fetchHit(task: FetchTask, item: FetchItem, shards: ShardCache): FetchedHit {
  const reader = shards.get(item.shard);
  const id = item.chunk as ChunkId;
  const chunk = reader.chunk(id);
  const document = reader.documentOfChunk(id);
  if (chunk.document !== document.id) {
    throw new CorruptError(reader.file, 'document', `chunk ${id} says document ${chunk.document}, not ${document.id}`);
  }
  const query = task.queries[item.query];
  if (query === undefined) throw new ShelfmarkError('SHELFMARK_INTERNAL', `No query ${item.query} in the task.`);
  const text = chunk.lead + chunk.body;
  const passage = { title: document.title, heading: chunk.heading, body: chunk.body };
  const { snippet, matched } =
    query.literal === null
      ? excerptOf(analyzerFor(document.analyzer), passage, query.tokens, task.snippetLength)
      : { snippet: excerptAround(text, literalSpans(text, query.literal), task.snippetLength), matched: [true] };
  const { explain } = task;
  const isExplained = explain !== null && query.terms !== null;
  return {
    document,
    heading: chunk.heading,
    ordinal: id - document.id + 1,
    snippet,
    matched,
    text: task.text ? text : null,
    textStart: chunk.textStart,
    explanation: isExplained
      ? explainChunk(reader, id, item.score, query.terms, explain.scoring, explain.frequencies)
      : null,
  };
}
