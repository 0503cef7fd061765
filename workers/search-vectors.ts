import { dirname, join } from 'node:path';
import { encodeError, type ShardReader, vectorsFileName } from '../shards/index.ts';
import { encodeQuery, rankVectors, VectorsReader, verifyVectorsFile } from '../shards/vectors/index.ts';
import { mergeRanked } from './merge-ranked.ts';
import type { RankVectorsAnswer, RankVectorsTask, VerifyAnswer, VerifyTask } from './protocol.ts';
import { checkOf, forEachShard, inShard, nameHits, nameOrder, type ShardHit } from './search-shards.ts';
import type { ShardCache } from './shard-cache.ts';

/** Compares all queries of a task with the vectors of every shard and names the hits. */
export function answerRankVectors(task: RankVectorsTask, shards: ShardCache): RankVectorsAnswer {
  const startedAt = performance.now();
  const queries = task.queries.map(encodeQuery);
  const hits: ShardHit[][] = task.queries.map(() => []);
  const bare: string[] = [];
  const check = checkOf(task);
  const compareNames = nameOrder(shards);
  const shortfall = forEachShard(task, shards, check, (reader) => {
    const vectors = vectorsOf(reader, task.key);
    if (vectors === null) {
      bare.push(reader.meta.id);
      return;
    }
    for (const [index, ranked] of rankVectors(reader, vectors, queries, { ...task, check }).entries()) {
      const ofShard = ranked.map((hit) => inShard(hit, reader.meta.id));
      hits[index] = mergeRanked([hits[index]!, ofShard], task.k, compareNames);
    }
  });
  const { named, unnamed } = nameHits(hits, null, shards);
  return { hits: named, unnamed, bare, ...shortfall, ms: performance.now() - startedAt };
}

/** The shard's vectors, opened with it once, or null when it has none. */
function vectorsOf(reader: ShardReader, key: string): VectorsReader | null {
  const { id, chunks } = reader.meta;
  const name = vectorsFileName(id, key);
  return reader.attached(name, () => VectorsReader.open(join(dirname(reader.file), name), { shard: id, chunks, key }));
}

/** Reads all vectors of a shard; a part of the report for each file. */
export function checkVectors({ shard, file, chunks, vectors }: VerifyTask): VerifyAnswer['parts'] {
  return vectors.map((key) => {
    try {
      const detail = verifyVectorsFile(join(dirname(file), vectorsFileName(shard, key)), { shard, chunks, key });
      return { name: 'vectors', status: 'ok', detail };
    } catch (error) {
      return { name: 'vectors', status: 'damaged', detail: encodeError(error).message };
    }
  });
}
