import { filterByWords, LiteralFinder, noWork, type RankedChunk, scanForWords, scanShard } from '../shards/index.ts';
import type { RankedHit, ScanAnswer, ScanTask, ScanWordsTask } from './protocol.ts';
import { checkOf, forEachShard } from './search-shards.ts';
import type { ShardCache } from './shard-cache.ts';

/** Looks for literals in the text of all shards of a thread. */
export function scanShards(task: ScanTask, shards: ShardCache): ScanAnswer {
  const { by, filter, words, scoring, order } = task;
  const check = checkOf(task);
  const finders = task.literals.map((literal) => new LiteralFinder(literal));
  const hits: RankedHit[][] = finders.map(() => []);
  const shortfall = forEachShard(task, shards, check, (reader) => {
    const shard = reader.meta.id;
    const place = order.indexOf(shard);
    const found: RankedChunk[][] = finders.map(() => []);
    const documents = reader.allowedChunks(filter, check);
    const options = { scoring, work: noWork(), check };
    scanShard(reader, finders, {
      by,
      documents,
      filter: words === null ? documents : filterByWords(reader, documents, words, options),
      isEnough: (literal) => hitsUpTo(task, literal, place) >= task.k,
      onHits: (literal, more) => {
        found[literal]!.push(...more);
        Atomics.add(task.counts, literal * order.length + place, more.length);
      },
      onProgress: (chunks) => Atomics.add(task.progress, 0, chunks),
      check,
    });
    // Only now: of a shard that fails in the middle, nothing counts.
    const named = found.map((list) =>
      list.slice(0, task.k).map((hit) => ({ ...hit, shard, ...shards.documentName(shard, hit.document) })),
    );
    for (const [literal, list] of named.entries()) hits[literal]!.push(...list);
  });
  return { hits, ...shortfall };
}

/** Hits found so far, by all threads, in a shard and those before it: what comes after them is not wanted when they are k. */
function hitsUpTo({ counts, order }: ScanTask, literal: number, place: number): number {
  let sum = 0;
  for (let at = 0; at <= place; at++) sum += Atomics.load(counts, literal * order.length + at);
  return sum;
}

/** Answers queries from the text of a thread's shards alone. */
export function scanShardsForWords(task: ScanWordsTask, shards: ShardCache): ScanAnswer {
  const { queries, k, by, filter, words } = task;
  const check = checkOf(task);
  const hits: RankedHit[][] = queries.map(() => []);
  const shortfall = forEachShard(task, shards, check, (reader) => {
    const shard = reader.meta.id;
    const found = scanForWords(reader, queries, { k, by, filter, words, check });
    const named = found.map((list) =>
      list.map((hit) => ({ ...hit, shard, ...shards.documentName(shard, hit.document) })),
    );
    for (const [query, list] of named.entries()) hits[query]!.push(...list);
  });
  return { hits, ...shortfall };
}
