import { type FileHandle, open } from 'node:fs/promises';
import { encodeVector } from './vector-codes.ts';
import {
  blockAt,
  blockSum,
  decodeHead,
  encodeHead,
  longestHead,
  sumBytes,
  type VectorsHeader,
  type VectorsLayout,
} from './vectors-format.ts';

/**
 * Writes a vectors file from its beginning, a block at a time. What was written before, by a process that was killed, is
 * kept as far as it is whole; so the file that comes out is the same, whatever happened on the way.
 */
export class VectorsWriter {
  readonly file: string;
  readonly layout: VectorsLayout;
  readonly #handle: FileHandle;
  #blocks: number;

  private constructor(file: string, handle: FileHandle, layout: VectorsLayout, blocks: number) {
    this.file = file;
    this.layout = layout;
    this.#handle = handle;
    this.#blocks = blocks;
  }

  /** Opens an unfinished file, or begins one. One that begins with another header is begun anew. */
  static async open(file: string, header: VectorsHeader): Promise<VectorsWriter> {
    const { head, layout } = encodeHead(header);
    // Reading and writing, created if need be, never appending: blocks have their places.
    const handle = await open(file, 'a').then(async (created) => {
      await created.close();
      return await open(file, 'r+');
    });
    try {
      const known = Buffer.alloc(head.length);
      const { bytesRead } = await handle.read(known, 0, head.length, 0);
      const isSame = bytesRead === head.length && known.equals(head);
      if (!isSame) {
        await handle.truncate(0);
        await writeFully(handle, head, 0);
      }
      return new VectorsWriter(file, handle, layout, isSame ? await wholeBlocks(handle, layout) : 0);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Chunks that have their vectors. */
  get chunks(): number {
    return this.isComplete ? this.layout.header.chunks : blockAt(this.layout, this.#blocks).firstChunk - 1;
  }

  /** Whether every chunk has its vector. */
  get isComplete(): boolean {
    return this.#blocks === this.layout.blocks;
  }

  /** How many vectors the next block takes. */
  get nextCount(): number {
    return blockAt(this.layout, this.#blocks).count;
  }

  /** Writes the next block. @param vectors as many as {@link nextCount}, each of the header's dimensions */
  async add(vectors: readonly ArrayLike<number>[]): Promise<void> {
    const { stride } = this.layout;
    const { offset, bytes, count } = blockAt(this.layout, this.#blocks);
    const block = Buffer.alloc(bytes + sumBytes);
    for (const [index, vector] of vectors.entries()) {
      const codes = new Int8Array(block.buffer, block.byteOffset + index * stride, stride);
      block.writeFloatLE(encodeVector(vector, codes), count * stride + 4 * index);
    }
    blockSum(this.layout, this.#blocks, block.subarray(0, bytes)).copy(block, bytes);
    await writeFully(this.#handle, block, offset);
    this.#blocks++;
  }

  /** Cuts off what a crash may have left behind the last block, and makes the file durable. */
  async finish(): Promise<void> {
    await this.#handle.truncate(this.layout.fileBytes);
    await this.#handle.sync();
  }

  /** Closes the file; one that is not finished can be gone on with. */
  async close(): Promise<void> {
    await this.#handle.close();
  }
}

/** The header of an unfinished file, or null when there is none to go on with. */
export async function readUnfinished(file: string): Promise<VectorsHeader | null> {
  const handle = await open(file, 'r').catch(() => null);
  if (handle === null) return null;
  try {
    const start = Buffer.alloc(longestHead);
    const { bytesRead } = await handle.read(start, 0, start.length, 0);
    return decodeHead(file, start.subarray(0, bytesRead)).header;
  } catch {
    // Killed before its header was whole: there is nothing in it to keep.
    return null;
  } finally {
    await handle.close();
  }
}

/** Writes all of some bytes: on a disk that is filling up, a write may end short without an error. */
async function writeFully(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    done += (await handle.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
  }
}

/** How many blocks from the beginning are whole. */
async function wholeBlocks(handle: FileHandle, layout: VectorsLayout): Promise<number> {
  for (let block = 0; block < layout.blocks; block++) {
    const { offset, bytes } = blockAt(layout, block);
    const read = Buffer.alloc(bytes + sumBytes);
    const { bytesRead } = await handle.read(read, 0, read.length, offset);
    const sum = blockSum(layout, block, read.subarray(0, bytes));
    if (bytesRead < read.length || !sum.equals(read.subarray(bytes))) return block;
  }
  return layout.blocks;
}
