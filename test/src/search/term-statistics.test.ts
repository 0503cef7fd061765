import { describe, expect, onTestFinished, test } from 'vitest';
import { ShardPool } from '../../../src/search/shard-pool.ts';
import { TermStatistics } from '../../../src/search/term-statistics.ts';
import { buildShard, documentsOf, editShard } from '../../shards/support.ts';
import { targetOf, unlimited } from '../../workers/support.ts';

describe('the statistics of terms', () => {
  test('are counted over all shards, per thread too, and asked for once', async () => {
    const one = await buildShard(documentsOf('red shelf', 'red', 'blue'));
    const two = await buildShard(documentsOf('red', 'green'));
    const targets = [one, two].map((sealed) => ({ ...targetOf(sealed), bytes: sealed.bytes }));
    const pool = new ShardPool(targets, 2, 2 ** 20);
    onTestFinished(() => pool.close());
    const statistics = new TermStatistics(pool);

    const first = await statistics.count(['red', 'shelf', 'absent'], unlimited);
    expect(first).toMatchObject({ isKnown: false, failed: [], timedOut: [] });
    expect(first.frequencies).toEqual(Float64Array.of(3, 1, 0));
    expect(first.perThread.map(([red]) => red).sort()).toEqual([1, 2]);

    const second = await statistics.count(['shelf', 'red'], unlimited);
    expect(second.isKnown).toBe(true);
    expect(second.frequencies).toEqual(Float64Array.of(1, 3));
    expect((await statistics.count(['red', 'green'], unlimited)).isKnown).toBe(false);

    // What is known holds for all shards together.
    const without = await statistics.count(['red', 'blue'], { ...unlimited, excluded: [one.id] });
    expect(without.frequencies).toEqual(Float64Array.of(1, 0));
    expect((await statistics.count(['red', 'blue'], unlimited)).frequencies).toEqual(Float64Array.of(3, 1));

    const late = await statistics.count(['green', 'late'], { ...unlimited, deadline: Date.now() - 1 });
    expect([...late.timedOut].sort()).toEqual([one.id, two.id].sort());
    expect((await statistics.count(['late'], unlimited)).isKnown).toBe(false);
  });
});

test('a shard that fails takes what was remembered of it along', async () => {
  const one = await buildShard(documentsOf('red shelf', 'red', 'blue'));
  const two = await buildShard(documentsOf('red', 'green'));
  const targets = [one, two].map((sealed) => ({ ...targetOf(sealed), bytes: sealed.bytes }));
  const pool = new ShardPool(targets, 2, 2 ** 20);
  onTestFinished(() => pool.close());
  const statistics = new TermStatistics(pool);
  expect((await statistics.count(['red'], unlimited)).frequencies).toEqual(Float64Array.of(3));

  editShard(two.file, (database) => database.exec('UPDATE fts_data SET block = zeroblob(100) WHERE id > 100000'));
  const counted = await statistics.count(['red', 'shelf'], unlimited);
  expect(counted.failed.map(({ shard }) => shard)).toEqual([two.id]);
  expect(counted.frequencies).toEqual(Float64Array.of(2, 1));
});

test('what was remembered is forgotten while another count is under way, and it counts right all the same', async () => {
  const shard = await buildShard(documentsOf('red shelf', 'red', 'blue'));
  const pool = new ShardPool([{ ...targetOf(shard), bytes: shard.bytes }], 1, 2 ** 20);
  onTestFinished(() => pool.close());
  const statistics = new TermStatistics(pool);
  await statistics.count(['red'], unlimited);

  const tooMany = Array.from({ length: 200_000 }, (_, index) => `word${index}`);
  const [, counted] = await Promise.all([
    statistics.count(tooMany, unlimited),
    statistics.count(['red', 'blue'], unlimited),
  ]);
  expect(counted.frequencies).toEqual(Float64Array.of(2, 1));
});
