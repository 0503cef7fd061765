import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canMatch, type PreparedQuery, prepareQuery, type ShardQuery, termsOf } from '../../../shards/index.ts';

/** Terms as numbers, in a corpus that has all of them. */
function prepared(query: ShardQuery): { readonly query: PreparedQuery | null; readonly terms: readonly string[] } {
  const terms = termsOf(query);
  const numberOf = new Map(terms.map((term, number) => [term, number]));
  return { query: prepareQuery(query, numberOf, new Float64Array(terms.length).fill(9)), terms };
}

function isPossible(asked: ShardQuery, countOf: (term: string) => number): boolean {
  const { query, terms } = prepared(asked);
  return query !== null && canMatch(query, terms.map(countOf));
}

describe('a prepared query', () => {
  test('is none when something that must occur is nowhere in the corpus', () => {
    const counts = new Map([
      ['a', 3],
      ['b', 1],
      ['c', 0],
    ]);
    const numberOf = new Map([...counts.keys()].map((term, number) => [term, number]));
    const prepare = (query: ShardQuery): PreparedQuery | null =>
      prepareQuery(query, numberOf, Float64Array.from(counts.values()));
    expect(prepare({ mode: 'and', tokens: [[['a']], [['c']]], phrases: [] })).toBeNull();
    expect(prepare({ mode: 'or', tokens: [[['c']]], phrases: [] })).toBeNull();
    expect(prepare({ mode: 'or', tokens: [[['a']]], phrases: [[['b', 'c']]] })).toBeNull();
    expect(prepare({ mode: 'or', tokens: [[['c']]], phrases: [[['b']]] })).toBeNull();
  });

  test('requires what has one way to occur, rarest first, and leaves the rest to add to the score', () => {
    const numberOf = new Map(['a', 'b', 'c', 'd'].map((term, number) => [term, number]));
    const tokens = [[['a']], [['b'], ['c', 'd']], [['d']]];
    expect(prepareQuery({ mode: 'and', tokens, phrases: [] }, numberOf, Float64Array.of(9, 8, 7, 6))).toEqual({
      terms: [0, 1, 2, 3],
      required: [3, 0],
      choices: [[[1], [2, 3]]],
      optional: [1, 2],
      phrases: [],
    });
    // Without "b", the other way is the only one; "c" alone adds to the score still.
    expect(prepareQuery({ mode: 'and', tokens, phrases: [] }, numberOf, Float64Array.of(9, 0, 7, 6))).toMatchObject({
      terms: [0, 2, 3],
      required: [2, 1, 0],
      choices: [],
      optional: [],
    });
  });
});

describe('threads in which a query cannot have a hit', () => {
  const term = fc.constantFrom<string>('a', 'b', 'c', 'd');
  const query: fc.Arbitrary<ShardQuery> = fc.record({
    mode: fc.constantFrom<'and' | 'or'>('and', 'or'),
    tokens: fc.array(fc.array(fc.array(term, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 2 }), {
      maxLength: 3,
    }),
    phrases: fc.array(fc.array(fc.array(term, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 2 }), {
      maxLength: 2,
    }),
  });

  test('are never some that have one', () => {
    const chunk = fc.uniqueArray(term).map((terms) => new Set(terms));
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 4 }), query, (chunks, asked) => {
        const { mode, tokens, phrases } = asked;
        fc.pre(tokens.length + phrases.length > 0);
        const hits = chunks.filter((terms) => {
          const has = (one: string): boolean => terms.has(one);
          if (!phrases.every((sequences) => sequences.some((all) => all.every(has)))) return false;
          if (mode === 'and') return tokens.every((alternatives) => alternatives.some((all) => all.every(has)));
          return tokens.length === 0 || tokens.flat(2).some(has);
        });
        const possible = isPossible(asked, (one) => chunks.filter((terms) => terms.has(one)).length);
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
    const can = (mode: 'and' | 'or', tokens: string[][][], phrases: string[][][] = []): boolean =>
      isPossible({ mode, tokens, phrases }, (term) => counts.get(term) ?? 0);
    expect(can('and', [[['a']], [['b']]])).toBe(true);
    expect(can('and', [[['a']], [['c']]])).toBe(false);
    expect(can('and', [[['c'], ['a', 'b']]])).toBe(true);
    expect(can('and', [[['c'], ['a', 'd']]])).toBe(false);
    expect(can('or', [[['c']], [['d', 'b']]])).toBe(true);
    expect(can('or', [[['c']], [['d']]])).toBe(false);
    expect(can('or', [], [[['a', 'b']]])).toBe(true);
    expect(can('or', [], [[['a', 'c']]])).toBe(false);
    expect(can('or', [], [[['a', 'c'], ['b']]])).toBe(true);
    expect(can('or', [[['c']]], [[['a', 'b']]])).toBe(false);
    expect(can('or', [[['a']]], [[['c']]])).toBe(false);
  });
});
