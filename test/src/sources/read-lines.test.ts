import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { findLines, type Line, readLines } from '../../../src/sources/index.ts';
import { shelfmarkError } from '../support.ts';
import { temporaryFile, temporaryFolder } from './support.ts';

async function linesOf(name: string, content: string | Uint8Array): Promise<Line[]> {
  const source = await findLines(await temporaryFile(name, content), 'lines');
  const lines: Line[] = [];
  for await (const line of readLines(source)) lines.push(line);
  return lines;
}

describe('readLines', () => {
  test.each(['\n', '\r\n', '\r'])(
    'numbers lines that end with %j, blank ones too, and gives those that are not',
    async (end) => {
      const lines = await linesOf('a.txt', ['one', '', '  ', 'four', '', 'six'].join(end));
      expect(lines).toEqual([
        { text: 'one', number: 1 },
        { text: 'four', number: 4 },
        { text: 'six', number: 6 },
      ]);
    },
  );

  test('takes CR LF for one end of a line where a frame ends between the two', async () => {
    const frame = 1024 * 1024;
    const long = 'x'.repeat(frame - 1);
    const lines = await linesOf('a.txt', `${long}\r\ntwo\r\n\r\nfour`);
    expect(lines.map(({ number, text }) => [number, text.length])).toEqual([
      [1, long.length],
      [2, 3],
      [4, 4],
    ]);
  });

  test('goes on counting over many frames', async () => {
    const texts = Array.from({ length: 300 }, (_, index) => `${index} `.padEnd(10_000, 'x'));
    const lines = await linesOf('a.txt.gz', gzipSync(texts.join('\n\n')));
    expect(lines.map(({ number }) => number)).toEqual(texts.map((_, index) => 2 * index + 1));
    expect(lines.map(({ text }) => text)).toEqual(texts);
  });

  test('says where something is that is not text', async () => {
    const error = await shelfmarkError(linesOf('a.txt', Buffer.from('\ufefft\0e\0', 'utf16le')), 'SHELFMARK_USAGE');
    expect(error.message).toContain('a.txt, byte 0: ');
  });
});

describe('findLines', () => {
  test('refuses a folder, and says what it expected', async () => {
    const error = await shelfmarkError(findLines(await temporaryFolder(), 'questions'), 'SHELFMARK_USAGE');
    expect(error.message).toContain('is not a file of questions');
  });
});
