import { expect, test } from 'vitest';
import { fileTypeOf, isMarkdownType } from '../../../workers/parse/file-type.ts';

test.each([
  ['a.md', 'md'],
  ['docs/A.HTML', 'html'],
  ['a.tar.gz', 'gz'],
  ['https://x.org/page.htm?q=a.b#top', 'htm'],
  ['docs/C#/a.md', 'md'],
  ['a.txt#1024', 'txt'],
  ['song.mp3', 'mp3'],
  ['C:\\dir.d\\file', ''],
  ['dir.d/file', ''],
  ['dir/.gitignore', ''],
  ['2101.00027', ''],
  ['plain', ''],
  ['a. b', ''],
  ['', ''],
])('the type of %j is %j', (uri, type) => {
  expect(fileTypeOf(uri)).toBe(type);
});

test('four extensions mean Markdown', () => {
  expect(['md', 'markdown', 'mdown', 'mkd', 'txt', ''].map(isMarkdownType)).toEqual([
    true,
    true,
    true,
    true,
    false,
    false,
  ]);
});
