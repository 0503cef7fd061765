/**
 * A vectors file: the embeddings of all chunks of one shard by one model, beside the shard. Integers are little-endian.
 *
 *   file    := magic header_bytes:u32 header sum block{ceil(chunks / 512)}
 *   block   := codes{count * stride} inverse{count} sum
 *
 * `header` is JSON, see {@link VectorsHeader}. A block holds 512 chunks in the order of their ids, the last one the rest:
 * `codes` are signed bytes, per chunk its dimensions filled up with zeros to a multiple of 16; `inverse` is one over the
 * length of a chunk's codes as a 32-bit float, 0 for a vector of zeros. `sum` is the first 8 bytes of a SHA-256: of all before
 * it for the header; of the header's sum, the block's number (u32, from 0) and the block for a block. So neither a block of
 * another file nor one in another place passes, and a file that was cut off is known by the length that its header implies.
 *
 * The file is written from its beginning, so an unfinished one is a beginning of it.
 */
import { createHash } from 'node:crypto';
import { ShelfmarkError } from '../errors.ts';
import { sha256Hex } from '../sha256.ts';
import { maxDimensions, strideOf } from './vector-codes.ts';

/** What every vectors file begins with; the number is the format's version (history: 1 = first). */
const magic = Buffer.from('shelfmark vectors 1\n');

/** Chunks of a block: a few hundred kilobytes, so that a processor's cache holds one while many queries pass over it. */
export const vectorsPerBlock = 512;

/** Bytes of a checksum. */
export const sumBytes = 8;

/** A header longer than this is not believed. */
const maxHeaderBytes = 65_536;

/** What embeddings were made with: whatever is needed to embed a query that is to be compared with them. */
export interface EmbeddingModel {
  /** its name, without where it runs */
  readonly name: string;
  /** put before queries and passages, such as `query: ` */
  readonly queryPrefix: string;
  readonly passagePrefix: string;
  /** UTF-16 units of a passage that are embedded */
  readonly maxCharacters: number;
}

/** What a vectors file holds. */
export interface VectorsHeader {
  readonly shard: string;
  readonly chunks: number;
  readonly dimensions: number;
  readonly model: EmbeddingModel;
}

/** Ten hex digits that name a model with its settings in file names. */
export function modelKey({ name, queryPrefix, passagePrefix, maxCharacters }: EmbeddingModel): string {
  return sha256Hex(JSON.stringify([name, queryPrefix, passagePrefix, maxCharacters])).slice(0, 10);
}

/** Where the blocks of a file stand. */
export interface VectorsLayout {
  readonly header: VectorsHeader;
  /** checksum of the header; part of every block's */
  readonly headerSum: Buffer;
  /** bytes before the first block */
  readonly headBytes: number;
  readonly stride: number;
  readonly blocks: number;
  /** bytes of the whole file */
  readonly fileBytes: number;
}

/** The head of a file, and what follows from it. */
export function encodeHead(header: VectorsHeader): { readonly head: Buffer; readonly layout: VectorsLayout } {
  const { shard, chunks, dimensions, model } = header;
  const { name, queryPrefix, passagePrefix, maxCharacters } = model;
  const json = Buffer.from(
    JSON.stringify({ shard, chunks, dimensions, model: { name, queryPrefix, passagePrefix, maxCharacters } }),
  );
  if (json.length > maxHeaderBytes) {
    throw new ShelfmarkError('SHELFMARK_USAGE', 'The name and prefixes of the model are too long.', { shard });
  }
  const length = Buffer.alloc(4);
  length.writeUInt32LE(json.length);
  const unsummed = Buffer.concat([magic, length, json]);
  const sum = sumOf(unsummed);
  return { head: Buffer.concat([unsummed, sum]), layout: layoutOf(header, sum, unsummed.length + sumBytes) };
}

/** How many bytes the beginning of a file must have for {@link decodeHead}. */
export const longestHead = magic.length + 4 + maxHeaderBytes + sumBytes;

