import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AsciiTerms } from '../../../shards/analysis/ascii-terms.ts';
import { LANGUAGES, type Language } from '../../../shards/analysis/language.ts';
import { languageOf } from '../../../shards/analysis/languages.ts';
import { TermBuffer } from '../../../shards/analysis/term-buffer.ts';
import { MAX_KEY_BYTES } from '../../../shards/analysis/term-table.ts';
import { wordTerms } from '../../../shards/analysis/word-terms.ts';

/** Terms in place and extras, each as one text, and their number. */
type Written = readonly [main: string, extras: string, count: number];

function byBytes(ascii: AsciiTerms, token: string): Written {
  const sink = { main: new TermBuffer(8), extras: new TermBuffer(8) };
  const bytes = Buffer.from(`<${token}>`);
  const count = ascii.encode(bytes, 1, bytes.length - 1, sink);
  const text = (buffer: TermBuffer): string => buffer.bytes.toString('utf8', 0, buffer.length);
  return [text(sink.main), text(sink.extras), count];
}

function byStrings(token: string, language: Language): Written {
  const { terms } = wordTerms(token, language);
  const text = (wanted: boolean): string =>
    terms
      .filter(({ extra }) => extra === wanted)
      .map(({ text: term }) => `${term} `)
      .join('');
  return [text(false), text(true), terms.length];
}

const word = fc.oneof(
  fc.stringMatching(/^[a-z]{1,12}$/),
  fc.stringMatching(/^[A-Za-z]{1,12}$/),
  fc.stringMatching(/^(?:[A-Z]{0,3}[a-z]{0,3}){0,4}s$/),
  fc.stringMatching(/^[0-9]{1,4}$/),
  fc.stringMatching(/^[A-Za-z0-9]{1,30}$/),
  fc.constantFrom('s', 'S', 'Running', 'ABCs', 'URLs', 'getElementById', 'iPhones'),
);
const joiner = fc.oneof(fc.constantFrom(..."-_./\\@:'&+,"), fc.constantFrom('__', '___', "'"));
const token = fc
  .tuple(
    fc.constantFrom('', '', '', '.'),
    word,
    fc.array(fc.tuple(joiner, word), { maxLength: 9 }),
    fc.constantFrom('', '', '', '#', '++'),
  )
  .map(([dot, first, rest, symbol]) => `${dot}${first}${rest.flat().join('')}${symbol}`)
  .filter((text) => text.length <= MAX_KEY_BYTES);

const languages = LANGUAGES.map(languageOf).filter(({ stemAscii }) => stemAscii !== null);

describe.each(languages.map((language) => [language.id, language] as const))('in %s', (id, language) => {
  it('the terms of an ASCII token are those that wordTerms gives', () => {
    const ascii = new AsciiTerms(language.stemAscii!);
    fc.assert(
      fc.property(token, (text) => {
        expect(byBytes(ascii, text)).toEqual(byStrings(text, language));
      }),
      { numRuns: id === 'en' ? 3000 : 300 },
    );
  });

  it('the same token gives the same terms when its words are known', () => {
    const ascii = new AsciiTerms(language.stemAscii!);
    for (const text of ['Read-Write', 'reading_writers', 'ReadWriteLocks', 'Read-Write']) {
      expect(byBytes(ascii, text)).toEqual(byStrings(text, language));
      expect(byBytes(ascii, text)).toEqual(byStrings(text, language));
    }
  });
});

it('a token that is not ASCII or too long is left to wordTerms', () => {
  const ascii = new AsciiTerms((letters) => letters);
  for (const text of ['naïve', 'x'.repeat(MAX_KEY_BYTES + 1)]) expect(byBytes(ascii, text)).toEqual(['', '', -1]);
  expect(byBytes(ascii, 'x'.repeat(MAX_KEY_BYTES))[2]).toBe(1);
});
