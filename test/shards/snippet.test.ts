import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Excerpt, excerptOf, renderSnippet, type Snippet } from '../../shards/index.ts';
import { trickyText } from './analysis/arbitraries.ts';
import { storedText } from './arbitraries.ts';
import { analyzer } from './support.ts';

const length = 80;

/** The excerpt of a body, or of a passage, for a query in words. */
function excerpt(
  passage: string | { readonly title?: string; readonly heading?: readonly string[]; readonly body: string },
  query: string,
  maxLength = length,
): Excerpt {
  const whole = { title: '', heading: [], ...(typeof passage === 'string' ? { body: passage } : passage) };
  const tokens = analyzer.queryTokens(query).map(({ alternatives }) => alternatives);
  return excerptOf(analyzer, whole, tokens, maxLength);
}

function highlighted({ text, highlights }: Snippet): string[] {
  return highlights.map(([start, end]) => text.slice(start, end));
}

const filler = (count: number): string => 'lorem ipsum dolor sit amet '.repeat(count);

describe('the window of a snippet', () => {
  it('is where most distinct words of the query stand', () => {
    const body = `red red red ${filler(20)} red blue ${filler(20)} red blue green ${filler(20)} green green blue`;
    const { snippet } = excerpt(body, 'red blue green');
    expect(highlighted(snippet)).toEqual(['red', 'blue', 'green']);
  });

  it('is where they stand nearest together, and of equals the first', () => {
    const body = `red and far away from it blue ${filler(20)} red blue ${filler(20)} blue red`;
    const { snippet } = excerpt(body, 'red blue', 60);
    expect(highlighted(snippet)).toEqual(['red', 'blue']);
    expect(snippet.text).toContain('red blue');
  });

  it('has one word of a query whose words stand further apart than it is long', () => {
    const { snippet } = excerpt(`red ${filler(20)} blue`, 'red blue');
    expect(highlighted(snippet)).toEqual(['red']);
    expect(snippet.text.startsWith('red lorem')).toBe(true);
  });

  it('holds the whole of a compound, not only its first part', () => {
    const body = `${filler(9)} getElementByIdentifier ${filler(9)}`;
    const { snippet } = excerpt(body, 'getElementByIdentifier', 40);
    expect(highlighted(snippet)).toEqual(['getElementByIdentifier']);
  });

  it('is the beginning where the body has none of the words, without white space before it', () => {
    const { snippet, matched } = excerpt(`   \n\n  First words. ${filler(20)}`, 'absent');
    expect(snippet.text.startsWith('First words. lorem')).toBe(true);
    expect(snippet.text.endsWith('…')).toBe(true);
    expect(snippet.highlights).toEqual([]);
    expect(matched).toEqual([false]);
  });

  it('is all of a short body, without any ellipsis', () => {
    expect(excerpt('A short text.', 'short').snippet).toEqual({ text: 'A short text.', highlights: [[2, 7]] });
    expect(excerpt('', 'short').snippet).toEqual({ text: '', highlights: [] });
    expect(excerpt('short', '').snippet).toEqual({ text: 'short', highlights: [] });
  });

  it('has an ellipsis at each end that was cut, and none for white space that was left out', () => {
    // A word after a page of white space had an ellipsis before it.
    const { text } = excerpt(`${filler(20)}needle ${filler(20)}`, 'needle').snippet;
    expect(text).toMatch(/^…\w.*needle.*\w…$/);
    expect(excerpt(`${' '.repeat(300)}needle${'\n'.repeat(300)}`, 'needle').snippet.text).toBe('needle');
    expect(excerpt(`needle ${filler(20)}`, 'needle').snippet.text).toMatch(/^needle .*…$/);
    expect(excerpt(`${filler(20)}needle`, 'needle').snippet.text).toMatch(/^…\w.* needle$/);
  });

  it('is cut between words where there are spaces', () => {
    for (let shift = 0; shift < 30; shift++) {
      const body = `${'x'.repeat(shift)} ${filler(10)}needle ${filler(10)}`;
      const words = new Set(body.split(/\s+/));
      const { text } = excerpt(body, 'needle').snippet;
      for (const word of text.replaceAll('…', '').split(' ')) expect(words.has(word)).toBe(true);
    }
  });
});

