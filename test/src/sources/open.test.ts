import { execFileSync, spawn } from 'node:child_process';
import { chmod, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Compressor } from 'zstd-napi';
import { decodeZstd } from '../../../shards/zstd-stream.ts';
import { ChunkReader } from '../../../src/sources/chunk-reader.ts';
import { tableCrc32 } from '../../../src/sources/crc32.ts';
import { decodeBzip2 } from '../../../src/sources/decode-bzip2.ts';
import { decodeGzip } from '../../../src/sources/decode-gzip.ts';
import { decodeXz } from '../../../src/sources/decode-xz.ts';
import { type Compression, openSource, SourceError } from '../../../src/sources/index.ts';
import { bzip2Packed, content, xzPacked, xzSha256Packed } from './packed-fixtures.ts';
import { chunked, drain, temporaryFile, temporaryFolder } from './support.ts';

function zstd(bytes: Buffer): Buffer {
  const compressor = new Compressor();
  compressor.setParameters({ compressionLevel: 3, checksumFlag: true });
  return compressor.compress(bytes);
}

type Decode = (chunks: AsyncIterable<Buffer>) => AsyncIterable<Buffer>;

interface Codec {
  readonly compression: Compression;
  readonly name: string;
  readonly packed: Buffer;
  readonly decode: Decode;
}

const codecs: readonly Codec[] = [
  {
    compression: 'gzip',
    name: 'gzip',
    packed: gzipSync(content),
    decode: (chunks) => decodeGzip(new ChunkReader(chunks)),
  },
  { compression: 'zstd', name: 'zstd', packed: zstd(content), decode: decodeZstd },
  {
    compression: 'bzip2',
    name: 'bzip2',
    packed: bzip2Packed,
    decode: (chunks) => decodeBzip2(new ChunkReader(chunks)),
  },
  { compression: 'xz', name: 'xz', packed: xzPacked, decode: (chunks) => decodeXz(new ChunkReader(chunks)) },
];

/** Reads a file of those bytes to its end or error. */
async function read(bytes: Buffer, compression: Compression, options: Parameters<typeof openSource>[1] = {}) {
  const path = await temporaryFile('data', bytes);
  const { items, error } = await drain(openSource({ path, compression }, options));
  return { path, bytes: Buffer.concat(items), error };
}

function expectSourceError(error: unknown, reason: RegExp): asserts error is SourceError {
  expect(error).toBeInstanceOf(SourceError);
  if (error instanceof SourceError) {
    expect(error.code).toBe('SHELFMARK_SOURCE');
    expect(error.reason).toMatch(reason);
  }
}

