/**
 * Offset lists: the postings of frequent terms in the form in which they are searched.
 *
 * A shard's chunks are cut into blocks of 4,096 by their ids. A list keeps, for every block in which its term occurs, the
 * offsets of the chunks inside the block (12 bits each, ascending) and their term frequencies in column units (a byte
 * each). Consecutive blocks with about 16,384 postings together make a segment, which is compressed and loaded as a whole.
 *
 *   table list          term, first_segment, head
 *   head      := df occurrences segment_count segment{segment_count} threshold_count threshold{threshold_count} sum
 *   segment   := block_gap block_span posting_count impacts
 *   impacts   := count (units length){count}
 *   threshold := impacts
 *   sum       := MurmurHash3 of the term's UTF-8 and the head so far (u32, little-endian)
 *
 *   table list_segment  id, raw_length, data: a zstd frame with checksum of
 *   raw       := id block_count (gap count){block_count} offset_gap{posting_count} units{posting_count} over_count (index units){over_count}
 *
 * All integers are LEB128. `df` counts chunks, `occurrences` tokens. `block_gap` and `gap` are distances to the block
 * before (from 0 at first), `block_span` is last block - first block. `offset_gap` is the offset itself for the first
 * posting of a block, then the distance to the offset before minus 1. `units` is a byte; 255 means 255 or more, and the
 * exact value then stands in the table at the end, whose `index` counts postings of the segment.
 *
 * A segment's `impacts` are those of which one is its best whatever the statistics (see impact.ts). The thresholds are for
 * k = 10, 100 and 1,000, as far as there are k documents with the term: impacts of which one is the lowest of k postings
 * in k documents, chosen as the best ones under default parameters. At least k documents score that much.
 */
import { CorruptError, decodePart } from '../errors.ts';
import { murmur3 } from '../postings/index.ts';
import { VarintReader, VarintWriter } from '../varint.ts';
import type { Impact } from './impact.ts';

/** log2 of the chunks in a block. */
export const BLOCK_BITS = 12;

/** Chunks in a block. */
export const BLOCK_CHUNKS = 1 << BLOCK_BITS;

/** Postings after which a segment ends with its block. */
export const SEGMENT_POSTINGS = 16_384;

/** Terms in fewer chunks of a shard have no list: reading their page costs less than a list takes. */
export const LIST_THRESHOLD = 256;

/** Depths for which a list has a starting threshold. */
export const THRESHOLD_DEPTHS = [10, 100, 1000] as const;

/** The units byte that stands for 255 and more. */
export const OVER = 255;

/** A raw segment above this is not believed when read from disk. */
export const MAX_SEGMENT_RAW_BYTES = 1 << 20;

/** What a list says of a segment without loading it. */
export interface SegmentHead {
  readonly firstBlock: number;
  readonly lastBlock: number;
  readonly postings: number;
  readonly impacts: readonly Impact[];
}

/** What is known of a list before any segment is loaded. */
export interface ListHead {
  readonly df: number;
  readonly occurrences: number;
  readonly segments: readonly SegmentHead[];
  /** for {@link THRESHOLD_DEPTHS}, as far as there are that many documents */
  readonly thresholds: readonly (readonly Impact[])[];
}

/** The stored form of a head. */
export function encodeHead(term: Uint8Array, head: ListHead): Buffer {
  const writer = new VarintWriter();
  writer.add(head.df);
  writer.add(head.occurrences);
  writer.add(head.segments.length);
  let last = 0;
  for (const { firstBlock, lastBlock, postings, impacts } of head.segments) {
    writer.add(firstBlock - last);
    writer.add(lastBlock - firstBlock);
    writer.add(postings);
    addImpacts(writer, impacts);
    last = lastBlock;
  }
  writer.add(head.thresholds.length);
  for (const impacts of head.thresholds) addImpacts(writer, impacts);
  const body = writer.view();
  const bytes = Buffer.alloc(body.length + 4);
  body.copy(bytes);
  bytes.writeUInt32LE(sumOf(term, body), body.length);
  return bytes;
}

function addImpacts(writer: VarintWriter, impacts: readonly Impact[]): void {
  writer.add(impacts.length);
  for (const { units, length } of impacts) {
    writer.add(units);
    writer.add(length);
  }
}

function sumOf(term: Uint8Array, body: Uint8Array): number {
  return murmur3(Buffer.concat([term, body]));
}

/** Reads a head. @throws CorruptError when it is not the head of this term's list, or does not fit `chunkCount` chunks. */
export function decodeHead(file: string, term: string, bytes: Buffer, chunkCount: number): ListHead {
  const part = `the list of "${term}"`;
  const body = bytes.subarray(0, Math.max(0, bytes.length - 4));
  if (bytes.length < 4 || sumOf(Buffer.from(term), body) !== bytes.readUInt32LE(body.length)) {
    throw new CorruptError(file, part, 'its head does not match its checksum');
  }
  return decodePart(file, part, () => {
    const reader = new VarintReader(body);
    const df = reader.next();
    const occurrences = reader.next();
    const lastBlock = chunkCount >> BLOCK_BITS;
    let at = 0;
    const segments = readTimes(reader, lastBlock + 1, (): SegmentHead => {
      const firstBlock = at + reader.next();
      at = firstBlock + reader.next();
      if (at > lastBlock) throw new RangeError(`block ${at} of ${lastBlock}`);
      return { firstBlock, lastBlock: at, postings: reader.next(), impacts: readImpacts(reader) };
    });
    const thresholds = readTimes(reader, THRESHOLD_DEPTHS.length, () => readImpacts(reader));
    const postings = segments.reduce((total, segment) => total + segment.postings, 0);
    if (postings !== df || df > chunkCount) throw new RangeError(`${postings} postings, df ${df}`);
    return { df, occurrences, segments, thresholds };
  });
}

function readImpacts(reader: VarintReader): Impact[] {
  return readTimes(reader, 1 << 16, (): Impact => {
    const units = reader.next();
    if (units === 0) throw new RangeError('an impact of nothing');
    return { units, length: reader.next() };
  });
}

function readTimes<Value>(reader: VarintReader, most: number, read: () => Value): Value[] {
  const count = reader.next();
  if (count > most) throw new RangeError(`${count} items where ${most} are possible`);
  return Array.from({ length: count }, read);
}
