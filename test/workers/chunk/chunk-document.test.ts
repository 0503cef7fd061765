import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Chunk, ChunkOptions } from '../../../workers/chunk/index.ts';
import { chunkDocument, DEFAULT_CHUNK_OPTIONS } from '../../../workers/chunk/index.ts';
import { outlineOf } from '../../../workers/parse/index.ts';
import { allowedCuts, countWords } from './oracle.ts';

function chunkText(text: string, options?: Partial<ChunkOptions>): Chunk[] {
  return chunkDocument({ text, frontMatterEnd: 0, headings: [] }, { ...DEFAULT_CHUNK_OPTIONS, ...options });
}

function chunkMarkdown(text: string, options?: Partial<ChunkOptions>, frontMatterEnd = 0): Chunk[] {
  const headings = outlineOf(text, frontMatterEnd);
  return chunkDocument({ text, frontMatterEnd, headings }, { ...DEFAULT_CHUNK_OPTIONS, ...options });
}

/** Each chunk as [heading path, lead, body]. */
function shown(text: string, chunks: Chunk[]) {
  return chunks.map(({ start, bodyStart, end, heading }) => [
    heading.join(' > '),
    text.slice(start, bodyStart),
    text.slice(bodyStart, end),
  ]);
}

function bodies(text: string, chunks: Chunk[]): string[] {
  return chunks.map(({ bodyStart, end }) => text.slice(bodyStart, end));
}

function words(count: number, from = 1): string {
  return Array.from({ length: count }, (_, i) => `w${from + i}`).join(' ');
}

function tiles(text: string, chunks: Chunk[]): boolean {
  let position = 0;
  for (const { start, bodyStart, end } of chunks) {
    if (start !== position || bodyStart < start || end < bodyStart) return false;
    position = end;
  }
  return chunks.length > 0 && position === text.length;
}

describe('sections', () => {
  test('each have a chunk with the heading path and the heading lines in its lead', () => {
    const text = 'Preface.\n\n# A\n\nOne.\n\nB\n---\nTwo.\n### C\nThree.\n## D\nFour.\n# E\nFive.';
    expect(shown(text, chunkMarkdown(text))).toEqual([
      ['', '', 'Preface.\n\n'],
      ['A', '# A\n\n', 'One.\n\n'],
      ['A > B', 'B\n---\n', 'Two.\n'],
      ['A > B > C', '### C\n', 'Three.\n'],
      ['A > D', '## D\n', 'Four.\n'],
      ['E', '# E\n', 'Five.'],
    ]);
  });

  test('that only hold deeper ones give their heading to the lead of the first', () => {
    const text = '# A\n## B\n\n### C\nText.\n';
    expect(shown(text, chunkMarkdown(text))).toEqual([['A > B > C', '# A\n## B\n\n### C\n', 'Text.\n']]);
  });

  test('that hold nothing are chunks with an empty body', () => {
    const text = '# A\n## B\n## C\n\n# D\n';
    expect(shown(text, chunkMarkdown(text))).toEqual([
      ['A > B', '# A\n## B\n', ''],
      ['A > C', '## C\n\n', ''],
      ['D', '# D\n', ''],
    ]);
  });

  test('may skip levels, and come back to them', () => {
    const text = '### A\na\n# B\nb\n#### C\nc\n## D\nd';
    expect(chunkMarkdown(text).map(({ heading }) => heading)).toEqual([['A'], ['B'], ['B', 'C'], ['B', 'D']]);
  });

  test('without words in their heading have no name in the path', () => {
    const text = '#\na\n## B\nb';
    expect(chunkMarkdown(text).map(({ heading }) => heading)).toEqual([[], ['B']]);
  });

  test('are not begun by what looks like a heading in a fence', () => {
    const text = '# A\n```\n# no\n```\n';
    expect(shown(text, chunkMarkdown(text))).toEqual([['A', '# A\n', '```\n# no\n```\n']]);
  });

  test.each(['\n', '\r\n', '\r'])('are the same when lines end in %j', (lineEnd) => {
    const text = ['# A', 'a', '', 'B', '---', 'b'].join(lineEnd);
    expect(shown(text, chunkMarkdown(text))).toEqual([
      ['A', `# A${lineEnd}`, `a${lineEnd}${lineEnd}`],
      ['A > B', `B${lineEnd}---${lineEnd}`, 'b'],
    ]);
  });

  test('come after the front matter, which is lead', () => {
    const text = '---\ntitle: T\n---\n\n# A\na';
    expect(shown(text, chunkMarkdown(text, {}, 17))).toEqual([['A', '---\ntitle: T\n---\n\n# A\n', 'a']]);
    const only = '---\ntitle: T\n---\n';
    expect(shown(only, chunkMarkdown(only, {}, 17))).toEqual([['', only, '']]);
  });
});

