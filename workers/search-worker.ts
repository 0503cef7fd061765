import { ShelfmarkError } from '../shards/index.ts';
import { answer } from './answer.ts';
import type { Answer, SearchAnswers, SearchTask } from './protocol.ts';
import { countTerms, fetchHits, locateDocuments, rankShards } from './search-shards.ts';
import { ShardCache } from './shard-cache.ts';
import { verifyShard } from './verify-shard.ts';

let opened: ShardCache | undefined;

/** Entry of a search thread. */
export default function searchWorker(task: SearchTask): Promise<Answer<SearchAnswers[SearchTask['op']]>> {
  return answer((): SearchAnswers[SearchTask['op']] | Promise<SearchAnswers[SearchTask['op']]> => {
    if (task.op === 'verify') return verifyShard(task);
    if (task.op === 'open') {
      opened = new ShardCache(task);
      return null;
    }
    if (opened === undefined)
      throw new ShelfmarkError('SHELFMARK_INTERNAL', `The thread got "${task.op}" before "open".`);
    switch (task.op) {
      case 'count':
        return countTerms(task, opened);
      case 'rank':
        return rankShards(task, opened);
      case 'locate':
        return locateDocuments(task, opened);
      case 'fetch':
        return fetchHits(task, opened);
    }
  });
}
