import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAnalyzer } from '../../../shards/analysis/index.ts';
import { LANGUAGES } from '../../../shards/analysis/language.ts';
import { analyzerOf } from '../../../shards/analysis/languages.ts';
import { anyText, trickyText } from './arbitraries.ts';
import { encode, matches, splitTerms, visit } from './occurs.ts';

describe.each(LANGUAGES.map((language) => [language] as const))('for any text, in %s', (language) => {
  const analyzer = createAnalyzer(analyzerOf(language));
  // The others differ in their words alone.
  const RUNS = { numRuns: language === 'en' ? 3_000 : 100 };

  it('visitTerms visits the terms encodeField writes, as often, in order of start', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const visited = visit(text, undefined, analyzer);
        expect(visited.map(({ term }) => term).sort()).toEqual(encode(text, analyzer).sort());
        expect(visited.map(({ start }) => start)).toEqual(visited.map(({ start }) => start).sort((a, b) => a - b));
      }),
      RUNS,
    );
  });

  it('a span lies in the text, is not empty and splits no surrogate pair', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const { start, end } of visit(text, undefined, analyzer)) {
          expect(start).toBeGreaterThanOrEqual(0);
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(text.length);
          expect(splitsPair(text, start) || splitsPair(text, end)).toBe(false);
        }
      }),
      RUNS,
    );
  });

  it('visitTerms with wanted terms visits those and no others', () => {
    fc.assert(
      fc.property(anyText, fc.nat(), (text, pick) => {
        const all = visit(text, undefined, analyzer);
        const wanted = new Set(all.filter((_, i) => (pick >> (i % 30)) & 1).map(({ term }) => term));
        expect(visit(text, wanted, analyzer)).toEqual(all.filter(({ term }) => wanted.has(term)));
      }),
      RUNS,
    );
  });

  it('composed and decomposed text have the same terms', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const composed = encode(text.normalize('NFC'), analyzer);
        expect(encode(text.normalize('NFD'), analyzer)).toEqual(composed);
      }),
      RUNS,
    );
  });

  it('a term is not empty and has no space, NUL or ASCII other than letters, digits and + # . - _', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const term of encode(text, analyzer)) expect(term).toMatch(/^(?:[0-9a-z+#.\-_]|[^\x00-\x7f\s])+$/u);
      }),
      RUNS,
    );
  });

  it('the same bytes come from an empty and a full table', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const cold = encode(text, createAnalyzer(analyzer.id));
        expect(encode(text, analyzer)).toEqual(cold);
        expect(encode(text, analyzer)).toEqual(cold);
      }),
      { numRuns: language === 'en' ? 1_000 : 20 },
    );
  });

  it('every query token made of a text occurs in that text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const terms = new Set(encode(text, analyzer));
        for (const token of analyzer.queryTokens(text)) {
          expect(token.alternatives.every((alternative) => alternative.length > 0)).toBe(true);
          expect(text.slice(token.start, token.end).normalize('NFC')).toBe(token.text);
          expect(matches(token, terms), JSON.stringify(token)).toBe(true);
        }
      }),
      RUNS,
    );
  });

  it('a query token asked for by itself is the token it was in the query, unless its surroundings made it', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-zA-Z0-9]{1,12}(?:[-_./@:&+][a-zA-Z0-9]{1,8}){0,5}$/), (word) => {
        const [token, ...others] = analyzer.queryTokens(`before ${word} behind`).slice(1, -1);
        expect(others).toEqual([]);
        expect(analyzer.queryTokens(word)[0]!.alternatives).toEqual(token!.alternatives);
      }),
    );
  });

  it('bytes that are not UTF-8 separate words', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), trickyText, (noise, text) => {
        const bytes = Buffer.concat([Buffer.from(text), noise, Buffer.from(' end')]);
        const terms = splitTerms(analyzer.encodeField(bytes));
        expect(terms).toContain('end');
        expect(terms).toEqual(encode(bytes.toString('utf8'), analyzer));
      }),
      RUNS,
    );
  });
});

function splitsPair(text: string, offset: number): boolean {
  return /[\ud800-\udbff]/.test(text[offset - 1] ?? '') && /[\udc00-\udfff]/.test(text[offset] ?? '');
}
