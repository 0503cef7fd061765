import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ANALYZER_IDS, createAnalyzer } from '../../../shards/index.ts';
import { QueryAnalyzer } from '../../../src/search/query-analyzer.ts';
import { trickyText } from '../../shards/analysis/arbitraries.ts';
import { encode, matches } from '../../shards/analysis/occurs.ts';

const of = (...ids: readonly string[]): QueryAnalyzer => new QueryAnalyzer(ids.map(createAnalyzer));

describe('a query in several languages', () => {
  test('asks for each word as any of them has it', () => {
    const tokens = of('en-1', 'de-1', 'simple-1').tokens('houses Häuser');
    expect(tokens.map(({ text, alternatives }) => [text, alternatives])).toEqual([
      ['houses', [['hous'], ['houses']]],
      ['Häuser', [['hauser'], ['haus']]],
    ]);
  });

  test('asks for a phrase in the terms of each', () => {
    expect(of('en-1', 'de-1').phrase('alte Häuser')).toEqual([
      ['alt', 'hauser'],
      ['alt', 'haus'],
    ]);
    expect(of('en-1', 'de-1').phrase('Wi-Fi')).toEqual([['wi', 'fi']]);
    expect(of('en-1', 'de-1').phrase('?!')).toEqual([]);
  });

  test('makes one token where they cut differently', () => {
    const [token, ...others] = of('en-1', 'th-1').tokens('แสงLED');
    expect(others).toEqual([]);
    expect(token!.alternatives).toEqual([['แสงled'], ['แส', 'สง', 'led']]);
  });

  test('leaves out what frames a question in the language that it looks most like', () => {
    const kept = (query: string): string =>
      of('en-1', 'de-1', 'fr-1')
        .contentTokens(query)
        .map(({ text }) => text)
        .join(' ');
    expect(kept('Was ist die Hauptstadt von Frankreich?')).toBe('Hauptstadt Frankreich');
    expect(kept('Which one was the first to die?')).toBe('one first die');
    expect(kept("Qu'est-ce que l'été sur la côte?")).toBe('côte');
  });

  test('finds every word of a text that any of them indexed', () => {
    fc.assert(
      fc.property(trickyText, fc.subarray([...ANALYZER_IDS], { minLength: 1, maxLength: 4 }), (text, ids) => {
        const tokens = of(...ids).tokens(text);
        for (const id of ids) {
          const analyzer = createAnalyzer(id);
          const terms = new Set(encode(text, analyzer));
          for (const token of tokens) {
            const isWord = analyzer.queryTokens(text).some(({ start, end }) => start < token.end && end > token.start);
            if (isWord) expect(matches(token, terms), `${id} ${JSON.stringify(token)}`).toBe(true);
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});