describe('documents', () => {
  test('without text are one empty chunk', () => {
    expect(chunkText('')).toEqual([{ start: 0, bodyStart: 0, end: 0, heading: [] }]);
  });

  test('of white space are one chunk of lead', () => {
    expect(chunkText(' \n\t')).toEqual([{ start: 0, bodyStart: 3, end: 3, heading: [] }]);
  });

  test('of up to 300 words are one chunk, white space and all', () => {
    const text = `  \n${words(300)}\n\n`;
    expect(chunkText(text)).toEqual([{ start: 0, bodyStart: 3, end: text.length, heading: [] }]);
  });

  test.each([
    [301, [151, 150]],
    [600, [300, 300]],
    [601, [200, 200, 201]],
    [1_000, [250, 250, 250, 250]],
  ])('of %i words without better borders are cut into the fewest even chunks', (count, sizes) => {
    const text = words(count);
    expect(bodies(text, chunkText(text)).map(countWords)).toEqual(expect.arrayContaining(sizes.slice(0, 1)));
    expect(bodies(text, chunkText(text)).map(countWords).toSorted()).toEqual(sizes.toSorted());
  });
});

describe('a long section is cut', () => {
  test('at the paragraph nearest to the even share, before lines, sentences and words', () => {
    const text = `${words(140)}\n\n${words(60)}. ${words(15)}\n${words(50)} \r\n \r\n${words(135)}`;
    expect(bodies(text, chunkText(text))).toEqual([text.slice(0, text.indexOf('\n\n') + 2), expect.any(String)]);
  });

  test('at a page break as at a paragraph', () => {
    const text = `${words(150)}. ${words(20)}\f${words(200)}`;
    expect(bodies(text, chunkText(text))[0]).toBe(text.slice(0, text.indexOf('\f') + 1));
  });

  test.each([
    ['a line', `${words(170)}\n`],
    ['a sentence', `${words(170)}. `],
    ['a question in quotes', `${words(170)}?”) `],
  ])('at the end of %s when paragraphs are too far off', (_, first) => {
    const text = `${words(20)}\n\n${first}${words(200)}\n\n${words(10)}`;
    const [body] = bodies(text, chunkText(text));
    expect(body).toBe(text.slice(0, text.indexOf(first) + first.length));
  });

  test('not at a blank line that would make the rest too large', () => {
    const text = `${words(290)}\n\n${words(305)}`;
    expect(bodies(text, chunkText(text)).map(countWords)).toEqual([297, 298]);
  });

  test('behind 。 in Chinese, of which two characters count as a word', () => {
    const sentence = '漢字漢字漢字漢字漢。';
    const text = sentence.repeat(90);
    const pieces = bodies(text, chunkText(text));
    expect(pieces).toHaveLength(2);
    expect(pieces[0]).toBe(sentence.repeat(45));
  });

  test('behind 、 if there is no 。, and not before closing marks', () => {
    expect(bodies('漢漢漢漢、漢漢漢', chunkText('漢漢漢漢、漢漢漢', { maxWords: 3 }))).toEqual([
      '漢漢漢漢、',
      '漢漢漢',
    ]);
    expect(bodies('漢漢漢漢」漢漢漢', chunkText('漢漢漢漢」漢漢漢', { maxWords: 3 }))).toEqual([
      '漢漢漢',
      '漢」漢漢漢',
    ]);
  });

  test('between the graphemes of Thai, which has no spaces', () => {
    const text = 'ที่นี่'.repeat(400);
    const pieces = bodies(text, chunkText(text));
    expect(pieces.length).toBeGreaterThan(1);
    for (const piece of pieces) expect(piece.codePointAt(0)).toBe(0x0e17);
  });

  test('between Chinese and Latin words in one run', () => {
    const text = 'abc漢def';
    expect(bodies(text, chunkText(text, { maxWords: 1 }))).toEqual(['abc', '漢', 'def']);
  });

  test('never inside a word, however long', () => {
    const long = 'x'.repeat(1 << 22);
    expect(chunkText(long)).toHaveLength(1);
    const text = `${words(299)} ${long} ${words(299)}`;
    expect(bodies(text, chunkText(text)).some((body) => body.includes(long))).toBe(true);
  });

  test('never before a mark that stands on a space', () => {
    expect(bodies('a \u0301b c', chunkText('a \u0301b c', { maxWords: 1 }))).toEqual(['a \u0301b ', 'c']);
  });
});

