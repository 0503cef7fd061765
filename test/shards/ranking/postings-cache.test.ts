import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PostingsCache } from '../../../shards/index.ts';
import { randomFrom } from '../support.ts';

const kept = (bytes: number): { bytes: number } => ({ bytes });

describe('a cache of postings', () => {
  it('knows what it was given, also that a term is absent, and nothing else', () => {
    const cache = new PostingsCache(1_000_000);
    const [one, two] = [cache.forShard<{ bytes: number }>(), cache.forShard<{ bytes: number }>()];
    const value = kept(100);
    one.set('book', value);
    one.set('absent', null);
    expect(one.get('book')).toBe(value);
    expect(one.get('absent')).toBeNull();
    expect(one.get('shelf')).toBeUndefined();
    expect(two.get('book')).toBeUndefined();
    one.clear();
    expect(one.get('book')).toBeUndefined();
  });

  it('holds no more than its budget and one entry, whatever is put in and asked for', () => {
    const largest = 5_000;
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 10_000, max: 200_000 }), (seed, budget) => {
        const random = randomFrom(seed);
        const cache = new PostingsCache(budget);
        const shards = [cache.forShard<{ bytes: number }>(), cache.forShard<{ bytes: number }>()];
        for (let step = 0; step < 300; step++) {
          const shard = shards[random(2)]!;
          const term = `t${random(100)}`;
          if (shard.get(term) !== undefined) continue;
          if (random(4) === 0) shard.set(term, null);
          else shard.set(term, kept(random(largest)));
          if (random(10) === 0) cache.charge(random(largest));
          // What an entry is reckoned to take beside its postings is well below 1,000 bytes.
          expect(cache.bytes).toBeLessThanOrEqual(budget + largest + 1_000);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('forgets what was not asked for since half of the budget was filled twice', () => {
    const cache = new PostingsCache(20_000);
    const terms = cache.forShard<{ bytes: number }>();
    const [used, unused] = [kept(1_000), kept(1_000)];
    terms.set('used', used);
    terms.set('unused', unused);
    for (let index = 0; index < 100; index++) {
      terms.set(`other ${index}`, kept(1_000));
      expect(terms.get('used')).toBe(used);
    }
    expect(terms.get('unused')).toBeUndefined();
    expect(terms.get('other 0')).toBeUndefined();
    expect(terms.get('other 99')).toBeDefined();
  });

  it('makes room in all shards for what one of them needs, also for entries that grow', () => {
    const cache = new PostingsCache(20_000);
    const [quiet, busy] = [cache.forShard<{ bytes: number }>(), cache.forShard<{ bytes: number }>()];
    quiet.set('old', kept(1_000));
    for (let index = 0; index < 3; index++) cache.charge(8_000);
    expect(quiet.get('old')).toBeDefined();
    for (let index = 0; index < 40; index++) busy.set(`${index}`, kept(1_000));
    expect(quiet.get('old')).toBeUndefined();
  });

  it('works without any budget: nothing stays for long, nothing fails', () => {
    const cache = new PostingsCache(0);
    const terms = cache.forShard<{ bytes: number }>();
    for (let index = 0; index < 10; index++) {
      terms.set(`${index}`, kept(10));
      expect(terms.get(`${index}`)).toBeDefined();
    }
    expect(terms.get('0')).toBeUndefined();
  });
});
