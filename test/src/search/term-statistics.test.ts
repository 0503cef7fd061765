import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ShardQuery } from '../../../shards/index.ts';
import { ShardPool } from '../../../src/search/shard-pool.ts';
import { canMatch, TermStatistics } from '../../../src/search/term-statistics.ts';
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
    expect(first.frequencies).toEqual(
      new Map([
        ['red', 3],
        ['shelf', 1],
        ['absent', 0],
      ]),
    );
    expect([0, 1].map((thread) => first.inThread('red', thread)).sort()).toEqual([1, 2]);

    const second = await statistics.count(['shelf', 'red'], unlimited);
    expect(second.isKnown).toBe(true);
    expect(second.frequencies).toEqual(
      new Map([
        ['shelf', 1],
        ['red', 3],
      ]),
    );
    expect((await statistics.count(['red', 'green'], unlimited)).isKnown).toBe(false);

    // What is known holds for all shards together.
    const without = await statistics.count(['red', 'blue'], { ...unlimited, excluded: [one.id] });
    expect(without.frequencies).toEqual(
      new Map([
        ['red', 1],
        ['blue', 0],
      ]),
    );
    expect((await statistics.count(['red', 'blue'], unlimited)).frequencies).toEqual(
      new Map([
        ['red', 3],
        ['blue', 1],
      ]),
    );

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
  expect((await statistics.count(['red'], unlimited)).frequencies.get('red')).toBe(3);

  editShard(two.file, (database) => database.exec('UPDATE fts_data SET block = zeroblob(100) WHERE id > 100000'));
  const counted = await statistics.count(['red', 'shelf'], unlimited);
  expect(counted.failed.map(({ shard }) => shard)).toEqual([two.id]);
  expect(counted.frequencies).toEqual(
    new Map([
      ['red', 2],
      ['shelf', 1],
    ]),
  );
});

describe('shards in which a query cannot have a hit', () => {
  const term = fc.constantFrom<string>('a', 'b', 'c', 'd');
  const query: fc.Arbitrary<ShardQuery> = fc.record({
    mode: fc.constantFrom<'and' | 'or'>('and', 'or'),
    tokens: fc.array(fc.array(fc.array(term, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 2 }), {
      maxLength: 3,
    }),
    phrases: fc.array(fc.array(term, { minLength: 1, maxLength: 2 }), { maxLength: 1 }),
  });

  test('are never some that have one', () => {
    const chunk = fc.uniqueArray(term).map((terms) => new Set(terms));
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 4 }), query, (chunks, asked) => {
        const { mode, tokens, phrases } = asked;
        const hits = chunks.filter((terms) => {
          const has = (one: string): boolean => terms.has(one);
          if (!phrases.flat().every(has)) return false;
          if (mode === 'and') return tokens.every((alternatives) => alternatives.some((all) => all.every(has)));
          return tokens.length === 0 || tokens.flat(2).some(has);
        });
        const possible = canMatch(asked, (one) => chunks.filter((terms) => terms.has(one)).length);
        if (hits.length > 0) expect(possible).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  test('are those without a required term, a phrase word, or any term at all', () => {
    const counts = new Map([
      ['a', 3],
      ['b', 1],
    ]);
    const can = (mode: 'and' | 'or', tokens: string[][][], phrases: string[][] = []): boolean =>
      canMatch({ mode, tokens, phrases }, (term) => counts.get(term) ?? 0);
    expect(can('and', [[['a']], [['b']]])).toBe(true);
    expect(can('and', [[['a']], [['c']]])).toBe(false);
    expect(can('and', [[['c'], ['a', 'b']]])).toBe(true);
    expect(can('and', [[['c'], ['a', 'd']]])).toBe(false);
    expect(can('or', [[['c']], [['d', 'b']]])).toBe(true);
    expect(can('or', [[['c']], [['d']]])).toBe(false);
    expect(can('or', [], [['a', 'b']])).toBe(true);
    expect(can('or', [], [['a', 'c']])).toBe(false);
    expect(can('or', [[['c']]], [['a', 'b']])).toBe(false);
    expect(can('or', [[['a']]], [['c']])).toBe(false);
  });
});
