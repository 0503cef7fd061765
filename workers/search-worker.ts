import { ShelfmarkError } from '../shards/index.ts';
import { answer } from './answer.ts';
import type { Answer, SearchAnswers, SearchTask } from './protocol.ts';
import { answerRank, countTerms, fetchHits, rankEvidence } from './search-shards.ts';
import { ShardCache } from './shard-cache.ts';
import { verifyShard } from './verify-shard.ts';

/** Does search tasks; its open shards are its own. */
export interface SearchWorker {
  run(task: SearchTask): Promise<Answer<SearchAnswers[SearchTask['op']]>>;
  close(): void;
}

/** A worker for the calling thread; a search thread makes its own. */
export function createSearchWorker(): SearchWorker {
  let opened: ShardCache | undefined;
  const run = (task: SearchTask): SearchAnswers[SearchTask['op']] | Promise<SearchAnswers[SearchTask['op']]> => {
    if (task.op === 'verify') return verifyShard(task);
    if (task.op === 'open') {
      opened = new ShardCache(task);
      return null;
    }
    if (opened === undefined)
      throw new ShelfmarkError('SHELFMARK_INTERNAL', `The task "${task.op}" came before "open".`);
    switch (task.op) {
      case 'count':
        return countTerms(task, opened);
      case 'rank':
        return answerRank(task, opened);
      case 'evidence':
        return rankEvidence(task, opened);
      case 'fetch':
        return fetchHits(task, opened);
    }
  };
  return { run: (task) => answer(() => run(task)), close: () => opened?.close() };
}

/** Entry of a search thread. */
export default createSearchWorker().run;
