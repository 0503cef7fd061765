import { ShelfmarkError } from '../shards/index.ts';
import { answer } from './answer.ts';
import { findKnown, findNearest } from './known-attributes.ts';
import type { Answer, SearchAnswers, SearchTask } from './protocol.ts';
import { scanShards, scanShardsForWords } from './scan-shards.ts';
import { answerRank, countTerms, fetchHits, rankEvidence } from './search-shards.ts';
import { ShardCache } from './shard-cache.ts';
import { verifyShard } from './verify-shard.ts';

/** Does search tasks; its open shards are its own. */
export interface SearchWorker {
  run(task: SearchTask): Promise<Answer<SearchAnswers[SearchTask['op']]>>;
  close(): void;
}

/** What is done with vectors. */
export type VectorTasks = typeof import('./search-vectors.ts');

/** A worker; threads have one each. @param loadVectorTasks called when vectors are first needed: most searches do without */
export function createSearchWorker(loadVectorTasks: () => Promise<VectorTasks>): SearchWorker {
  let opened: ShardCache | undefined;
  const run = async (task: SearchTask): Promise<SearchAnswers[SearchTask['op']]> => {
    if (task.op === 'verify') {
      const vectorParts = task.vectors.length === 0 ? [] : (await loadVectorTasks()).checkVectors(task);
      return await verifyShard(task, vectorParts);
    }
    if (task.op === 'open') {
      opened = new ShardCache(task);
      return null;
    }
    if (opened === undefined)
      throw new ShelfmarkError('SHELFMARK_INTERNAL', `The task "${task.op}" came before "open".`);
    switch (task.op) {
      case 'count':
        return countTerms(task, opened);
      case 'known':
        return findKnown(task, opened);
      case 'nearest':
        return findNearest(task, opened);
      case 'rank':
        return answerRank(task, opened);
      case 'evidence':
        return rankEvidence(task, opened);
      case 'rankVectors':
        return (await loadVectorTasks()).answerRankVectors(task, opened);
      case 'scan':
        return scanShards(task, opened);
      case 'scanWords':
        return scanShardsForWords(task, opened);
      case 'fetch':
        return fetchHits(task, opened);
    }
  };
  return { run: (task) => answer(() => run(task)), close: () => opened?.close() };
}
