import { CorruptError } from '../errors.ts';
import type { Database } from '../sqlite.ts';
import { explained } from './explain.ts';

/**
 * FTS5's structure record: which segments an index has. Grammar (fts5_index.c, "Structure Records" and
 * fts5StructureDecode; every number is a SQLite varint: big-endian groups of seven bits):
 * ```
 * record  := cookie:4 bytes  [FF 00 00 01 = version 2]  levels  segments  writeCounter  level*
 * level   := mergedInput  count  segment*
 * segment := id  firstLeaf  lastLeaf  [version 2: origin1  origin2  tombstonePages  tombstones  entries]
 * ```
 * The write counter and the origins are 64 bits wide and never needed here.
 */

/** Rowid of the structure record in FTS5's `%_data` table (FTS5_STRUCTURE_ROWID). */
const structureRowid = 10;

const version2Mark = 0xff000001;

/** More segments or levels than this no index has (FTS5_MAX_SEGMENT). */
const maxSegments = 2000;

/** Segment ids have 16 bits, leaf numbers 31 (FTS5_DATA_ID_B, FTS5_DATA_PAGE_B). */
const maxSegmentId = 2 ** 16 - 1;
const maxLeaf = 2 ** 31 - 1;

/** SQLite's longest varint. */
const maxVarintBytes = 9;

/** The one segment of a sealed index: its leaves are the rows `segmentId * 2^37 + leaf` of `fts_data`. */
export interface Segment {
  readonly segmentId: number;
  /** always 1: FTS5 trims the front of a segment only while it merges it into another */
  readonly firstLeaf: number;
  readonly lastLeaf: number;
}

/**
 * Segments of the FTS5 index, counted from its structure record.
 * @throws CorruptError when the record is missing or not one that FTS5 writes.
 */
export function segmentCount(database: Database): number {
  return readStructure(database, database.name).length;
}

/**
 * The segment of a sealed shard's index, or null when the index has no term.
 * @throws CorruptError when there are several segments, or the record is missing or not one that FTS5 writes.
 */
export function readSegment(database: Database, file: string): Segment | null {
  const segments = readStructure(database, file);
  if (segments.length > 1) {
    throw corrupt(file, `the index has ${segments.length} segments, sealing leaves one; rebuild the shard`);
  }
  const segment = segments[0];
  if (segment === undefined) return null;
  if (segment.firstLeaf !== 1) {
    throw corrupt(file, `its only segment begins with leaf ${segment.firstLeaf}, expected 1; rebuild the shard`);
  }
  return segment;
}

function readStructure(database: Database, file: string): Segment[] {
  const record = explained(file, () =>
    database.prepare('SELECT block FROM fts_data WHERE id = ?').pluck().get(structureRowid),
  );
  if (!Buffer.isBuffer(record)) throw corrupt(file, 'the FTS5 index has no structure record');
  const segments = decodeStructure(record);
  if (segments === null) throw corrupt(file, 'its structure record is not one that FTS5 writes; rebuild the shard');
  return segments;
}

/** The segments of all levels, or null when the record does not follow the grammar. */
function decodeStructure(record: Buffer): Segment[] | null {
  // The record of an index without terms is only seven bytes long.
  const version2 = record.length >= 8 && record.readUInt32BE(4) === version2Mark;
  const numbers = new StructureNumbers(record, version2 ? 8 : 4);
  const levelCount = numbers.next();
  const total = numbers.next();
  numbers.next();
  if (levelCount > maxSegments || total > maxSegments) return null;
  const segments: Segment[] = [];
  for (let level = 0; level < levelCount; level++) {
    const mergedInput = numbers.next();
    const count = numbers.next();
    if (mergedInput > count || segments.length + count > total) return null;
    for (let index = 0; index < count; index++) {
      const segment = { segmentId: numbers.next(), firstLeaf: numbers.next(), lastLeaf: numbers.next() };
      if (version2) {
        numbers.next();
        numbers.next();
        // Tombstones hide postings that the leaves still hold; nothing of a sealed shard was ever deleted.
        if (numbers.next() !== 0 || numbers.next() !== 0) return null;
        numbers.next();
      }
      if (!isSane(segment)) return null;
      segments.push(segment);
    }
  }
  return numbers.complete && segments.length === total ? segments : null;
}

function isSane({ segmentId, firstLeaf, lastLeaf }: Segment): boolean {
  return segmentId >= 1 && segmentId <= maxSegmentId && firstLeaf >= 1 && firstLeaf <= lastLeaf && lastLeaf <= maxLeaf;
}

/** Varints one after the other; past the end they are NaN, which fits no limit. */
class StructureNumbers {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  /** Whether every byte was read, and no more. */
  get complete(): boolean {
    return this.#at === this.#bytes.length;
  }

  /** The next number; above 2^53 it is rounded. The ninth byte of a varint counts whole. */
  next(): number {
    let value = 0;
    for (let length = 1; length <= maxVarintBytes; length++) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) return Number.NaN;
      if (length === maxVarintBytes) return value * 256 + byte;
      value = value * 128 + (byte & 127);
      if (byte < 128) break;
    }
    return value;
  }
}

function corrupt(file: string, detail: string): CorruptError {
  return new CorruptError(file, 'its index', detail);
}
