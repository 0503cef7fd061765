import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { ShelfmarkError } from '../errors.ts';
import {
  blockAt,
  blockSum,
  damagedVectors,
  decodeHead,
  longestHead,
  modelKey,
  sumBytes,
  type VectorsLayout,
} from './vectors-format.ts';

/** Whose vectors a file must be. */
export interface VectorsOwner {
  readonly shard: string;
  readonly chunks: number;
  readonly key: string;
}

/** Reads a finished vectors file. A block is compared with its checksum the first time. */
export class VectorsReader {
  readonly file: string;
  readonly layout: VectorsLayout;
  readonly #descriptor: number;
  readonly #isVerified: Uint8Array;

  private constructor(file: string, descriptor: number, layout: VectorsLayout) {
    this.file = file;
    this.layout = layout;
    this.#descriptor = descriptor;
    this.#isVerified = new Uint8Array(layout.blocks);
  }

  /**
   * Opens a file, or gives null when there is none.
   * @throws ShelfmarkError SHELFMARK_CORRUPT when it is damaged, not finished, or not the owner's; SHELFMARK_TOO_NEW; SHELFMARK_IO.
   */
  static open(file: string, owner: VectorsOwner): VectorsReader | null {
    const descriptor = openIfThere(file);
    if (descriptor === null) return null;
    try {
      const { size } = fstatSync(descriptor);
      const start = Buffer.alloc(Math.min(size, longestHead));
      readFully(descriptor, start, 0);
      const layout = decodeHead(file, start);
      const { header, fileBytes } = layout;
      if (header.shard !== owner.shard || header.chunks !== owner.chunks || modelKey(header.model) !== owner.key) {
        const detail = `it says shard ${header.shard} with ${header.chunks} chunks and model "${header.model.name}", expected are ${owner.shard}, ${owner.chunks} and the model of key ${owner.key}`;
        throw damagedVectors(file, 'its header', detail);
      }
      if (size !== fileBytes) throw damagedVectors(file, 'its length', `it has ${size} bytes, expected ${fileBytes}`);
      return new VectorsReader(file, descriptor, layout);
    } catch (error) {
      closeSync(descriptor);
      throw explainIo(file, error);
    }
  }

  /**
   * Reads a block: the codes of its vectors, and after them one over their lengths.
   * @param target at least as long as the block
   * @throws ShelfmarkError SHELFMARK_CORRUPT when it does not match its checksum, SHELFMARK_IO.
   */
  readBlock(block: number, target: Uint8Array): void {
    const { offset, bytes } = blockAt(this.layout, block);
    const into = target.subarray(0, bytes);
    try {
      readFully(this.#descriptor, into, offset);
      if (this.#isVerified[block] === 1) return;
      const sum = Buffer.alloc(sumBytes);
      readFully(this.#descriptor, sum, offset + bytes);
      if (!blockSum(this.layout, block, into).equals(sum)) {
        throw damagedVectors(this.file, `block ${block}`, 'it does not match its checksum');
      }
      this.#isVerified[block] = 1;
    } catch (error) {
      throw explainIo(this.file, error);
    }
  }

  /** Closes the file; the reader is unusable afterwards. */
  close(): void {
    closeSync(this.#descriptor);
  }
}

function openIfThere(file: string): number | null {
  try {
    return openSync(file, 'r');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw explainIo(file, error);
  }
}

function readFully(descriptor: number, target: Uint8Array, position: number): void {
  let done = 0;
  while (done < target.length) {
    const read = readSync(descriptor, target, done, target.length - done, position + done);
    if (read === 0) throw new Error(`it ends at byte ${position + done}`);
    done += read;
  }
}

function explainIo(file: string, error: unknown): unknown {
  if (error instanceof ShelfmarkError) return error;
  const message = `${file} cannot be read: ${error instanceof Error ? error.message : String(error)}.`;
  return new ShelfmarkError('SHELFMARK_IO', message, { file }, error);
}
