import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foldCase, LiteralFinder, literalSpans, SearchedText } from '../../../shards/scan/literal.ts';

function found(text: string, wanted: string, ignoreCase = false): number[] {
  const at: number[] = [];
  new LiteralFinder({ text: wanted, ignoreCase }).find(new SearchedText(Buffer.from(text)), (byte) => at.push(byte));
  return at;
}

const texts = fc
  .array(fc.constantFrom('a', 'A', 'b', 'É', 'é', 'Σ', 'ς', 'σ', 'İ', 'ß', '東', '😀', ' ', '->', '\n'), {
    maxLength: 30,
  })
  .map((parts) => parts.join(''));

describe('a literal', () => {
  test('is found wherever it stands, at the byte where it begins, one match after the other', () => {
    expect(found('é->b->', '->')).toEqual([2, 5]);
    expect(found('aaaa', 'aa')).toEqual([0, 2]);
    expect(found('abc', 'B')).toEqual([]);
    expect(found('ÉéÉ', 'é', true)).toEqual([0, 2, 4]);
  });

  test.each([
    ['ΟΔΟΣ', 'οδος'],
    ['ΟΔΟΣ', 'ΟΔΟσ'],
    ['\u212A', 'k'],
    ['Straße', 'STRAßE'],
    ['İi', 'İI'],
  ])('that ignores case compares lower case, letter for letter: %s is %s', (text, wanted) => {
    expect(found(text, wanted, true)).toEqual([0]);
  });

  test('that ignores case compares no letters that are longer in lower case, nor ß with SS', () => {
    expect(found('İ', 'i', true)).toEqual([]);
    expect(found('Straße', 'STRASSE', true)).toEqual([]);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(foldCase(text)).toHaveLength(text.length);
      }),
    );
  });

  test('is found as String.indexOf finds it', () => {
    fc.assert(
      fc.property(texts, texts, fc.boolean(), (text, wanted, ignoreCase) => {
        fc.pre(wanted !== '');
        const [hay, needle] = ignoreCase ? [foldCase(text), foldCase(wanted)] : [text, wanted];
        const expected: number[] = [];
        for (let at = hay.indexOf(needle); at >= 0; at = hay.indexOf(needle, at + needle.length)) {
          expected.push(Buffer.byteLength(text.slice(0, at)));
        }
        expect(found(text, wanted, ignoreCase)).toEqual(expected);
      }),
    );
  });

  test('is shown where it stands, and as far as it goes where it is cut', () => {
    expect(literalSpans('a->b->', { text: '->', ignoreCase: false })).toEqual([
      [1, 3],
      [4, 6],
    ]);
    expect(literalSpans('catch (err) {\n  thr', { text: 'Throw new', ignoreCase: true })).toEqual([[16, 19]]);
    expect(literalSpans('abab', { text: 'aba', ignoreCase: false })).toEqual([[0, 3]]);
    expect(literalSpans('none', { text: 'x', ignoreCase: false })).toEqual([]);
  });
});
