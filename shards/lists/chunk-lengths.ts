/**
 * Lengths of a shard's chunks in tokens, as classes: one u16 a chunk that numbers the distinct lengths from the shortest.
 * So a table with one entry a class holds whatever is computed from a length.
 *
 *   lengths := class_count length_gap{class_count} class{chunk_count}
 *
 * The gaps are LEB128 and ascending, the classes u16, little-endian.
 */
import { endianness } from 'node:os';
import { decodePart } from '../errors.ts';
import { VarintReader, VarintWriter } from '../varint.ts';

/** Most distinct lengths a shard can have. */
const maxClasses = 65_536;

/** Length classes of the chunks of one shard. */
export interface ChunkLengths {
  /** class of chunk c at index c; index 0 is unused */
  readonly classes: Uint16Array;
  /** tokens per class, ascending */
  readonly lengths: Float64Array;
}

/**
 * Classes from the length of every chunk.
 * @param tokens length of chunk c at index c; index 0 is unused.
 * @throws RangeError when there are over 65,536 distinct lengths, which takes more than two billion tokens.
 */
export function classifyLengths(tokens: Uint32Array): ChunkLengths {
  const distinct = [...new Set(tokens.subarray(1))].sort((a, b) => a - b);
  if (distinct.length > maxClasses) throw new RangeError(`${distinct.length} distinct chunk lengths in one shard`);
  const classOf = new Map(distinct.map((length, index) => [length, index]));
  return {
    classes: Uint16Array.from(tokens, (length, chunk) => (chunk === 0 ? 0 : classOf.get(length)!)),
    lengths: Float64Array.from(distinct),
  };
}

/** The stored form. */
export function encodeLengths({ classes, lengths }: ChunkLengths): Buffer {
  const head = new VarintWriter();
  head.add(lengths.length);
  let last = 0;
  for (const length of lengths) {
    head.add(length - last);
    last = length;
  }
  const body = Buffer.alloc(2 * (classes.length - 1));
  for (let chunk = 1; chunk < classes.length; chunk++) body.writeUInt16LE(classes[chunk]!, 2 * chunk - 2);
  return Buffer.concat([head.toBuffer(), body]);
}

/** Reads the stored form. @throws CorruptError when it does not fit `chunkCount` chunks. */
export function decodeLengths(file: string, bytes: Uint8Array, chunkCount: number): ChunkLengths {
  return decodePart(file, 'the lengths of chunks', () => {
    const reader = new VarintReader(bytes);
    const count = reader.next();
    if (count > Math.min(maxClasses, chunkCount)) throw new RangeError(`${count} classes`);
    const lengths = new Float64Array(count);
    let last = 0;
    for (let index = 0; index < count; index++) {
      last += reader.next();
      lengths[index] = last;
    }
    const start = reader.position;
    if (bytes.length !== start + 2 * chunkCount) throw new RangeError(`${bytes.length} bytes for ${chunkCount} chunks`);
    const classes = readClasses(bytes.subarray(start));
    for (let chunk = 1; chunk <= chunkCount; chunk++) {
      if (classes[chunk]! >= count) throw new RangeError(`chunk ${chunk} has class ${classes[chunk]} of ${count}`);
    }
    return { classes, lengths };
  });
}

/** Numbers from 1 on, u16 little-endian; copied at once where the machine has that order. */
function readClasses(bytes: Uint8Array): Uint16Array {
  const classes = new Uint16Array(bytes.length / 2 + 1);
  if (endianness() === 'LE') new Uint8Array(classes.buffer, 2).set(bytes);
  else for (let at = 0; at < bytes.length; at += 2) classes[at / 2 + 1] = bytes[at]! | (bytes[at + 1]! << 8);
  return classes;
}