describe('overlap', () => {
  test('repeats whole words of the chunk before, inside the limit', () => {
    const text = words(12);
    expect(bodies(text, chunkText(text, { maxWords: 6, overlapWords: 2 }))).toEqual([
      'w1 w2 w3 w4 ',
      'w3 w4 w5 w6 w7 w8 ',
      'w7 w8 w9 w10 w11 w12',
    ]);
  });

  test('never reaches into the section before', () => {
    const text = '# A\na b c d\n# B\ne f g h';
    expect(shown(text, chunkMarkdown(text, { maxWords: 3, overlapWords: 1 }))).toEqual([
      ['A', '# A\n', 'a b '],
      ['A', '', 'b c d\n'],
      ['B', '# B\n', 'e f '],
      ['B', '', 'f g h'],
    ]);
  });

  test.each([
    { maxWords: 0 },
    { maxWords: 1.5 },
    { maxWords: Number.NaN },
    { maxWords: 10, overlapWords: 6 },
    { overlapWords: -1 },
    { overlapWords: 0.5 },
  ])('and size out of bounds are refused: %j', (options) => {
    expect(() => chunkText('a', options)).toThrow(RangeError);
  });
});

const pieceOfText = fc.constantFrom(
  ...[
    'word',
    'a',
    'b.',
    'Mr',
    '"Yes!"',
    'x'.repeat(40),
    ' ',
    '  ',
    '\n',
    '\n\n',
    '\r\n',
    '\r',
    '\t',
    '\u00a0',
    '\u3000',
    '\u2028',
  ],
  ...[
    '漢',
    '字',
    '。',
    '、',
    '」',
    'が',
    'か\u3099',
    'ｶﾞ',
    'ที่',
    'กำ',
    'ក្រ',
    'မြန်',
    'हिन्दी',
    '한국',
    'Ａ',
    '𠀀',
    '葛\u{E0100}',
  ],
  ...[
    'e\u0301',
    '\u0301',
    '\u200d',
    '\u200c',
    '👨‍👩‍👧',
    '👍🏽',
    '🇩🇪',
    '🇩',
    '\u0600',
    '\u{110BD}',
    '\u00ad',
    '\uFEFF',
    '〰',
    '\uFFFD',
  ],
);
const anyText = fc.oneof(
  fc.array(pieceOfText, { maxLength: 60 }).map((list) => list.join('')),
  fc.string({ unit: 'binary', maxLength: 60 }),
);
const maxWords = fc.integer({ min: 1, max: 12 });

