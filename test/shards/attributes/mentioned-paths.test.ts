import { describe, expect, it } from 'vitest';
import { mentionedPaths } from '../../../shards/attributes/mentioned-paths.ts';

describe('the paths that a text mentions', () => {
  it.each([
    ['a word with a directory', 'See src/cli.ts, or (docs/guide.md).', ['src/cli.ts', 'docs/guide.md']],
    ['a word with the directories of another system', 'open C:\\logs\\boot.log now', ['C:\\logs\\boot.log']],
    [
      'a word relative to something',
      './a/b.md ../c/d.md ~/e.conf /etc/f.toml',
      ['a/b.md', '../c/d.md', '~/e.conf', '/etc/f.toml'],
    ],
    [
      'a path behind a mark and before the end of a sentence',
      'file:src/a.ts. "lib/b.js"; <c/d.py>',
      ['lib/b.js', 'c/d.py'],
    ],
    ['a name in code', 'Edit `README.md` and `.ci/run.sh`.', ['README.md', '.ci/run.sh']],
    ['paths in a command in code', 'Run `cp a/x.ts b/y.ts && cat notes.txt`.', ['a/x.ts', 'b/y.ts', 'notes.txt']],
    ['a path with spaces in code', 'It is in `docs/a b.md`.', ['docs/a b.md']],
    ['a path with an extension of its own in code', 'It is in `data/old.xyz`.', ['data/old.xyz']],
    ['a path in other letters in code', 'Se `böcker/bokföring.md`.', ['böcker/bokföring.md']],
    ['the target of a link', '[guide]( guide.md "The guide") ![plan](img/plan.svg)', ['guide.md', 'img/plan.svg']],
    ['the target of a link with spaces', '[a](<docs/a b.md>) [b](docs/a%20c.md#top)', ['docs/a b.md', 'docs/a c.md']],
    ['a target that is not well encoded', '[a](docs/100%.md)', ['docs/100%.md']],
    ['one path many times', 'a/b.c a/b.c `a/b.c`', ['a/b.c']],
  ])('are %s', (_what, text, paths) => {
    expect([...mentionedPaths(text)].sort()).toEqual([...paths].sort());
  });

  it.each([
    ['URLs', 'https://example.org/a/b.md [x](http://example.org/c.html) `ftp://e.org/d.txt` [y](//e.org/f.md)'],
    ['names outside code', 'README.md, node.js and Array.from'],
    ['members and domains', '`Array.from` `fs.readFileSync` `example.org` `a.b`'],
    ['words with an extension that nobody knows', 'and/or.Then 1/2.5x w3/org.example'],
    ['extensions alone', '`.md` a/.ts'],
    ['code that is not closed on its line', 'a `b\nREADME.md` c'],
    ['fences', '```\nREADME.md\n```'],
    ['expressions in code', '`x=a.b*c.d` `a/*.ts` `{a,b}/c.md` `$(a)/b.c`'],
    ['a longer word', 'src/cli.ts/more src/cli.ts-old'],
  ])('are not %s', (_what, text) => {
    expect([...mentionedPaths(text)]).toEqual([]);
  });

  it('are found in time linear in the length of the text', () => {
    const hostile = [
      '`'.repeat(200_000),
      ']('.repeat(100_000),
      'a/'.repeat(100_000),
      '.ts'.repeat(70_000),
      '`a.b '.repeat(40_000),
    ];
    for (const text of hostile) expect(mentionedPaths(text).size).toBeLessThan(2);
  });
});
