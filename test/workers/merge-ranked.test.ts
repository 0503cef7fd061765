import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChunkId, DocumentId, DocumentName } from '../../shards/index.ts';
import { byName, mergeRanked } from '../../workers/merge-ranked.ts';
import type { RankedHit } from '../../workers/protocol.ts';

interface NamedHit extends RankedHit, DocumentName {}

function hitOf(fields: Partial<NamedHit>): NamedHit {
  const { ordinal = 1 } = fields;
  const ids = { chunk: ordinal as ChunkId, document: 1 as DocumentId };
  return { score: 1, ordinal, shard: 's0000000000', uri: '', collection: '', ...ids, ...fields };
}

const compareNames = byName((hit) => hit as NamedHit);

const anyHit = fc
  .record({
    score: fc.integer({ min: 1, max: 6 }),
    uri: fc.constantFrom('a', 'b', 'ä', '\u{1f5fa}', '\uff5e'),
    collection: fc.constantFrom('', 'x', 'y'),
    ordinal: fc.integer({ min: 1, max: 3 }),
  })
  .map(hitOf);

describe('merged lists', () => {
  it('are the k best of all hits, by score, uri, collection, ordinal and shard', () => {
    const lists = fc.array(fc.array(anyHit, { maxLength: 20 }), { maxLength: 6 });
    const order = (a: NamedHit, b: NamedHit): number => b.score - a.score || compareNames(a, b);
    fc.assert(
      fc.property(lists, fc.integer({ min: 1, max: 30 }), (unsorted, k) => {
        const sorted = unsorted.map((hits, index) => hits.map((hit) => ({ ...hit, shard: `s${index}` })).sort(order));
        expect(mergeRanked(sorted, k, compareNames)).toEqual(sorted.flat().sort(order).slice(0, k));
      }),
      { numRuns: 500 },
    );
  });

  it('need no names where scores differ', () => {
    const lists = [[hitOf({ score: 5 }), hitOf({ score: 2 })], [hitOf({ score: 4 })], []];
    const merged = mergeRanked(lists, 3, () => {
      throw new Error('a name was asked for');
    });
    expect(merged.map(({ score }) => score)).toEqual([5, 4, 2]);
  });

  it('need no names of hits that score alike but come later than the k best', () => {
    // With three threads the two lower ones were compared before the highest was found.
    const lists = [[hitOf({ score: 3 })], [hitOf({ score: 3 })], [hitOf({ score: 5 })]];
    const merged = mergeRanked(lists, 1, () => {
      throw new Error('a name was asked for');
    });
    expect(merged.map(({ score }) => score)).toEqual([5]);
  });
});

describe('the order of names', () => {
  it('is that of UTF-16 units', () => {
    const names = ['\uff5e', 'b', '\u{1f5fa}', 'B', 'ä', 'a'].map((uri) => hitOf({ uri })).sort(compareNames);
    expect(names.map(({ uri }) => uri)).toEqual(['B', 'a', 'b', 'ä', '\u{1f5fa}', '\uff5e']);
  });

  it('looks at uri first, then collection, ordinal and shard', () => {
    const first = hitOf({ uri: 'a', collection: 'z', ordinal: 9, shard: 'z' });
    for (const later of [
      hitOf({ uri: 'b', collection: 'a', ordinal: 1, shard: 'a' }),
      hitOf({ uri: 'a', collection: 'zz', ordinal: 1, shard: 'a' }),
      hitOf({ uri: 'a', collection: 'z', ordinal: 10, shard: 'a' }),
      hitOf({ uri: 'a', collection: 'z', ordinal: 9, shard: 'zz' }),
    ]) {
      expect(compareNames(first, later)).toBeLessThan(0);
      expect(compareNames(later, first)).toBeGreaterThan(0);
    }
    expect(compareNames(first, { ...first })).toBe(0);
  });
});
