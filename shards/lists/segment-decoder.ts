import { decodeFrame } from '../stored-frame.ts';
import { VarintReader } from '../varint.ts';
import { BLOCK_CHUNKS, MAX_SEGMENT_RAW_BYTES, OVER, type SegmentHead } from './list-format.ts';

/** A row of the table list_segment. */
export interface SegmentRow {
  readonly id: number;
  readonly raw_length: number;
  readonly data: Buffer;
}

/** Postings of consecutive blocks, expanded: 3 bytes a posting. */
export interface ExpandedPostings {
  /** numbers of the blocks in which the term occurs, ascending */
  readonly blocks: Int32Array;
  /** where each block's postings begin in the arrays below, and where the last ones end */
  readonly starts: Int32Array;
  /** offset of the chunk in its block, ascending inside a block */
  readonly offsets: Uint16Array;
  /** term frequency in column units; 255 stands for the value in `over` */
  readonly units: Uint8Array;
  /** exact units of postings with 255 or more, by index; null when there are none */
  readonly over: ReadonlyMap<number, number> | null;
}

/** Opens a stored segment. @throws CorruptError when it is damaged or not the one its head describes. */
export function decodeSegment(file: string, row: SegmentRow, head: SegmentHead, chunkCount: number): ExpandedPostings {
  return decodeFrame(file, `list segment ${row.id}`, row, MAX_SEGMENT_RAW_BYTES, (raw) =>
    expand(raw, row.id, head, chunkCount),
  );
}

function expand(raw: Buffer, id: number, head: SegmentHead, chunkCount: number): ExpandedPostings {
  const reader = new VarintReader(raw);
  if (reader.next() !== id) throw new RangeError('it is another segment');
  const blockCount = reader.next();
  if (blockCount < 1 || blockCount > head.lastBlock - head.firstBlock + 1) throw new RangeError(`${blockCount} blocks`);
  const blocks = new Int32Array(blockCount);
  const starts = new Int32Array(blockCount + 1);
  let block = head.firstBlock;
  for (let index = 0; index < blockCount; index++) {
    block += reader.next();
    blocks[index] = block;
    starts[index + 1] = starts[index]! + reader.next();
  }
  if (block !== head.lastBlock || starts[blockCount] !== head.postings) {
    throw new RangeError(`${starts[blockCount]} postings up to block ${block}, its head says otherwise`);
  }
  const offsets = new Uint16Array(head.postings);
  const unitsAt = expandOffsets(raw, reader.position, starts, offsets);
  const unitsEnd = unitsAt + head.postings;
  if (unitsEnd > raw.length) throw new RangeError('units run past the end');
  const units = new Uint8Array(raw.subarray(unitsAt, unitsEnd));
  const last = block * BLOCK_CHUNKS + offsets[head.postings - 1]!;
  if (last > chunkCount) throw new RangeError(`chunk ${last} of ${chunkCount}`);
  return { blocks, starts, offsets, units, over: readOver(new VarintReader(raw, unitsEnd), raw.length, units) };
}

/** @returns the position behind the last gap. */
function expandOffsets(raw: Buffer, start: number, starts: Int32Array, offsets: Uint16Array): number {
  let position = start;
  for (let block = 0; block + 1 < starts.length; block++) {
    let offset = -1;
    const end = starts[block + 1]!;
    for (let index = starts[block]!; index < end; index++) {
      let gap = raw[position++]!;
      if (gap > 127) gap = (gap & 127) | (raw[position++]! << 7);
      offset += gap + 1;
      offsets[index] = offset;
    }
    if (!(offset < BLOCK_CHUNKS)) throw new RangeError(`offset ${offset} in a block`);
  }
  if (position > raw.length) throw new RangeError('offsets run past the end');
  return position;
}

function readOver(reader: VarintReader, rawLength: number, units: Uint8Array): Map<number, number> | null {
  const count = reader.next();
  if (count > units.length) throw new RangeError(`${count} large frequencies`);
  const over = new Map<number, number>();
  for (let item = 0; item < count; item++) {
    const index = reader.next();
    if (units[index] !== OVER) throw new RangeError(`posting ${index} has no large frequency`);
    over.set(index, reader.next());
  }
  if (reader.position !== rawLength) throw new RangeError('bytes are left over');
  return count === 0 ? null : over;
}

/** Postings as they come from the index's pages, in the expanded form. @param count at least one */
export function expandPostings(chunks: Int32Array, units: Int32Array, count: number): ExpandedPostings {
  const blocks: number[] = [];
  const starts: number[] = [];
  const offsets = new Uint16Array(count);
  const small = new Uint8Array(count);
  const over = new Map<number, number>();
  for (let index = 0; index < count; index++) {
    const chunk = chunks[index]!;
    const block = Math.floor(chunk / BLOCK_CHUNKS);
    if (block !== blocks.at(-1)) {
      blocks.push(block);
      starts.push(index);
    }
    offsets[index] = chunk % BLOCK_CHUNKS;
    const value = units[index]!;
    small[index] = Math.min(OVER, value);
    if (value >= OVER) over.set(index, value);
  }
  starts.push(count);
  return {
    blocks: Int32Array.from(blocks),
    starts: Int32Array.from(starts),
    offsets,
    units: small,
    over: over.size === 0 ? null : over,
  };
}