describe.each(codecs)('$name', ({ compression, name, packed, decode }) => {
  test('a file is decompressed', async () => {
    const { bytes, error } = await read(packed, compression);
    expect(error).toBeUndefined();
    expect(bytes.equals(content)).toBe(true);
  });

  test('streams that follow each other are one source', async () => {
    const { bytes, error } = await read(Buffer.concat([packed, packed, packed]), compression);
    expect(error).toBeUndefined();
    expect(bytes.equals(Buffer.concat([content, content, content]))).toBe(true);
  });

  test('the result does not depend on how the file was cut into chunks', async () => {
    const twice = Buffer.concat([packed, packed]);
    const sizes = fc.array(fc.integer({ min: 1, max: packed.length + 1 }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(sizes, async (cuts) => {
        const { items, error } = await drain(decode(chunked(twice, cuts)));
        expect(error).toBeUndefined();
        expect(Buffer.concat(items).equals(Buffer.concat([content, content]))).toBe(true);
      }),
      { numRuns: 20, examples: [[[1]], [[packed.length]], [[packed.length - 1]], [[packed.length + 1]]] },
    );
  });

  test('a file cut off at any byte yields a clean start of the data and then an error', async () => {
    for (let length = 0; length < packed.length; length += length < 40 || length > packed.length - 40 ? 1 : 7) {
      const { items, error } = await drain(decode(chunked(packed.subarray(0, length), [])));
      const bytes = Buffer.concat(items);
      expect(error, `cut to ${length} bytes`).toBeInstanceOf(Error);
      expect(bytes.equals(content.subarray(0, bytes.length))).toBe(true);
    }
  });

  test('a second stream that is cut off costs nothing of the first', async () => {
    for (const length of [1, 2, 3, 5, 11, packed.length >> 1, packed.length - 1]) {
      const { bytes, error } = await read(Buffer.concat([packed, packed.subarray(0, length)]), compression);
      expectSourceError(error, length < 4 ? /truncated|garbage/ : /truncated/);
      expect(bytes.length).toBeGreaterThanOrEqual(content.length);
      expect(error.byte).toBe(bytes.length);
      expect(error.message).toContain(error.path);
    }
  });

  test('garbage after the data is an error after all of the data', async () => {
    const { bytes, error } = await read(Buffer.concat([packed, Buffer.from('garbage, and more of it')]), compression);
    expectSourceError(error, /garbage|damaged/);
    expect(bytes.equals(content)).toBe(true);
  });

  test('a flipped bit in the data is an error', async () => {
    const damaged = Buffer.from(packed);
    damaged[packed.length - (compression === 'xz' ? 60 : 6)]! ^= 0x10;
    const { bytes, error } = await read(damaged, compression);
    expectSourceError(error, /damaged/);
    expect(bytes.length).toBeLessThanOrEqual(content.length);
  });

  test('content that is not of this compression is an error that says so', async () => {
    for (const other of ['{"id":1}\n', '{', '']) {
      const { bytes, error } = await read(Buffer.from(other), compression);
      expectSourceError(error, new RegExp(`it is not ${name} data`));
      expect(bytes).toHaveLength(0);
    }
  });

  test('reading from a byte on gives the same data without what precedes it', async () => {
    for (const start of [1, 100_000, content.length - 1, content.length]) {
      const { bytes, error } = await read(packed, compression, { start });
      expect(error).toBeUndefined();
      expect(bytes.equals(content.subarray(start))).toBe(true);
    }
  });

  test('a source that ends before the byte to go on from is an error', async () => {
    const { error } = await read(packed, compression, { start: content.length + 1 });
    expectSourceError(error, /ends before byte/);
  });

  test('a consumer may stop early', async () => {
    const path = await temporaryFile('data', Buffer.concat([packed, packed]));
    for await (const chunk of openSource({ path, compression })) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
  });
});

test('zeros that pad a gzip file are ignored, in any chunks', async () => {
  const padded = Buffer.concat([gzipSync(content), Buffer.alloc(1000)]);
  expect((await read(padded, 'gzip')).error).toBeUndefined();
  const { items, error } = await drain(decodeGzip(new ChunkReader(chunked(padded, [1]))));
  expect(error).toBeUndefined();
  expect(Buffer.concat(items).equals(content)).toBe(true);
});

test('a gzip header with extra field, name, comment and checksum is skipped', async () => {
  const plain = gzipSync(content);
  const header = Buffer.concat([
    Buffer.from([0x1f, 0x8b, 8, 2 | 4 | 8 | 16, 0, 0, 0, 0, 0, 3]),
    Buffer.from([3, 0, 1, 2, 3]),
    Buffer.from('name.jsonl\0a comment\0'),
    Buffer.from([0, 0]),
  ]);
  const full = Buffer.concat([header, plain.subarray(10)]);
  const { items, error } = await drain(decodeGzip(new ChunkReader(chunked(full, [1]))));
  expect(error).toBeUndefined();
  expect(Buffer.concat(items).equals(content)).toBe(true);
});

test('a gzip file of thousands of small members, as bgzip makes, is read whole', async () => {
  const member = gzipSync('{"id":1}\n');
  const { bytes, error } = await read(Buffer.concat(Array(3000).fill(member)), 'gzip');
  expect(error).toBeUndefined();
  expect(bytes.toString()).toBe('{"id":1}\n'.repeat(3000));
});

test('an xz file with SHA-256 checks is verified like any other', async () => {
  expect((await read(xzSha256Packed, 'xz')).bytes.equals(content)).toBe(true);
  const damaged = Buffer.from(xzSha256Packed);
  damaged[damaged.length - 50]! ^= 1;
  expectSourceError((await read(damaged, 'xz')).error, /damaged/);
});

test('an xz dictionary of over 256 MiB is refused by name', async () => {
  const large = Buffer.from(xzSha256Packed);
  expect(large.subarray(12, 17).toString('hex')).toBe('0200210116');
  large[16] = 34;
  large.writeUInt32LE(crc32(large.subarray(12, 20)), 20);
  expectSourceError((await read(large, 'xz')).error, /dictionary is larger than 256 MiB/);
});

test('skippable zstd frames are skipped, wherever they stand', async () => {
  const skippable = Buffer.concat([Buffer.from('502a4d1803000000', 'hex'), Buffer.from('abc')]);
  const { bytes, error } = await read(Buffer.concat([skippable, zstd(content), skippable, zstd(content)]), 'zstd');
  expect(error).toBeUndefined();
  expect(bytes).toHaveLength(2 * content.length);
});

test('zstd windows of 128 MiB are read, larger ones refused by name', async () => {
  const frame = (windowLog: number) =>
    Buffer.concat([Buffer.from('28b52ffd00', 'hex'), Buffer.from([(windowLog - 10) << 3, 9, 0, 0]), Buffer.from('a')]);
  expect((await read(frame(27), 'zstd')).bytes.toString()).toBe('a');
  expectSourceError((await read(frame(28), 'zstd')).error, /window is larger than 128 MiB/);
});

test('a damaged zstd block costs none of the blocks before it', async () => {
  const random = Buffer.from(Array.from({ length: 600_000 }, (_, i) => (Math.imul(i, 2654435761) >>> 13) & 0xff));
  const packed = zstd(random);
  const damaged = Buffer.from(packed);
  damaged.fill(0xff, packed.length - 1000, packed.length - 900);
  const { bytes, error } = await read(damaged, 'zstd');
  expectSourceError(error, /damaged/);
  expect(bytes.length).toBeGreaterThan(random.length - 2 * 128 * 1024);
  expect(bytes.subarray(0, 131072 * 3).equals(random.subarray(0, 131072 * 3))).toBe(true);
});

test('a plain file is read from any byte on, in chunks of at most 1 MiB', async () => {
  const plain = Buffer.alloc(2_500_000, 'abcdefghij');
  const path = await temporaryFile('data.txt', plain);
  for (const start of [0, 1, 1_234_567, plain.length]) {
    const { items, error } = await drain(openSource({ path, compression: 'none' }, { start }));
    expect(error).toBeUndefined();
    expect(Buffer.concat(items).equals(plain.subarray(start))).toBe(true);
    for (const chunk of items) expect(chunk.length).toBeLessThanOrEqual(1024 * 1024);
  }
});

test('a plain file that became shorter than the byte to go on from is an error', async () => {
  const path = await temporaryFile('data.txt', 'abcdef');
  await truncate(path, 3);
  const { error } = await drain(openSource({ path, compression: 'none' }, { start: 6 }));
  expectSourceError(error, /ends before byte 6/);
});

test('a file that is not there is an error without a byte', async () => {
  const { error } = await drain(openSource({ path: join(await temporaryFolder(), 'gone'), compression: 'none' }));
  expectSourceError(error, /no such file/);
  expect(error.byte).toBeNull();
});

test.skipIf(process.getuid?.() === 0)('a file that may not be read is an error', async () => {
  const path = await temporaryFile('secret.txt', 'x');
  await chmod(path, 0);
  const { error } = await drain(openSource({ path, compression: 'none' }));
  expectSourceError(error, /permission denied/);
});

test('a signal stops the reading with its own reason', async () => {
  const path = await temporaryFile('data.txt', Buffer.alloc(3_000_000));
  const controller = new AbortController();
  const chunks = openSource({ path, compression: 'none' }, { signal: controller.signal });
  await chunks.next();
  const reason = new Error('enough');
  controller.abort(reason);
  await expect(chunks.next()).rejects.toBe(reason);
});

test('standard input is read from its start and from a byte on', async () => {
  const script = `
    import { openSource } from ${JSON.stringify(new URL('../../../src/sources/index.ts', import.meta.url).href)};
    for await (const chunk of openSource({ path: '-', compression: 'gzip' }, { start: 5 })) process.stdout.write(chunk);
  `;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script]);
  child.stdin.end(gzipSync('0123456789'));
  const { items } = await drain<Buffer>(child.stdout);
  expect(Buffer.concat(items).toString()).toBe('56789');
});

