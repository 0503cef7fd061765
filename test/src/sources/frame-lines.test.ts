import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Frame, type FrameOptions, frameRecords, SourceError } from '../../../src/sources/index.ts';
import { breaking, chunked, drain, framesOf, rangesOf, textsOf } from './support.ts';

type Options = Omit<FrameOptions, 'format'>;

function frameLines(bytes: string | Buffer, options: Options = {}, sizes: readonly number[] = []) {
  const buffer = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
  return framesOf(frameRecords(chunked(buffer, sizes), { format: 'jsonl', ...options }));
}

/** What framing should find, said in the plainest way. */
function model(bytes: Buffer, maxRecordBytes: number) {
  const text = bytes.toString('latin1');
  if (/^(\xff\xfe|\xfe\xff)/.test(text)) return { records: [], rejects: [{ byteStart: 0, byteEnd: text.length }] };
  const records: { start: number; end: number; text: string }[] = [];
  const rejects: { byteStart: number; byteEnd: number }[] = [];
  let start = text.startsWith('\xef\xbb\xbf') ? 3 : 0;
  for (const line of text.slice(start).split(/[\r\n]/)) {
    const end = start + line.length;
    if (line.length > maxRecordBytes) rejects.push({ byteStart: start, byteEnd: end });
    else if (/[^ \t\v\f]/.test(line)) records.push({ start, end, text: line });
    start = end + 1;
  }
  return { records, rejects };
}

function rejectsOf(frames: readonly Frame[]) {
  return frames.flatMap((frame) => frame.rejects.map(({ byteStart, byteEnd }) => ({ byteStart, byteEnd })));
}

function expectTiles(frames: readonly Frame[], start: number, end: number): void {
  let position = start;
  for (const { bytes, byteStart, byteEnd } of frames) {
    expect(byteStart).toBe(position);
    expect(byteEnd).toBeGreaterThanOrEqual(byteStart + bytes.length);
    position = byteEnd;
  }
  expect(position).toBe(end);
}

const someBytes = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom('\n', '\r', '\r\n', ' ', '\t', 'a', 'bc', '{"k":1}') },
      { weight: 1, arbitrary: fc.constantFrom('\xef\xbb\xbf', '\xff\xfe', '\xfe\xff', '\0', '\xe2\x80\xa8') },
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 30 }).map((bytes) => Buffer.from(bytes).toString('latin1')) },
    ),
    { maxLength: 60 },
  )
  .map((parts) => Buffer.from(parts.join(''), 'latin1'));
const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 5 });
const limits = fc.record({
  targetBytes: fc.integer({ min: 1, max: 40 }),
  maxRecordBytes: fc.integer({ min: 1, max: 40 }),
});

test('for any bytes, cuts and limits, frames tile the source and hold the records of a plain split', async () => {
  await fc.assert(
    fc.asyncProperty(someBytes, cuts, limits, async (bytes, sizes, options) => {
      const frames = await frameLines(bytes, options, sizes);
      const expected = model(bytes, options.maxRecordBytes);
      expectTiles(frames, 0, bytes.length);
      expect(rangesOf(frames)).toEqual(expected.records);
      expect(rejectsOf(frames)).toEqual(expected.rejects);
    }),
    { numRuns: 2000 },
  );
});

test('frames do not depend on how the bytes came in chunks, and each has memory of its own', async () => {
  await fc.assert(
    fc.asyncProperty(someBytes, cuts, limits, async (bytes, sizes, options) => {
      const frames = await frameLines(bytes, options, sizes);
      expect(frames).toEqual(await frameLines(bytes, options));
      expect(new Set(frames.map((frame) => frame.bytes.buffer)).size).toBe(frames.length);
    }),
  );
});

test('framing that goes on at any frame border gives the same frames that follow it', async () => {
  await fc.assert(
    fc.asyncProperty(someBytes, limits, async (bytes, options) => {
      const frames = await frameLines(bytes, options);
      for (const [i, { byteEnd }] of frames.entries()) {
        if (byteEnd === 0) continue;
        const rest = await frameLines(bytes.subarray(byteEnd), { ...options, start: byteEnd });
        expect(rest).toEqual(frames.slice(i + 1));
      }
    }),
    { numRuns: 500 },
  );
});

test('a source that breaks off yields its complete lines, rejects the rest of the last, then throws', async () => {
  await fc.assert(
    fc.asyncProperty(someBytes, cuts, limits, async (bytes, sizes, options) => {
      const broken = new SourceError('a.gz', 'truncated', bytes.length);
      const chunks = breaking(chunked(bytes, sizes), broken);
      const { items, error } = await drain(frameRecords(chunks, { format: 'jsonl', ...options }));
      expect(error).toBe(broken);
      expectTiles(items, 0, bytes.length);
      const complete = model(bytes, options.maxRecordBytes).records.filter(({ end }) => end < bytes.length);
      expect(rangesOf(items)).toEqual(complete);
    }),
    { numRuns: 500 },
  );
});

