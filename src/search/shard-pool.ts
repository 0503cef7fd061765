import { compareRanked, type ShardFilter, type ShardQuery } from '../../shards/index.ts';
import type {
  FetchAnswer,
  FetchItem,
  FetchTask,
  RankedHit,
  SearchAnswers,
  SearchTask,
  ShardFailure,
  ShardTarget,
  VerifyAnswer,
  VerifyTask,
} from '../../workers/protocol.ts';
import type { Lane } from '../lane.ts';
import { ThreadLane } from '../thread-lane.ts';
import { CallingLane } from './calling-lane.ts';

/** What every shard is asked. */
export interface RankRequest {
  readonly queries: readonly ShardQuery[];
  readonly k: number;
  readonly by: 'chunk' | 'document';
  readonly filter: ShardFilter;
  readonly deadline: number | null;
  readonly stop: Int32Array<SharedArrayBuffer> | null;
}

/** Answers of all shards merged; `hits[i]` belongs to `queries[i]`. */
export interface RankResult {
  readonly hits: readonly (readonly RankedHit[])[];
  readonly failed: readonly ShardFailure[];
  readonly timedOut: readonly string[];
}

/**
 * The threads that search a corpus. Each shard belongs to one thread, so its file is opened once; a query is one message
 * to each thread, never one per shard.
 */
export class ShardPool {
  readonly #lanes: readonly {
    readonly thread: Lane<SearchTask, SearchAnswers>;
    readonly shards: readonly ShardTarget[];
  }[];

  /** @param threads how many to start; 0 searches in the calling thread. */
  constructor(shards: readonly (ShardTarget & { readonly bytes: number })[], threads: number) {
    this.#lanes = spread(shards, Math.max(1, Math.min(threads, shards.length))).map((group) => ({
      thread: threads === 0 ? new CallingLane() : new ThreadLane<SearchTask, SearchAnswers>('search-worker'),
      shards: group,
    }));
  }

  /** Ranks queries on all shards but those excluded. */
  async rank(request: RankRequest, excluded: ReadonlySet<string>): Promise<RankResult> {
    const answers = await Promise.all(
      this.#lanes.map(({ thread, shards }) =>
        thread.run<'rank'>({ op: 'rank', ...request, shards: shards.filter(({ id }) => !excluded.has(id)) }),
      ),
    );
    return {
      hits: request.queries.map((_, query) =>
        answers
          .flatMap(({ hits }) => hits[query] ?? [])
          .sort(compareRanked)
          .slice(0, request.k),
      ),
      failed: answers.flatMap(({ failed }) => failed),
      timedOut: answers.flatMap(({ timedOut }) => timedOut),
    };
  }

  /** Fetches winners' text, each from the thread that has its shard open; the answer has the order of the items. */
  async fetch(task: Omit<FetchTask, 'op'>): Promise<FetchAnswer> {
    const results: FetchAnswer[number][] = new Array(task.items.length);
    await Promise.all(
      this.#lanes.map(async ({ thread, shards }) => {
        const own = new Set(shards.map(({ id }) => id));
        const positions = [...task.items.keys()].filter((index) => own.has(task.items[index]!.shard.id));
        if (positions.length === 0) return;
        const items: FetchItem[] = positions.map((index) => task.items[index]!);
        const fetched = await thread.run<'fetch'>({ op: 'fetch', ...task, items });
        for (const [at, index] of positions.entries()) results[index] = fetched[at]!;
      }),
    );
    return results;
  }

  /** Verifies shards, all threads at once; yields reports as they come. */
  async *verify(tasks: readonly Omit<VerifyTask, 'op'>[]): AsyncGenerator<VerifyAnswer> {
    const waiting = [...tasks];
    const running = new Map<number, Promise<{ readonly lane: number; readonly report: VerifyAnswer }>>();
    const start = (lane: number): void => {
      const task = waiting.shift();
      if (task === undefined) return;
      const report = this.#lanes[lane]!.thread.run<'verify'>({ op: 'verify', ...task });
      running.set(
        lane,
        report.then((value) => ({ lane, report: value })),
      );
    };
    for (const lane of this.#lanes.keys()) start(lane);
    while (running.size > 0) {
      const { lane, report } = await Promise.race(running.values());
      running.delete(lane);
      start(lane);
      yield report;
    }
  }

  /** Ends the threads and closes their files. */
  async close(): Promise<void> {
    await Promise.all(this.#lanes.map(({ thread }) => thread.close()));
  }
}

/** Spreads shards over threads so that each has about the same bytes; the order inside a group is that of the catalog. */
function spread<Shard extends { readonly bytes: number }>(shards: readonly Shard[], groups: number): Shard[][] {
  const loads = new Array<number>(groups).fill(0);
  const owner = new Map<Shard, number>();
  for (const shard of [...shards].sort((a, b) => b.bytes - a.bytes)) {
    const lightest = loads.indexOf(Math.min(...loads));
    loads[lightest]! += shard.bytes;
    owner.set(shard, lightest);
  }
  return loads.map((_, group) => shards.filter((shard) => owner.get(shard) === group));
}
