import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type FrameOptions, frameRecords, maxDocumentBytes, SourceError } from '../../../src/sources/index.ts';
import { breaking, chunked, drain, framesOf, rangesOf, textsOf } from './support.ts';

type Options = Omit<FrameOptions, 'format'>;

function frameText(bytes: string | Buffer, options: Options = {}, sizes: readonly number[] = []) {
  const buffer = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
  return framesOf(frameRecords(chunked(buffer, sizes), { format: 'markdown', ...options }));
}

const someText = fc
  .array(fc.oneof(fc.string({ unit: 'grapheme', maxLength: 12 }), fc.constantFrom('\n', '\r\n', 'é', '😀', '\ufeff')), {
    maxLength: 30,
  })
  .map((parts) => Buffer.from(parts.join('').replaceAll('\0', '')));
const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 5 });
const limit = fc.integer({ min: 4, max: 40 });

test('for any text, cuts and limit, records tile the file, none is over the limit, none begins inside a character', async () => {
  await fc.assert(
    fc.asyncProperty(someText, cuts, limit, async (bytes, sizes, maxDocumentBytes) => {
      const frames = await frameText(bytes, { maxDocumentBytes }, sizes);
      const mark = bytes.subarray(0, 3).toString('latin1') === '\xef\xbb\xbf' ? 3 : 0;
      expect(textsOf(frames).join('')).toBe(bytes.subarray(mark).toString('latin1'));
      let position = 0;
      for (const { bytes: part, byteStart, byteEnd, records } of frames) {
        expect(byteStart).toBe(position);
        expect(byteEnd - byteStart).toBe(part.length);
        expect(part.length).toBeLessThanOrEqual(maxDocumentBytes);
        expect(isUtf8(part)).toBe(true);
        expect(records).toHaveLength(2);
        position = byteEnd;
      }
      expect(position).toBe(bytes.length);
    }),
    { numRuns: 1000 },
  );
});

test('framing that goes on at any frame border gives the same frames that follow it', async () => {
  await fc.assert(
    fc.asyncProperty(someText, cuts, limit, async (bytes, sizes, maxDocumentBytes) => {
      const frames = await frameText(bytes, { maxDocumentBytes }, sizes);
      for (const [i, { byteEnd }] of frames.entries()) {
        if (byteEnd === 0) continue;
        const rest = await frameText(bytes.subarray(byteEnd), { maxDocumentBytes, start: byteEnd });
        expect(rest).toEqual(frames.slice(i + 1));
      }
    }),
  );
});

test('a file is one record without its byte order mark', async () => {
  expect(rangesOf(await frameText('\ufeff# Title\r\n\r\ntext', {}, [1]))).toEqual([
    { start: 3, end: 18, text: '# Title\r\n\r\ntext' },
  ]);
});

test('an empty file is one empty record, so that it can be counted', async () => {
  const frames = await frameText('');
  expect(frames).toHaveLength(1);
  expect(frames[0]).toMatchObject({ byteStart: 0, byteEnd: 0, rejects: [] });
  expect([...(frames[0]?.records ?? [])]).toEqual([0, 0]);
});

test('a file of just the limit is one record, a byte more is cut after the last line end', async () => {
  expect(textsOf(await frameText('ab\ncd\nef', { maxDocumentBytes: 8 }))).toEqual(['ab\ncd\nef']);
  expect(textsOf(await frameText('ab\ncd\nefg', { maxDocumentBytes: 8 }))).toEqual(['ab\ncd\n', 'efg']);
  expect(textsOf(await frameText('ab\ncd\nefg\n', { maxDocumentBytes: 8 }))).toEqual(['ab\ncd\n', 'efg\n']);
});

test('a file larger than 16 MiB is cut at line ends into records of at most that size', async () => {
  const line = Buffer.from(`${'x'.repeat(999)}\n`);
  async function* source(): AsyncGenerator<Buffer> {
    for (let i = 0; i < 40_000; i++) yield line;
  }
  const frames = await framesOf(frameRecords(source(), { format: 'text' }));
  expect(frames).toHaveLength(3);
  for (const { bytes } of frames) expect(bytes.length % 1000).toBe(0);
  expect(frames[0]?.bytes.length).toBe(Math.floor(maxDocumentBytes / 1000) * 1000);
  expect(frames.at(-1)?.byteEnd).toBe(40_000_000);
});

test('binary data is one reject over the whole file that says where the NUL stands', async () => {
  const frames = await frameText(Buffer.from(`PK\u0003\u0004\0${'z'.repeat(100)}`), { maxDocumentBytes: 20 }, [7]);
  expect(frames).toHaveLength(1);
  expect(textsOf(frames)).toEqual([]);
  expect(frames[0]).toMatchObject({ byteStart: 0, byteEnd: 105 });
  expect(frames[0]?.rejects).toEqual([{ byteStart: 0, byteEnd: 105, reason: 'binary data (NUL at byte 4)' }]);
});

test('a NUL after the first 8 KiB does not make a text binary', async () => {
  expect(textsOf(await frameText(Buffer.concat([Buffer.alloc(8192, 'a'), Buffer.alloc(1)])))).toHaveLength(1);
});

test.each([
  ['little', Buffer.from('\ufeffTitle', 'utf16le')],
  ['big', Buffer.from('\ufeffTitle', 'utf16le').swap16()],
])('UTF-16 of %s endian is a reject that says so', async (_, bytes) => {
  const frames = await frameText(bytes);
  expect(textsOf(frames)).toEqual([]);
  expect(frames[0]?.rejects[0]?.reason).toContain('UTF-16: convert it to UTF-8');
});

test('a file that breaks off is rejected whole, not indexed by half', async () => {
  const broken = new SourceError('a.md.gz', 'truncated', 7);
  const { items, error } = await drain(
    frameRecords(breaking(chunked(Buffer.from('# Title'), []), broken), { format: 'markdown' }),
  );
  expect(error).toBe(broken);
  expect(textsOf(items)).toEqual([]);
  expect(items[0]?.rejects).toEqual([{ byteStart: 0, byteEnd: 7, reason: 'incomplete: truncated' }]);
});

test('a file of which nothing can be read has no frame and is not taken for an empty one', async () => {
  const broken = new SourceError('a.md.gz', 'it is not gzip data', 0);
  const { items, error } = await drain(
    frameRecords(breaking(chunked(Buffer.alloc(0), []), broken), { format: 'text' }),
  );
  expect(error).toBe(broken);
  expect(items).toEqual([]);
});