describe('any text', () => {
  test('is tiled by its chunks, the same each time', () => {
    fc.assert(
      fc.property(anyText, maxWords, (text, limit) => {
        const chunks = chunkText(text, { maxWords: limit });
        expect(tiles(text, chunks)).toBe(true);
        expect(chunks.map(({ start, end }) => text.slice(start, end)).join('')).toBe(text);
        expect(chunkText(text, { maxWords: limit })).toEqual(chunks);
      }),
      { numRuns: 2_000 },
    );
  });

  test('is never cut inside a word, a grapheme cluster or a surrogate pair, with overlap or without', () => {
    const options = fc
      .integer({ min: 1, max: 6 })
      .chain((limit) =>
        fc.record({ maxWords: fc.constant(limit), overlapWords: fc.integer({ min: 0, max: Math.floor(limit / 2) }) }),
      );
    fc.assert(
      fc.property(anyText, options, (text, limits) => {
        const allowed = allowedCuts(text);
        for (const { start, end } of chunkText(text, limits)) {
          expect(allowed).toContain(start);
          expect(allowed).toContain(end);
        }
      }),
      { numRuns: 5_000 },
    );
  });

  test('of spaced words is cut into the fewest chunks within the limit', () => {
    const spaced = fc.array(fc.constantFrom('word', 'a.', 'ä', '\n\n', '\n', 'x y'), { maxLength: 80 });
    fc.assert(
      fc.property(spaced, maxWords, (list, limit) => {
        const text = list.join(' ');
        const sizes = bodies(text, chunkText(text, { maxWords: limit })).map(countWords);
        expect(Math.max(...sizes)).toBeLessThanOrEqual(limit);
        expect(sizes).toHaveLength(Math.max(1, Math.ceil(countWords(text) / limit)));
      }),
    );
  });

  test('with overlap is covered within the limit, each chunk going on where or before the last ended', () => {
    const spaced = fc.array(fc.constantFrom('word', 'a.', '\n\n'), { maxLength: 80 });
    fc.assert(
      fc.property(spaced, fc.integer({ min: 2, max: 12 }), (list, limit) => {
        const text = list.join(' ');
        const overlapWords = Math.floor(limit / 2);
        const chunks = chunkText(text, { maxWords: limit, overlapWords });
        for (const [i, { start, bodyStart, end }] of chunks.entries()) {
          expect(countWords(text.slice(bodyStart, end))).toBeLessThanOrEqual(limit);
          if (i === 0) continue;
          const repeated = text.slice(start, chunks[i - 1]!.end);
          expect(start).toBeGreaterThan(chunks[i - 1]!.start - 1);
          expect(countWords(repeated)).toBeLessThanOrEqual(overlapWords);
        }
      }),
    );
  });
});

test('any Markdown has the heading paths a plain model gives', () => {
  const section = fc.record({
    level: fc.integer({ min: 1, max: 6 }),
    body: fc.constantFrom('', 'text', 'two words\n\nand more'),
  });
  fc.assert(
    fc.property(fc.array(section, { maxLength: 12 }), fc.constantFrom('\n', '\r\n'), (sections, lineEnd) => {
      const lines: string[] = [];
      const expected: string[][] = [];
      const open: (string | undefined)[] = [];
      for (const [i, { level, body }] of sections.entries()) {
        const name = `h${i}`;
        lines.push(`${'#'.repeat(level)} ${name}`, ...(body === '' ? [] : body.split('\n')));
        open.length = level - 1;
        open[level - 1] = name;
        const isCarried = body === '' && (sections[i + 1]?.level ?? 0) > level;
        if (!isCarried) expected.push(open.filter((part) => part !== undefined));
      }
      const text = lines.join(lineEnd);
      const chunks = chunkMarkdown(text);
      expect(tiles(text, chunks)).toBe(true);
      expect(chunks.map(({ heading }) => heading)).toEqual(expected.length === 0 ? [[]] : expected);
    }),
  );
});

describe('hostile text of a megabyte', () => {
  const size = 1 << 20;
  test.each([
    'a ',
    'a',
    ' ',
    '\n',
    '漢',
    '。',
    '漢\u200d',
    '\u0301',
    ' \u0301',
    '👨‍👩‍👧',
    '🇩🇪',
    'ที่',
    'a\n\n',
    '\r',
    '𠀀',
  ])('is tiled when it repeats %j', (piece) => {
    const text = piece.repeat(size / piece.length);
    expect(tiles(text, chunkText(text))).toBe(true);
    expect(chunkText(text, { overlapWords: 50 }).at(-1)?.end).toBe(text.length);
  });

  test('is tiled when it is all headings', () => {
    const text = '# a\n'.repeat(200_000);
    const chunks = chunkMarkdown(text);
    expect(chunks).toHaveLength(200_000);
    expect(tiles(text, chunks)).toBe(true);
  });
});
