import { hasAttribute, nearest, nearestAttributes } from '../shards/index.ts';
import type { KnownAnswer, KnownTask, NearestAnswer, NearestTask } from './protocol.ts';
import { checkOf, forEachShard } from './search-shards.ts';
import type { ShardCache } from './shard-cache.ts';

/** Says which attributes and values any document of a thread's shards has. */
export function findKnown(task: KnownTask, shards: ShardCache): KnownAnswer {
  const known = task.items.map(() => false);
  const check = checkOf(task);
  const shortfall = forEachShard(task, shards, check, (reader) => {
    for (const [index, item] of task.items.entries()) known[index] ||= hasAttribute(reader, item, check);
  });
  return { known, ...shortfall };
}

/** Finds what is most like an attribute or value that no document has. */
export function findNearest(task: NearestTask, shards: ShardCache): NearestAnswer {
  const check = checkOf(task);
  let texts: NearestAnswer['texts'] = [];
  const shortfall = forEachShard(task, shards, check, (reader) => {
    texts = nearest([...texts, ...nearestAttributes(reader, task.item, task.count, check)], task.count);
  });
  return { texts, ...shortfall };
}
