import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import { ThreadLane } from '../../src/thread-lane.ts';
import type { SearchAnswers, SearchTask } from '../../workers/protocol.ts';
import { shelfmarkError } from './support.ts';

/** Collects garbage: memory that nobody refers to is gone afterwards. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

function startLane(name: string): ThreadLane<SearchTask, SearchAnswers> {
  const lane = new ThreadLane<SearchTask, SearchAnswers>(name);
  onTestFinished(() => lane.close());
  return lane;
}

test('a thread that goes on living holds on to no answer it has given', async () => {
  const lane = startLane('search-thread');
  await lane.run<'open'>({ op: 'open', shards: [], maxOpen: 1, postingsBytes: 2 ** 20 });
  const answers: WeakRef<object>[] = [];
  for (let index = 0; index < 10; index++) {
    const limits = { excluded: [], deadline: null, stop: null };
    answers.push(new WeakRef(await lane.run<'known'>({ op: 'known', items: [], ...limits })));
  }
  await new Promise((resolve) => setTimeout(resolve, 10));
  collectGarbage();
  // The last one may still be at hand.
  expect(answers.slice(0, -1).filter((answer) => answer.deref() !== undefined)).toEqual([]);
});

test('a thread that cannot be started fails every task', async () => {
  const lane = startLane('no-such-thread');
  const task = { op: 'open', shards: [], maxOpen: 1, postingsBytes: 2 ** 20 } as const;
  await expect(lane.run<'open'>(task)).rejects.toThrow();
  await shelfmarkError(lane.run<'open'>(task), 'SHELFMARK_IO');
});
