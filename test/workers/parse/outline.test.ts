import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { describe, expect, test } from 'vitest';
import { outlineOf } from '../../../workers/parse/index.ts';

/** The headings as [level, text, the lines they stand on]. */
function outline(text: string, from = 0) {
  return outlineOf(text, from).map(({ level, text: title, start, end }) => [level, title, text.slice(start, end)]);
}

describe('headings', () => {
  test('are ATX and setext headings, with all their lines', () => {
    expect(outline('# One\ntext\n\nTwo\nlines\n---\n   ### Three ##\nFour\n=')).toEqual([
      [1, 'One', '# One\n'],
      [2, 'Two lines', 'Two\nlines\n---\n'],
      [3, 'Three', '   ### Three ##\n'],
      [1, 'Four', 'Four\n='],
    ]);
  });

  test.each([
    ['a fence', '```\n# no\n```'],
    ['a fence that is never closed', '~~~ sh\n# no\n'],
    ['indented code', 'a\n\n    # no\n'],
    ['an HTML block', '<div>\n# no\n</div>'],
    ['an HTML comment', '<!--\n\n# no\n\n-->'],
    ['a quote', '> # no\n> no\n> ==='],
    ['a list item', '- # no\n- no\n  ---\n1. # no'],
    ['a paragraph, seven marks', '####### no'],
    ['a paragraph, no space', '#no'],
    ['a paragraph, escaped', '\\# no'],
    ['a table before a rule', '|a|b|\n|-|-|\n|c|d|\n---\n'],
    ['a rule', 'a\n\n---\n'],
    ['a link definition', '[a]: b\n===\n'],
    ['text without a mark', 'no headings here'],
    ['nothing', ''],
  ])('are not what looks like one in %s', (_, text) => {
    expect(outline(text)).toEqual([]);
  });

  test.each(['\n', '\r\n', '\r'])('are found at their places when lines end in %j', (lineEnd) => {
    const text = ['# One', 'text', '', 'Two', '===', '```', '# no', '```', '', '', '## Three'].join(lineEnd);
    expect(outline(text)).toEqual([
      [1, 'One', `# One${lineEnd}`],
      [1, 'Two', `Two${lineEnd}===${lineEnd}`],
      [2, 'Three', '## Three'],
    ]);
  });

  test('are looked for behind the given offset only', () => {
    expect(outline('---\n# comment\n---\n# One', 18)).toEqual([[1, 'One', '# One']]);
  });

  test('interrupt quotes and follow lists', () => {
    expect(outline('> quote\n# One\n- item\n\nTwo\n===\n')).toEqual([
      [1, 'One', '# One\n'],
      [1, 'Two', 'Two\n===\n'],
    ]);
  });

  test('may be empty', () => {
    expect(outline('#\n## ##\n')).toEqual([
      [1, '', '#\n'],
      [2, '', '## ##\n'],
    ]);
  });
});

test('the outline is the one markdown-it gives with all its rules', () => {
  const line = fc.constantFrom(
    ...[
      '# a',
      '## b ##',
      'text',
      '',
      '===',
      '---',
      '- - -',
      '> q',
      '> # q',
      '- item',
      '  more',
      '    code',
      '1. one',
      '\t# t',
    ],
    ...[
      '```',
      '~~~',
      '<div>',
      '</div>',
      '<!-- c',
      '-->',
      '|a|b|',
      '|-|-|',
      '|c|',
      '[r]: /u',
      '"t"',
      '***',
      '   ### c',
      '#',
      ' ',
      '+',
      '- # i',
    ],
  );
  const reference = new MarkdownIt({ html: true });
  fc.assert(
    fc.property(fc.array(line, { maxLength: 14 }), fc.constantFrom('\n', '\r\n', '\r'), (lines, lineEnd) => {
      const text = lines.join(lineEnd);
      const starts = [0];
      for (const { length } of lines) starts.push(starts.at(-1)! + length + lineEnd.length);
      const expected = reference
        .parse(text, {})
        .filter((token) => token.type === 'heading_open' && token.level === 0)
        .map((token) => [
          Number(token.tag.slice(1)),
          starts[token.map![0]],
          Math.min(starts[token.map![1]]!, text.length),
        ]);
      expect(outlineOf(text, 0).map(({ level, start, end }) => [level, start, end])).toEqual(expected);
    }),
    { numRuns: 2_000 },
  );
});

describe('hostile Markdown', () => {
  const size = 1 << 20;
  const filled = (piece: string) => piece.repeat(Math.ceil(size / piece.length));

  test.each([
    ['nested quotes', filled('>')],
    ['quotes on each line', filled('> > > > > > > > > > a\n')],
    ['brackets', filled('[')],
    ['open link definitions', filled('[a]: b "\n')],
    ['an HTML tag without end', `<a${filled(' b')}`],
    ['a rule that is none', `${filled('-')}x`],
    ['white space', filled(' \t')],
    ['table bars', filled('|-')],
    ['table heads', filled('a|\n-|-\n')],
    ['backticks on each line', filled('```\na\n```\n')],
    ['list items', filled('- > a\n')],
  ])('does not hide the heading behind %s', (_, text) => {
    expect(outline(`${text}\n\n# end`)).toContainEqual([1, 'end', '# end']);
  });

  test('of a million headings is listed', () => {
    expect(outlineOf('# a\n'.repeat(1_000_000), 0)).toHaveLength(1_000_000);
  });

  test.each([
    ['deep lists', `${'- '.repeat(100_000)}a\n`],
    ['deeply indented lists', Array.from({ length: 1_000 }, (_, i) => `${' '.repeat(i)}- a\n`).join('')],
    ['emphasis', `# ${filled('*a ')}\n`],
    ['open links', `# ${filled('[a](b *')}\n`],
    ['a setext heading of many lines', `${filled('a *b\n')}===\n`],
  ])('with %s is read to its end', (_, text) => {
    expect(outlineOf(`${text}\n# end`, 0).length).toBeLessThan(3);
  });
}, 60_000);