describe('highlights', () => {
  it.each([
    ['Books and a book', 'book', ['Books', 'book']],
    ['😀 needle 👩‍💻 needles', 'needle', ['needle', 'needles']],
    ['le re\u0301sume\u0301 d’été', 'résumé', ['re\u0301sume\u0301']],
    ['𠮷野家 and 東京都庁', '東京', ['東京']],
    ['いま東京都庁へ', '東京都', ['東京都']],
    ['İstanbul ﬁne ＦＵＬＬ', 'istanbul fine full', ['İstanbul', 'ﬁne', 'ＦＵＬＬ']],
    ['see PIO-1384 now', 'pio_1384', ['PIO-1384']],
    ['co\u00adoperation', 'cooperation', ['co\u00adoperation']],
    ['C++ is not C', 'C++', ['C++']],
    ['one\ufefftwo three', 'onetwo', ['one\ufefftwo']],
  ])('in %j for %j cover %j', (body, query, expected) => {
    expect(highlighted(excerpt(body, query).snippet)).toEqual(expected);
  });

  it('keep their place when white space shrinks', () => {
    const { snippet } = excerpt('a\r\n\r\n\tred \u3000 \u2028 blue\u00a0\u00a0green  ', 'red green');
    expect(snippet.text).toBe('a red blue green');
    expect(highlighted(snippet)).toEqual(['red', 'green']);
  });

  it('of overlapping words are joined', () => {
    expect(highlighted(excerpt('wi-fi', 'wi-fi wi fi').snippet)).toEqual(['wi-fi']);
  });
});

describe('matched words', () => {
  it('count title and headings as well as the body', () => {
    const passage = { title: 'Red book', heading: ['Blue', 'Deep sea'], body: 'green' };
    expect(excerpt(passage, 'red sea green absent blue').matched).toEqual([true, true, true, false, true]);
  });

  it('need all terms of one alternative', () => {
    expect(excerpt('wi only', 'wi-fi').matched).toEqual([false]);
    expect(excerpt('fi and wi', 'wi-fi').matched).toEqual(excerpt('wi fi', 'wi-fi').matched);
    expect(excerpt('a wi-fi', 'wi-fi').matched).toEqual([true]);
  });
});

describe('a rendered snippet', () => {
  const marks = { open: '<b>', close: '</b>' };

  it('has markers round each highlight', () => {
    const { snippet } = excerpt('red and red', 'red');
    expect(renderSnippet(snippet, { ...marks, html: false })).toBe('<b>red</b> and <b>red</b>');
  });

  it('escapes the text, not the markers, for HTML', () => {
    const { snippet } = excerpt(`<script>"red" & 'blue'</script>`, 'red blue');
    expect(renderSnippet(snippet, { ...marks, html: true })).toBe(
      '&lt;script&gt;&quot;<b>red</b>&quot; &amp; &#39;<b>blue</b>&#39;&lt;/script&gt;',
    );
  });

  it('passes every piece of text through clean()', () => {
    const { snippet } = excerpt('a \u001b[31mred\u001b[0m z', 'a z');
    const clean = (text: string): string => text.replaceAll('\u001b', '');
    expect(renderSnippet(snippet, { ...marks, html: false, clean })).toBe('<b>a</b> [31mred[0m <b>z</b>');
  });
});

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const longBody = fc.array(fc.oneof(storedText, trickyText), { maxLength: 12 }).map((parts) => parts.join(' '));

/** A body and a query made of pieces of it and of something else. */
const bodyAndQuery = fc
  .record({ body: longBody, from: fc.nat(), size: fc.nat(40), other: trickyText })
  .map(({ body, from, size, other }) => {
    const start = body.length === 0 ? 0 : from % body.length;
    return { body, query: `${body.slice(start, start + size)} ${other}` };
  });

const strip = (text: string): string => text.replace(/^[ \ufeff]+| +$/g, '');
const squeeze = (text: string): string => text.replace(/[^\S\ufeff]+/g, ' ');

