import { answer } from './answer.ts';
import type { Answer, SearchAnswers, SearchTask } from './protocol.ts';
import { fetchHits, rankShards } from './search-shards.ts';
import { ShardCache } from './shard-cache.ts';
import { verifyShard } from './verify-shard.ts';

/** Open shards per thread; with the page cache of each at most 1 MiB this bounds a thread's share of memory. */
const maxOpenShards = 128;

const shards = new ShardCache(maxOpenShards);

/** Entry of a search thread. */
export default function searchWorker(task: SearchTask): Promise<Answer<SearchAnswers[SearchTask['op']]>> {
  return answer((): SearchAnswers[SearchTask['op']] | Promise<SearchAnswers[SearchTask['op']]> => {
    switch (task.op) {
      case 'rank':
        return rankShards(task, shards);
      case 'fetch':
        return fetchHits(task, shards);
      case 'verify':
        return verifyShard(task);
    }
  });
}
