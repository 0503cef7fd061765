import { answer } from './answer.ts';
import type { Answer, SearchAnswers, SearchTask } from './protocol.ts';
import { fetchHits, rankShards } from './search-shards.ts';
import { ShardCache } from './shard-cache.ts';
import { verifyShard } from './verify-shard.ts';

/** Open shards per thread; with the page cache of each at most 1 MiB this bounds a thread's share of memory. */
const maxOpenShards = 128;

/** Does search tasks; its open shards are its own. */
export interface SearchWorker {
  run(task: SearchTask): Promise<Answer<SearchAnswers[SearchTask['op']]>>;
  close(): void;
}

/** A worker for the calling thread; a search thread makes its own. */
export function createSearchWorker(maxOpen = maxOpenShards): SearchWorker {
  const shards = new ShardCache(maxOpen);
  return {
    run: (task) =>
      answer((): SearchAnswers[SearchTask['op']] | Promise<SearchAnswers[SearchTask['op']]> => {
        switch (task.op) {
          case 'rank':
            return rankShards(task, shards);
          case 'fetch':
            return fetchHits(task, shards);
          case 'verify':
            return verifyShard(task);
        }
      }),
    close: () => shards.close(),
  };
}

/** Entry of a search thread. */
export default createSearchWorker().run;