test('the rejected rest of a line that broke off says why', async () => {
  const chunks = breaking(chunked(Buffer.from('{"a":1}\n{"b'), []), new SourceError('a.gz', 'truncated', 11));
  const { items } = await drain(frameRecords(chunks, { format: 'jsonl' }));
  expect(textsOf(items)).toEqual(['{"a":1}']);
  expect(items[0]?.rejects).toEqual([{ byteStart: 8, byteEnd: 11, reason: 'incomplete: truncated' }]);
});

test('an error that is not about the source passes through without a last frame', async () => {
  const chunks = breaking(chunked(Buffer.from('{"a":1}\n'), []), new TypeError('a fault of ours'));
  const { items, error } = await drain(frameRecords(chunks, { format: 'jsonl' }));
  expect(items).toEqual([]);
  expect(error).toBeInstanceOf(TypeError);
});

test('LF, CR LF and lone CR end lines, U+2028 does not, and the last line needs no end', async () => {
  const frames = await frameLines('{"a":1}\r\n\r\n{"b":"\u2028"}\r{"c":3}\n  \n{"d":4}');
  expect(frames).toHaveLength(1);
  expect(rangesOf(frames).map(({ start, end }) => [start, end])).toEqual([
    [0, 7],
    [11, 22],
    [23, 30],
    [34, 41],
  ]);
});

test('a byte order mark is no part of the first record, and one later is data', async () => {
  expect(textsOf(await frameLines('\ufeff{"a":1}\n\ufeff{"b":1}', { targetBytes: 1 }))).toEqual([
    '{"a":1}',
    '\xef\xbb\xbf{"b":1}',
  ]);
  expect(textsOf(await frameLines('\ufeff\n'))).toEqual([]);
});

test('an empty source is one empty frame without records', async () => {
  const frames = await frameLines('');
  expect(frames).toEqual([
    { bytes: Buffer.alloc(0), byteStart: 0, byteEnd: 0, records: new Uint32Array(0), rejects: [] },
  ]);
});

test('invalid UTF-8 and NUL bytes are left to the reader of the records', async () => {
  expect(textsOf(await frameLines(Buffer.from('"\xff\xc3"\n"\0"', 'latin1')))).toEqual(['"\xff\xc3"', '"\0"']);
});

test('UTF-16 is one reject that says so', async () => {
  const frames = await frameLines(Buffer.from('\ufeff{"a":1}\n', 'utf16le'), { targetBytes: 1 });
  expect(frames).toHaveLength(1);
  expect(frames[0]).toMatchObject({ byteStart: 0, byteEnd: 18, rejects: [{ byteStart: 0, byteEnd: 18 }] });
  expect(frames[0]?.rejects[0]?.reason).toContain('UTF-16');
});

test('a line over the limit is skipped to its end without being held, and reported with its range', async () => {
  const lineBytes = 300 * 1024 * 1024;
  async function* source(): AsyncGenerator<Buffer> {
    yield Buffer.from('{"a":1}\n"');
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    for (let sent = 0; sent < lineBytes; sent += chunk.length) yield chunk;
    yield Buffer.from('\r\n{"b":2}');
  }
  const before = process.memoryUsage().arrayBuffers;
  const frames: Frame[] = [];
  let most = 0;
  for await (const frame of frameRecords(source(), { format: 'jsonl', maxRecordBytes: 1024 * 1024 })) {
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    frames.push(frame);
  }
  expect(textsOf(frames)).toEqual(['{"a":1}', '{"b":2}']);
  expect(frames.flatMap(({ rejects }) => rejects)).toEqual([
    { byteStart: 8, byteEnd: 8 + 1 + lineBytes, reason: `a line of ${lineBytes + 1} bytes; the limit is 1048576` },
  ]);
  expect(most).toBeLessThan(32 * 1024 * 1024);
});

test('frames are filled up to the target with whole lines, and a longer line has one of its own', async () => {
  const short = `${'a'.repeat(9)}\n`;
  const frames = await frameLines(`${short.repeat(7) + 'b'.repeat(100)}\n${short.repeat(2)}`, { targetBytes: 35 });
  expect(frames.map(({ bytes }) => bytes.length)).toEqual([30, 30, 10, 101, 20]);
});

test('chunks are pulled only when the next frame is asked for', async () => {
  let pulled = 0;
  async function* source(): AsyncGenerator<Buffer> {
    for (;;) {
      pulled++;
      yield Buffer.from('{"a":1}\n'.repeat(128));
    }
  }
  const frames = frameRecords(source(), { format: 'jsonl', targetBytes: 4096 });
  expect(pulled).toBe(0);
  await frames.next();
  expect(pulled).toBe(4);
  await frames.next();
  expect(pulled).toBe(8);
  await frames.return(undefined);
});

test('a consumer that stops early closes the source', async () => {
  let closed = false;
  async function* source(): AsyncGenerator<Buffer> {
    try {
      for (;;) yield Buffer.from('{"a":1}\n');
    } finally {
      closed = true;
    }
  }
  for await (const _ of frameRecords(source(), { format: 'jsonl', targetBytes: 64 })) break;
  expect(closed).toBe(true);
});