test.skipIf(process.platform === 'win32')('a named pipe is read as it comes', async () => {
  const path = join(await temporaryFolder(), 'pipe.jsonl.gz');
  execFileSync('mkfifo', [path]);
  const writer = spawn(process.execPath, ['-e', `fs.writeFileSync(process.argv[1], zlib.gzipSync('{"id":1}'))`, path]);
  const { items, error } = await drain(openSource({ path, compression: 'gzip' }));
  writer.kill();
  expect(error).toBeUndefined();
  expect(Buffer.concat(items).toString()).toBe('{"id":1}');
});

test.each(['gzip', 'zstd'] as const)(
  'a %s checksum that does not match says how many bytes are in doubt',
  async (compression) => {
    // The checksum stands at the end: all that came before it since the frame or member began may be wrong.
    const text = 'some bytes that are fine, and others\n'.repeat(100);
    const whole = compression === 'gzip' ? gzipSync(text) : zstd(Buffer.from(text));
    const damaged = Buffer.from(whole);
    damaged[whole.length - (compression === 'gzip' ? 8 : 1)]! ^= 1;
    const { error } = await read(damaged, compression);
    expectSourceError(error, new RegExp(`the checksum does not match, so the last ${text.length} bytes may be wrong`));
  },
);

test('CRC-32 by table, for a Node without its own, agrees with it, in one go and in pieces', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ maxLength: 300 }), (first, second) => {
      expect(tableCrc32(first)).toBe(crc32(first));
      expect(tableCrc32(second, tableCrc32(first))).toBe(crc32(Buffer.concat([first, second])));
    }),
  );
});
