import {
  type ChunkId,
  CorruptError,
  compareRanked,
  encodeError,
  excerptOf,
  explainReadError,
  matchShard,
  type RankedChunk,
  type ShardQuery,
  type ShardReader,
  ShelfmarkError,
} from '../shards/index.ts';
import type {
  Answer,
  FetchAnswer,
  FetchedHit,
  FetchItem,
  FetchTask,
  RankAnswer,
  RankedHit,
  RankTask,
  ShardFailure,
} from './protocol.ts';
import type { ShardCache } from './shard-cache.ts';

/** Ranks all queries of a task, shard by shard: a shard's pages are then hot for every query. */
export function rankShards(task: RankTask, shards: ShardCache): RankAnswer {
  const hits: RankedHit[][] = task.queries.map(() => []);
  const failed: ShardFailure[] = [];
  const timedOut: string[] = [];
  for (const target of task.shards) {
    try {
      const reader = shards.get(target);
      const found = task.queries.map((query) => rankInShard(task, reader, query));
      for (const [query, ranked] of found.entries()) {
        hits[query]?.push(...ranked.map((hit) => ({ ...hit, shard: target.id })));
      }
    } catch (error) {
      if (error instanceof Stopped) {
        timedOut.push(target.id);
        continue;
      }
      shards.drop(target);
      failed.push({ shard: target.id, error: encodeError(explainReadError(target.file, error)) });
    }
  }
  const best = hits.map((list) => list.sort(compareRanked).slice(0, task.k));
  return { hits: best, failed, timedOut };
}

/** Thrown inside the row loop when time is up or the caller has lost interest. */
class Stopped extends Error {}

function rankInShard(task: RankTask, reader: ShardReader, query: ShardQuery): RankedChunk[] {
  const check = (): void => {
    if (task.stop !== null && Atomics.load(task.stop, 0) !== 0) throw new Stopped();
    if (task.deadline !== null && Date.now() > task.deadline) throw new Stopped();
  };
  check();
  return matchShard(reader, query, { k: task.k, by: task.by, filter: task.filter, check });
}

/** Fetches text, snippet and place of each winner; a damaged one fails alone. */
export function fetchHits(task: FetchTask, shards: ShardCache): FetchAnswer {
  return task.items.map((item): Answer<FetchedHit> => {
    try {
      return { ok: true, value: fetchHit(task, item, shards) };
    } catch (error) {
      return { ok: false, error: encodeError(explainReadError(item.shard.file, error)) };
    }
  });
}

function fetchHit(task: FetchTask, item: FetchItem, shards: ShardCache): FetchedHit {
  const reader = shards.get(item.shard);
  const id = item.chunk as ChunkId;
  const chunk = reader.chunk(id);
  const document = reader.documentOfChunk(id);
  if (chunk.document !== document.id) {
    throw new CorruptError(
      item.shard.file,
      'document',
      `chunk ${id} says document ${chunk.document}, not ${document.id}`,
    );
  }
  const tokens = task.queries[item.query];
  if (tokens === undefined) throw new ShelfmarkError('SHELFMARK_INTERNAL', `No query ${item.query} in the task.`);
  const passage = { title: document.title, heading: chunk.heading, body: chunk.body };
  const { snippet, matched } = excerptOf(reader.analyzer(), passage, tokens, task.snippetLength);
  return {
    document,
    heading: chunk.heading,
    ordinal: id - document.id + 1,
    snippet,
    matched,
    text: task.text ? chunk.lead + chunk.body : null,
  };
}
