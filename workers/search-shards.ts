import {
  type ChunkId,
  CorruptError,
  type DocumentId,
  type DocumentName,
  encodeError,
  excerptOf,
  explainChunk,
  explainReadError,
  noWork,
  prepareQuery,
  type RankedChunk,
  rankShard,
  type ShardReader,
  SharedFloor,
  ShelfmarkError,
} from '../shards/index.ts';
import { byName, mergeRanked } from './merge-ranked.ts';
import type {
  Answer,
  CountAnswer,
  CountTask,
  FetchAnswer,
  FetchedHit,
  FetchItem,
  FetchTask,
  Limits,
  LocateAnswer,
  LocateTask,
  RankAnswer,
  RankedHit,
  RankTask,
  ShardFailure,
  ShardTarget,
  Shortfall,
} from './protocol.ts';
import type { ShardCache } from './shard-cache.ts';

/** Counts terms; what is looked up stays in the cache, so ranking need not look it up again. */
export function countTerms(task: CountTask, shards: ShardCache): CountAnswer {
  const frequencies = task.terms.map(() => 0);
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

/** Ranks all queries of a task, shard by shard: a shard's postings are then at hand for every query. */
export function rankShards(task: RankTask, shards: ShardCache): RankAnswer {
  const startedAt = performance.now();
  const { k, by, filter, words, scoring, frequencies } = task;
  const hits: RankedHit[][] = task.queries.map(() => []);
  const work = task.queries.map(noWork);
  const check = checkOf(task);
  const names = new Map<string, DocumentName>();
  const compareNames = byName((hit) => {
    const key = `${hit.shard}/${hit.document}`;
    const name = names.get(key) ?? nameForOrder(hit, shards);
    names.set(key, name);
    return name;
  });
  const queries = task.queries.map((query) => prepareQuery(query, scoring, frequencies));
  const floors = task.queries.map((_, index) => new SharedFloor(task.floors, index));
  const shortfall = forEachShard(task, shards, check, (reader) => {
    const found = queries.map((query, index) => {
      check();
      return rankShard(reader, query, {
        k,
        by,
        filter,
        words,
        scoring,
        floor: floors[index]!,
        work: work[index]!,
        check,
      });
    });
    for (const [index, ranked] of found.entries()) {
      if (ranked.length === 0) continue;
      hits[index] = mergeRanked([hits[index]!, ranked.map((hit) => inShard(hit, reader.meta.id))], k, compareNames);
      floors[index]!.raise(hits[index]![k - 1]?.score ?? 0);
    }
  });
  return { hits, work, ...shortfall, ms: performance.now() - startedAt };
}

function inShard({ score, chunk, document, ordinal }: RankedChunk, shard: string): RankedHit {
  return { score, chunk, document, ordinal, shard };
}

/** Reads names of documents; a damaged one fails alone. */
export function locateDocuments(task: LocateTask, shards: ShardCache): LocateAnswer {
  return task.items.map(({ shard, document }) =>
    answerOf(shards.target(shard), () => nameOf(shards.get(shard), document as DocumentId)),
  );
}

function nameOf(reader: ShardReader, id: DocumentId): DocumentName {
  const name = reader.documentName(id);
  if (name === undefined) throw new CorruptError(reader.file, 'document', `there is no document ${id}`);
  return name;
}

/** A damaged name comes first, so that its hit is among those whose text or name is read, and the damage is reported. */
function nameForOrder({ shard, document }: RankedHit, shards: ShardCache): DocumentName {
  try {
    return nameOf(shards.get(shard), document);
  } catch {
    return { uri: '', collection: '' };
  }
}

/** Does something with every shard; one that fails or for which time is up is left out. */
function forEachShard(
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

function checkOf({ stop, deadline }: Limits): () => void {
  return () => {
    if (stop !== null && Atomics.load(stop, 0) !== 0) throw new Stopped();
    if (deadline !== null && Date.now() > deadline) throw new Stopped();
  };
}

/** Fetches text, snippet and place of each winner; a damaged one fails alone. */
export function fetchHits(task: FetchTask, shards: ShardCache): FetchAnswer {
  return task.items.map((item) => answerOf(shards.target(item.shard), () => fetchHit(task, item, shards)));
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
  const passage = { title: document.title, heading: chunk.heading, body: chunk.body };
  const { snippet, matched } = excerptOf(reader.analyzer(), passage, query.tokens, task.snippetLength);
  const { explain } = task;
  return {
    document,
    heading: chunk.heading,
    ordinal: id - document.id + 1,
    snippet,
    matched,
    text: task.text ? chunk.lead + chunk.body : null,
    explanation:
      explain === null ? null : explainChunk(reader, id, item.score, query.terms, explain.scoring, explain.frequencies),
  };
}
