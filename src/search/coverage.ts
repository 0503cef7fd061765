import type { ShardFailure } from '../../workers/protocol.ts';
import type { Coverage } from './hits.ts';

/** How much of a corpus of so many shards an answer rests on. */
export function coverageOf(
  shards: number,
  failures: ReadonlyMap<string, ShardFailure>,
  timedOut: ReadonlySet<string>,
): Coverage {
  return {
    shards,
    searched: shards - failures.size - timedOut.size,
    scanned: 0,
    failed: failures.size,
    timedOut: timedOut.size,
    failures: [...failures.values()]
      .map(({ shard, error }) => ({ shard, code: error.code, message: error.message }))
      .sort((a, b) => (a.shard < b.shard ? -1 : 1)),
  };
}
