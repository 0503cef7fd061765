import { createInflateRaw } from 'node:zlib';
import type { ChunkReader } from './chunk-reader.ts';
import { crc32 } from './crc32.ts';

// Node's own Gunzip loses the last good bytes when garbage follows a member, so members are framed here (RFC 1952):
//   member  = 1f 8b 08 flags mtime(4) xfl os [extra] [name] [comment] [header crc] deflate-data crc32(4) length(4)
//   file    = member+ zero-padding?
const headerBytes = 10;
const trailerBytes = 8;
const pieceBytes = 64 * 1024;
const maxHeaderTextBytes = 1024 * 1024;
const flag = { headerCrc: 2, extra: 4, name: 8, comment: 16 } as const;

/**
 * Decompresses a gzip file of one or more members; each member's checksum and length are verified.
 *
 * @throws Error after all data that decoded cleanly, when the file is truncated, damaged, or followed by anything but zeros.
 */
export async function* decodeGzip(input: ChunkReader): AsyncGenerator<Buffer> {
  let first = true;
  while (await input.fill(1)) {
    if (!first && (await onlyZerosLeft(input))) return;
    await readHeader(input, first);
    yield* readMember(input);
    first = false;
  }
  if (first) throw new Error('it is not gzip data: the file is empty');
}

/** Skips zero padding; true when the file ends in it, false at the first other byte. */
async function onlyZerosLeft(input: ChunkReader): Promise<boolean> {
  if (input.buffer[0] !== 0) return false;
  while (await input.fill(1)) {
    const other = input.buffer.findIndex((byte) => byte !== 0);
    if (other !== -1) {
      input.consume(other);
      return false;
    }
    input.consume(input.buffer.length);
  }
  return true;
}

async function readHeader(input: ChunkReader, first: boolean): Promise<void> {
  const whole = await input.fill(headerBytes);
  const head = input.buffer;
  if (head[0] !== 0x1f || (head.length > 1 && head[1] !== 0x8b)) {
    throw new Error(first ? 'it is not gzip data' : 'garbage follows the gzip data');
  }
  if (!whole) throw new Error('truncated: the file ends inside a gzip header');
  if (head[2] !== 8) throw new Error(`unknown gzip compression method ${head[2]}`);
  const flags = head[3]!;
  input.consume(headerBytes);
  if ((flags & flag.extra) !== 0) {
    await need(input, 2);
    const length = input.buffer.readUInt16LE(0);
    await need(input, 2 + length);
    input.consume(2 + length);
  }
  if ((flags & flag.name) !== 0) await skipText(input);
  if ((flags & flag.comment) !== 0) await skipText(input);
  if ((flags & flag.headerCrc) !== 0) {
    await need(input, 2);
    input.consume(2);
  }
}

async function need(input: ChunkReader, bytes: number): Promise<void> {
  if (!(await input.fill(bytes))) throw new Error('truncated: the file ends inside a gzip header');
}

async function skipText(input: ChunkReader): Promise<void> {
  for (let length = 0; length < maxHeaderTextBytes; length = input.buffer.length) {
    await need(input, length + 1);
    const end = input.buffer.indexOf(0, length);
    if (end !== -1) {
      input.consume(end + 1);
      return;
    }
  }
  throw new Error('damaged gzip header: a name without an end');
}

async function* readMember(input: ChunkReader): AsyncGenerator<Buffer> {
  const inflate = createInflateRaw({ chunkSize: 256 * 1024 });
  const decoded: Buffer[] = [];
  let failure: Error | undefined;
  let settle = (): void => {};
  let crc = 0;
  let length = 0;
  inflate.on('data', (chunk: Buffer) => decoded.push(chunk));
  inflate.on('error', (error) => {
    failure = error;
    settle();
  });
  try {
    for (let ended = false; !ended; ) {
      if (!(await input.fill(1))) throw new Error('truncated: the file ends inside a gzip member');
      const before = inflate.bytesWritten;
      const piece = input.buffer.subarray(0, pieceBytes);
      await new Promise<void>((resolve) => {
        settle = resolve;
        inflate.write(piece, () => resolve());
      });
      const consumed = inflate.bytesWritten - before;
      input.consume(consumed);
      ended = consumed < piece.length;
      for (const chunk of decoded) {
        crc = crc32(chunk, crc);
        length += chunk.length;
        yield chunk;
      }
      decoded.length = 0;
      if (failure !== undefined) throw new Error(`damaged gzip data: ${failure.message}`, { cause: failure });
    }
  } finally {
    inflate.destroy();
  }
  if (!(await input.fill(trailerBytes))) throw new Error('truncated: the file ends inside a gzip trailer');
  if (input.buffer.readUInt32LE(0) !== crc) {
    throw new Error(`damaged gzip data: the checksum does not match, so the last ${length} bytes may be wrong`);
  }
  if (input.buffer.readUInt32LE(4) !== length % 2 ** 32)
    throw new Error('damaged gzip data: the length does not match');
  input.consume(trailerBytes);
}