/**
 * Reads the head of a file.
 * @param start its first {@link longestHead} bytes, or all.
 * @throws ShelfmarkError SHELFMARK_CORRUPT, SHELFMARK_TOO_NEW.
 */
export function decodeHead(file: string, start: Buffer): VectorsLayout {
  const version = /^shelfmark vectors (\d{1,9})\n/.exec(start.toString('latin1', 0, 32))?.[1];
  if (version === undefined) throw damagedVectors(file, 'its header', 'it is not a vectors file');
  if (version !== '1') {
    const message = `${file} has format ${version}; this version of shelfmark reads 1. Update shelfmark, or delete the file and run "shelfmark embed" again.`;
    throw new ShelfmarkError('SHELFMARK_TOO_NEW', message, { file });
  }
  const jsonStart = magic.length + 4;
  const jsonEnd = jsonStart + (start.length < jsonStart ? 0 : start.readUInt32LE(magic.length));
  const headBytes = jsonEnd + sumBytes;
  const sum = start.subarray(jsonEnd, headBytes);
  if (start.length < headBytes || !sumOf(start.subarray(0, jsonEnd)).equals(sum)) {
    throw damagedVectors(file, 'its header', 'it does not match its checksum');
  }
  const header = parseHeader(start.toString('utf8', jsonStart, jsonEnd));
  if (header === null) throw damagedVectors(file, 'its header', 'a field of it is not what it should be');
  return layoutOf(header, Buffer.from(sum), headBytes);
}

/** The header, or null when it is not one that was ever written. */
function parseHeader(json: string): VectorsHeader | null {
  const { shard, chunks, dimensions, model } = JSON.parse(json) as Partial<VectorsHeader>;
  const isCount = (value: unknown, most: number): boolean =>
    Number.isSafeInteger(value) && (value as number) > 0 && (value as number) <= most;
  if (typeof shard !== 'string' || !isCount(chunks, 2 ** 31) || !isCount(dimensions, maxDimensions)) return null;
  if (typeof model !== 'object' || model === null) return null;
  const { name, queryPrefix, passagePrefix, maxCharacters } = model;
  if (![name, queryPrefix, passagePrefix].every((text) => typeof text === 'string')) return null;
  if (!isCount(maxCharacters, Number.MAX_SAFE_INTEGER)) return null;
  return {
    shard,
    chunks: chunks!,
    dimensions: dimensions!,
    model: { name, queryPrefix, passagePrefix, maxCharacters },
  };
}

function layoutOf(header: VectorsHeader, headerSum: Buffer, headBytes: number): VectorsLayout {
  const stride = strideOf(header.dimensions);
  const blocks = Math.ceil(header.chunks / vectorsPerBlock);
  const fileBytes = headBytes + header.chunks * (stride + 4) + blocks * sumBytes;
  return { header, headerSum, headBytes, stride, blocks, fileBytes };
}

/** Where a block stands: its first chunk, how many it has, and its bytes without the checksum. */
export function blockAt(
  { header, headBytes, stride }: VectorsLayout,
  block: number,
): { readonly firstChunk: number; readonly count: number; readonly offset: number; readonly bytes: number } {
  const before = block * vectorsPerBlock;
  const count = Math.min(vectorsPerBlock, header.chunks - before);
  const offset = headBytes + before * (stride + 4) + block * sumBytes;
  return { firstChunk: before + 1, count, offset, bytes: count * (stride + 4) };
}

/** The checksum of a block. */
export function blockSum({ headerSum }: VectorsLayout, block: number, bytes: Uint8Array): Buffer {
  const number = Buffer.alloc(4);
  number.writeUInt32LE(block);
  return sumOf(headerSum, number, bytes);
}

function sumOf(...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest().subarray(0, sumBytes);
}

/** A vectors file is not what was written. Nothing is lost with it: it can be made again. */
export function damagedVectors(file: string, part: string, detail: string): ShelfmarkError {
  return new ShelfmarkError(
    'SHELFMARK_CORRUPT',
    `${file} is damaged in ${part}: ${detail}. Delete it and run "shelfmark embed" again, or restore it from a copy.`,
    { file, part, detail },
  );
}