describe('for any text and query', () => {
  it('highlights are in order, disjoint, inside, not empty, and never split a surrogate pair', () => {
    fc.assert(
      fc.property(bodyAndQuery, fc.constantFrom(40, 60, 240), ({ body, query }, maxLength) => {
        const { text, highlights } = excerpt(body, query, maxLength).snippet;
        let position = 0;
        for (const [start, end] of highlights) {
          expect(start).toBeGreaterThanOrEqual(position);
          expect(end).toBeGreaterThan(start);
          position = end;
        }
        expect(position).toBeLessThanOrEqual(text.length);
        expect(text.slice(0).includes('\n')).toBe(false);
        const wellFormedBody = body.toWellFormed() === body;
        if (wellFormedBody) expect(highlighted({ text, highlights }).join('').isWellFormed()).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('the text is a piece of the body between grapheme borders, an ellipsis where it was cut', () => {
    fc.assert(
      fc.property(bodyAndQuery, fc.constantFrom(40, 60), ({ body: any, query }, maxLength) => {
        const body = any.toWellFormed();
        const { text } = excerpt(body, query, maxLength).snippet;
        const borders = [...graphemes.segment(body)].map(({ index }) => index).concat(body.length);
        const isCut = (start: number, end: number): boolean => {
          const inner = squeeze(body.slice(start, end)).replace(/^ | $/g, '');
          const before = /\S/.test(body.slice(0, start)) ? '…' : '';
          const after = /\S/.test(body.slice(end)) ? '…' : '';
          return before + inner + after === text;
        };
        expect(borders.some((start) => borders.some((end) => end >= start && isCut(start, end)))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('the text is at most maxLength and a little more, unless one word of the query is longer', () => {
    fc.assert(
      fc.property(bodyAndQuery, fc.constantFrom(40, 60, 240), ({ body, query }, maxLength) => {
        const { text, highlights } = excerpt(body, query, maxLength).snippet;
        const longest = Math.max(0, ...highlights.map(([start, end]) => end - start));
        expect(text.length).toBeLessThanOrEqual(Math.max(maxLength, longest) + 2 * 40 + 2 + 32);
      }),
      { numRuns: 1_000 },
    );
  });

  it('a body that fits is shown whole, with exactly the matching words highlighted', () => {
    fc.assert(
      fc.property(bodyAndQuery, ({ body, query }) => {
        const { text, highlights } = excerpt(body, query, 10_000).snippet;
        expect(strip(text)).toBe(strip(squeeze(body)));
        const wanted = new Set(analyzer.queryTokens(query).flatMap(({ alternatives }) => alternatives.flat()));
        const covered = new Set<number>();
        analyzer.visitTerms(text, wanted, (_term, start, end) => {
          for (let at = start; at < end; at++) covered.add(at);
        });
        const marked = highlights.flatMap(([start, end]) => Array.from({ length: end - start }, (_, at) => start + at));
        expect(marked).toEqual([...covered].sort((a, b) => a - b));
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('work is bounded', () => {
  it('for a chunk of 4 MB with a match in every word', () => {
    const { snippet, matched } = excerpt('needle hay '.repeat(380_000), 'needle hay');
    expect(matched).toEqual([true, true]);
    expect(snippet.text.length).toBeLessThan(length + 60);
  });

  it('for a chunk of 4 MB without white space', () => {
    for (const unit of ['x', '東', '👩\u200d💻', 'e\u0301\u0301\u0301']) {
      const { snippet } = excerpt(`${unit.repeat(Math.ceil(2_000_000 / unit.length))} needle`, 'needle');
      expect(highlighted(snippet)).toEqual(['needle']);
    }
  });

  it('for a query of 10,000 words in a chunk of 1 MB', () => {
    const words = Array.from({ length: 10_000 }, (_, index) => `w${index}`).join(' ');
    const { matched } = excerpt(`${words} `.repeat(18), words);
    expect(matched.every(Boolean)).toBe(true);
  });

  it('for a query whose 10,000 tokens are one word', () => {
    const { snippet } = excerpt(filler(1000), 'lorem '.repeat(10_000));
    expect(highlighted(snippet)[0]).toBe('lorem');
  });
});
