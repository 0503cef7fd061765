import { describe, expect, test } from 'vitest';
import { ShelfmarkError } from '../../../shards/index.ts';
import { type Fallback, type MatchMode, planQuery, settlePlan } from '../../../src/search/match-policy.ts';
import { queryAnalyzer } from '../../shards/support.ts';

function plan(
  text: string,
  match: MatchMode = 'strict',
  also: readonly string[] = [],
  phrases: readonly string[] = [],
  fallback: Fallback = 'longest',
) {
  return planQuery(queryAnalyzer, text, { match, also, phrases, fallback });
}

/** Steps as `name mode: words`. */
function stepsOf(...query: Parameters<typeof plan>): string[] {
  return plan(...query).rungs.map(({ name, tokens, query: { mode } }) => {
    return `${name} ${mode}: ${tokens.map(({ text }) => text).join(' ')}`;
  });
}

function codeOf(...query: Parameters<typeof plan>): string {
  try {
    plan(...query);
  } catch (error) {
    if (error instanceof ShelfmarkError) return error.code;
    throw error;
  }
  return 'none';
}

describe('a plan', () => {
  test('asks for all content words, then for any of the five longest of them and the words beside', () => {
    const text = 'what is a shelfmark in a catalogue of old maps';
    expect(stepsOf(text, 'strict', ['synonymous'])).toEqual([
      'all and: shelfmark catalogue old maps',
      'top5 or: shelfmark catalogue old maps synonymous',
    ]);
    expect(stepsOf(text, 'all', ['synonymous'])).toEqual(['all and: shelfmark catalogue old maps']);
    expect(stepsOf(text, 'any', ['synonymous'])).toEqual(['any or: shelfmark catalogue old maps synonymous']);
    expect(stepsOf('one three seven eleven fourteen seventeen')[1]).toBe(
      'top5 or: three seven eleven fourteen seventeen',
    );
  });

  test('requires its phrases in every step, in the words of the index', () => {
    const { rungs, phraseTokens } = plan('maps', 'strict', [], ['The Reading Rooms', 'Wi-Fi']);
    expect(rungs.map(({ query }) => query.phrases)).toEqual([
      [[['the', 'read', 'room']], [['wi', 'fi']]],
      [[['the', 'read', 'room']], [['wi', 'fi']]],
    ]);
    expect(phraseTokens.map(({ text }) => text)).toEqual(['The', 'Reading', 'Rooms', 'Wi-Fi']);
  });

  test('of phrases alone has one step, whatever the mode', () => {
    for (const mode of ['strict', 'all', 'any'] as const) {
      expect(stepsOf(' ', mode, [], ['reading room'])).toEqual(['phrase or: reading room']);
    }
  });

  test('is refused without any word, also in one of the phrases, and with over 1,024 words in them', () => {
    expect(codeOf('?!')).toBe('SHELFMARK_NO_WORDS');
    expect(codeOf('')).toBe('SHELFMARK_NO_WORDS');
    expect(codeOf('?!', 'any', [], ['reading room'])).toBe('SHELFMARK_NO_WORDS');
    expect(codeOf('maps', 'any', [], ['reading room', '…'])).toBe('SHELFMARK_NO_WORDS');
    expect(codeOf('maps', 'any', [], ['a b '.repeat(512)])).toBe('none');
    expect(codeOf('maps', 'any', [], ['a b '.repeat(512), 'c'])).toBe('SHELFMARK_USAGE');
  });
});

describe('the rarest words', () => {
  const text = 'one three seven eleven fourteen seventeen';
  const frequencies = new Map([
    ['one', 3],
    ['three', 9],
    ['seven', 2],
    ['eleven', 2],
    ['fourteen', 8],
    ['seventeen', 2],
  ]);

  function chosen(counts: ReadonlyMap<string, number>, query = text): string {
    const settled = settlePlan(plan(query, 'strict', [], [], 'rarest'), (term) => counts.get(term) ?? 0);
    return settled.rungs
      .at(-1)!
      .tokens.map(({ text }) => text)
      .join(' ');
  }

  test('are chosen when it is known how rare they are, in their order in the query', () => {
    expect(chosen(frequencies)).toBe('one seven eleven fourteen seventeen');
    expect(chosen(new Map([...frequencies, ['one', 8], ['three', 8]]))).toBe('one three seven eleven seventeen');
  });

  test('are not those that the corpus has not, while there are others', () => {
    expect(chosen(new Map([...frequencies, ['seven', 0]]))).toBe('one three eleven fourteen seventeen');
    expect(chosen(new Map())).toBe('one three seven eleven fourteen');
  });

  test('count a compound by its rarer part', () => {
    const counts = new Map([...frequencies, ['one', 10], ['wi', 100], ['fi', 1], ['wifi', 1]]);
    expect(chosen(counts, `${text} wi-fi`)).toBe('seven eleven fourteen seventeen wi-fi');
  });

  test('are all of at most five, and nothing to choose in the other modes', () => {
    expect(chosen(frequencies, 'one three')).toBe('one three');
    for (const match of ['any', 'all'] as const) {
      const { rungs } = settlePlan(plan(text, match, [], [], 'rarest'), (term) => frequencies.get(term) ?? 0);
      expect(rungs.map(({ tokens }) => tokens.length)).toEqual([6]);
    }
  });
});
