import bzip2 from 'unbzip2-stream/lib/bzip2.js';
import type { ChunkReader } from './chunk-reader.ts';

// Only the block decoder of unbzip2-stream is used: its stream buffers without bound and decodes the rest of a file in one go.
//   file   = stream+
//   stream = 'BZh' level block* end-mark crc32, padded to a whole byte; blocks start at any bit
const bytesPerLevel = 100_000;
/** A block that does not compress is larger than its text by less than 1 % and its tables. */
const blockOverheadBytes = 25_000;
const truncated = 'truncated: the file ends inside a bzip2 stream';

/**
 * Decompresses a bzip2 file of one or more streams (as bzip2, cat and pbzip2 make them), one block at a time;
 * the checksum of every block and stream is verified.
 *
 * @throws Error after all blocks that decoded cleanly, when the file is truncated, damaged, or followed by anything else.
 */
export async function* decodeBzip2(input: ChunkReader): AsyncGenerator<Buffer> {
  let first = true;
  while (await input.fill(1)) {
    await input.fill(4);
    if (input.buffer.subarray(0, 3).toString('latin1') !== 'BZh'.slice(0, Math.min(3, input.buffer.length))) {
      throw new Error(first ? 'it is not bzip2 data' : 'garbage follows the bzip2 data');
    }
    yield* readStream(input);
    first = false;
  }
  if (first) throw new Error('it is not bzip2 data: the file is empty');
}

async function* readStream(input: ChunkReader): AsyncGenerator<Buffer> {
  const level = attempt(() => bzip2.header(new BitSource(input.buffer, 0).read));
  input.consume(4);
  const workspace = new Int32Array(level * bytesPerLevel);
  const output = new ByteSink(level * bytesPerLevel);
  let bit = 0;
  for (let crc: number | null = 0; crc !== null; ) {
    await input.fill(workspace.length + blockOverheadBytes);
    const bits = new BitSource(input.buffer, bit);
    const crcSoFar: number = crc;
    crc = attempt(() => bzip2.decompress(bits.read, output.write, workspace, workspace.length, crcSoFar));
    input.consume(bits.position >>> 3);
    bit = bits.position & 7;
    if (output.length > 0) yield output.take();
  }
}

function attempt<T>(step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (error instanceof EndOfBits) throw new Error(truncated);
    throw new Error('damaged bzip2 data', { cause: error });
  }
}

class EndOfBits extends Error {}

/** Bits of a buffer, most significant first, in the shape the block decoder asks for. */
class BitSource {
  readonly #bytes: Buffer;
  /** Bits read, from the start of the buffer. */
  position: number;

  constructor(bytes: Buffer, position: number) {
    this.#bytes = bytes;
    this.position = position;
  }

  readonly read = (count: number | null): number => {
    if (count !== null && count > 24) return (this.read(count - 16) << 16) | this.read(16);
    const start = this.position;
    if (count === null) {
      this.position = (start + 7) & ~7;
      return 0;
    }
    const end = start + count;
    const bytes = this.#bytes;
    if (end > bytes.length * 8) throw new EndOfBits();
    this.position = end;
    const at = start >>> 3;
    // Bytes past the end read as undefined, which counts as 0 and is shifted out again.
    const word = (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
    return (word << (start & 7)) >>> (32 - count);
  };
}

/** Collects bytes one by one; a block of long runs can be 50 times its nominal size, so it grows. */
class ByteSink {
  #bytes: Buffer;
  readonly #initialBytes: number;
  length = 0;

  constructor(initialBytes: number) {
    this.#initialBytes = initialBytes;
    this.#bytes = Buffer.allocUnsafeSlow(initialBytes);
  }

  readonly write = (byte: number): void => {
    if (this.length === this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(this.length * 2);
      this.#bytes.copy(larger);
      this.#bytes = larger;
    }
    this.#bytes[this.length++] = byte;
  };

  /** Hands the bytes out and starts anew. */
  take(): Buffer {
    const bytes = this.#bytes.subarray(0, this.length);
    this.#bytes = Buffer.allocUnsafeSlow(this.#initialBytes);
    this.length = 0;
    return bytes;
  }
}
