import { beforeAll, describe, expect, it } from 'vitest';
import { NO_FILTER } from '../../shards/index.ts';
import type { Limits, ScanAnswer, ScanTask, ScanWordsTask, ShardTarget } from '../../workers/protocol.ts';
import { scanShards, scanShardsForWords } from '../../workers/scan-shards.ts';
import { buildShard, documentsOf } from '../shards/support.ts';
import { cacheOf, scoringOver, targetOf, unlimited } from './support.ts';

let targets: ShardTarget[];

beforeAll(async () => {
  const first = await buildShard(documentsOf('lock->spin', 'lock', 'Lock->spin'));
  const second = await buildShard(documentsOf('lock->spin ', 'lock->spin lock->spin'));
  targets = [targetOf(first), targetOf(second)];
});

function common() {
  return { k: 10, by: 'chunk', filter: NO_FILTER, words: null } as const;
}

function scan(limits: Partial<Limits>, changes: Partial<ScanTask> = {}): ScanAnswer & { readonly progress: number } {
  const task: ScanTask = {
    op: 'scan',
    literals: [{ text: 'lock->spin', ignoreCase: false }],
    order: targets.map(({ id }) => id),
    counts: new Int32Array(new SharedArrayBuffer(4 * targets.length)),
    progress: new Int32Array(new SharedArrayBuffer(4)),
    scoring: scoringOver(targets),
    ...common(),
    ...unlimited,
    ...limits,
    ...changes,
  };
  const cache = cacheOf(targets);
  const answer = scanShards(task, cache);
  cache.close();
  return { ...answer, progress: Atomics.load(task.progress, 0) };
}

function scanWords(limits: Partial<Limits>): ScanAnswer {
  const queries = [{ words: ['lock', 'spin'], isStrict: false, phrases: [] }];
  const task: ScanWordsTask = { op: 'scanWords', queries, ...common(), ...unlimited, ...limits };
  const cache = cacheOf(targets);
  const answer = scanShardsForWords(task, cache);
  cache.close();
  return answer;
}

const raised = new Int32Array(new SharedArrayBuffer(4));
raised.fill(1);

describe('a scan in a thread', () => {
  it('gives hits in the order of chunks, scored by how often the text is there, and counts them', () => {
    const { hits, failed, timedOut, progress } = scan({});
    expect(hits[0]!.map(({ shard, chunk, score }) => [shard, chunk, score])).toEqual([
      [targets[0]!.id, 1, 1],
      [targets[1]!.id, 1, 1],
      [targets[1]!.id, 2, 2],
    ]);
    expect({ failed, timedOut, progress }).toEqual({ failed: [], timedOut: [], progress: 5 });
  });

  it('leaves a shard alone when those before it have hits enough', () => {
    const counts = new Int32Array(new SharedArrayBuffer(8));
    // Another thread has found ten in the first shard.
    counts[0] = 10;
    const excluded = [targets[0]!.id];
    expect(scan({ excluded }, { counts })).toMatchObject({ hits: [[]], progress: 0 });
    counts[0] = 9;
    expect(scan({ excluded }, { counts }).hits[0]!.length).toBeGreaterThan(0);
    // What comes after a shard does not matter to it.
    counts.set([0, 10]);
    expect(scan({ excluded: [targets[1]!.id] }, { counts }).hits[0]).toHaveLength(1);
  });

  it.each([{ deadline: Date.now() - 1 }, { stop: raised }])(
    'gives up when time is up or nobody waits: %j',
    (limits) => {
      for (const answer of [scan(limits), scanWords(limits)]) {
        expect(answer).toMatchObject({ hits: [[]], failed: [], timedOut: targets.map(({ id }) => id) });
      }
    },
  );

  it('for words gives the passages with most of them first, shard by shard', () => {
    expect(scanWords({}).hits[0]!.map(({ shard, chunk, score }) => [shard, chunk, score])).toEqual([
      [targets[0]!.id, 1, 2],
      [targets[0]!.id, 3, 2],
      [targets[0]!.id, 2, 1],
      [targets[1]!.id, 1, 2],
      [targets[1]!.id, 2, 2],
    ]);
  });
});
