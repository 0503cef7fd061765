/**
 * The attribute index: which documents of a shard have which values of which attributes (see document-attributes.ts).
 *
 *   column attributes      is_complete attribute_count attribute{attribute_count}
 *   attribute              := name is_indexed (block_count first_block (last_value){block_count})?
 *   table attribute_block  id, raw_length, data: a zstd frame with checksum of
 *   raw                    := id value_count value{value_count}
 *   value                  := shared_bytes rest runs
 *   runs                   := run_count (gap more){run_count}
 *
 * Integers are LEB128; `name`, `last_value` and `rest` are a length in bytes and UTF-8. Attributes, and the values of each, are
 * in the order of their UTF-16 code units. The values of an attribute fill consecutive blocks, and `last_value` is the last
 * one of a block, so that one block is read to look a value up. A value begins with `shared_bytes` bytes of the value
 * before it in the block. A run is documents with consecutive numbers (from 0 in the order of ids): `gap` is the distance from
 * the end of the run before, `more` how many documents it has beside the first.
 *
 * `is_indexed` is 0 for an attribute with so many values that they would have taken too much memory to sort; `is_complete` is 0
 * when there are more attributes than are listed. Then documents have to be asked themselves. So they have to for names and
 * values over {@link MAX_NAME_LENGTH} and {@link MAX_VALUE_LENGTH}, which stand in no index.
 */

import { compareTexts } from '../document.ts';
import { decodePart } from '../errors.ts';
import { decodeFrame } from '../stored-frame.ts';
import { VarintReader, VarintWriter } from '../varint.ts';

/** Longest name and value that are indexed, in UTF-16 units. */
export const MAX_NAME_LENGTH = 256;
export const MAX_VALUE_LENGTH = 1024;

/** Raw bytes after which a block is closed. */
export const ATTRIBUTE_BLOCK_BYTES = 64 * 1024;

/** A raw block above this is not believed when read from disk. */
const maxBlockRawBytes = 1 << 28;

/** Documents with consecutive numbers, in ascending order: first, count, first, count … */
export type DocumentRuns = readonly number[];

/** A value and the documents that have it. */
export interface AttributeValue {
  readonly value: string;
  readonly runs: DocumentRuns;
}

/** Where the values of an attribute stand. */
export interface IndexedAttribute {
  readonly firstBlock: number;
  /** last value of each block, ascending */
  readonly lastValues: readonly string[];
}

/** What is known of all attributes without reading a block. */
export interface AttributeDirectory {
  /** false when documents have attributes that are not listed */
  readonly isComplete: boolean;
  /** null for an attribute without an index */
  readonly attributes: ReadonlyMap<string, IndexedAttribute | null>;
}

/** A row of the table attribute_block. */
export interface AttributeBlockRow {
  readonly id: number;
  readonly raw_length: number;
  readonly data: Buffer;
}

/** The stored form of a directory. */
export function encodeAttributeDirectory({ isComplete, attributes }: AttributeDirectory): Buffer {
  const writer = new VarintWriter();
  writer.add(isComplete ? 1 : 0);
  writer.add(attributes.size);
  for (const [name, attribute] of attributes) {
    addText(writer, Buffer.from(name));
    writer.add(attribute === null ? 0 : 1);
    if (attribute === null) continue;
    writer.add(attribute.lastValues.length);
    writer.add(attribute.firstBlock);
    for (const value of attribute.lastValues) addText(writer, Buffer.from(value));
  }
  return writer.toBuffer();
}

/** Reads a directory. @throws CorruptError */
export function decodeAttributeDirectory(file: string, bytes: Buffer): AttributeDirectory {
  return decodePart(file, 'the list of attributes', () => {
    const reader = new VarintReader(bytes);
    const isComplete = reader.next() === 1;
    const attributes = new Map<string, IndexedAttribute | null>();
    for (let left = reader.next(); left > 0; left--) {
      const name = readText(reader, bytes);
      if (reader.next() === 0) {
        attributes.set(name, null);
        continue;
      }
      const blocks = reader.next();
      const firstBlock = reader.next();
      const lastValues: string[] = [];
      for (let block = 0; block < blocks; block++) lastValues.push(readText(reader, bytes));
      if (!isAscending(lastValues)) throw new RangeError(`the values of "${name}" are out of order`);
      attributes.set(name, { firstBlock, lastValues });
    }
    if (reader.position !== bytes.length) throw new RangeError('bytes are left over');
    return { isComplete, attributes };
  });
}

/** Puts values together into the raw form of blocks. */
export class AttributeBlockEncoder {
  readonly #values = new VarintWriter();
  readonly #whole = new VarintWriter();
  #count = 0;
  #last: Buffer = Buffer.alloc(0);

  /** Bytes of the values so far. */
  get bytes(): number {
    return this.#values.length;
  }

  add({ value, runs }: AttributeValue): void {
    const bytes = Buffer.from(value);
    const shared = sharedBytes(this.#last, bytes);
    this.#values.add(shared);
    addText(this.#values, bytes.subarray(shared));
    this.#values.add(runs.length / 2);
    let end = 0;
    for (let at = 0; at < runs.length; at += 2) {
      this.#values.add(runs[at]! - end);
      this.#values.add(runs[at + 1]! - 1);
      end = runs[at]! + runs[at + 1]!;
    }
    this.#last = bytes;
    this.#count++;
  }

  /** The block of the values since the last one. */
  finish(id: number): Buffer {
    this.#whole.clear();
    this.#whole.add(id);
    this.#whole.add(this.#count);
    const raw = Buffer.concat([this.#whole.view(), this.#values.view()]);
    this.#values.clear();
    this.#count = 0;
    this.#last = Buffer.alloc(0);
    return raw;
  }
}

/** Reads the values of a block in their order. @throws CorruptError when it is damaged, or not the one of the row. */
export function decodeAttributeBlock(file: string, row: AttributeBlockRow, documentCount: number): AttributeValue[] {
  return decodeFrame(file, `attribute block ${row.id}`, row, maxBlockRawBytes, (raw) => {
    const reader = new VarintReader(raw);
    if (reader.next() !== row.id) throw new RangeError('it is another block');
    const values: AttributeValue[] = [];
    let last: Buffer = Buffer.alloc(0);
    for (let left = reader.next(); left > 0; left--) {
      const shared = reader.next();
      if (shared > last.length) throw new RangeError(`${shared} bytes of a value of ${last.length}`);
      last = Buffer.concat([last.subarray(0, shared), readBytes(reader, raw)]);
      values.push({ value: last.toString('utf8'), runs: readRuns(reader, documentCount) });
    }
    if (reader.position !== raw.length) throw new RangeError('bytes are left over');
    return values;
  });
}

function readRuns(reader: VarintReader, documentCount: number): number[] {
  const runs: number[] = [];
  let end = 0;
  for (let left = reader.next(); left > 0; left--) {
    const first = end + reader.next();
    const count = reader.next() + 1;
    end = first + count;
    if (end > documentCount) throw new RangeError(`document ${end - 1} of ${documentCount}`);
    runs.push(first, count);
  }
  return runs;
}

function sharedBytes(a: Buffer, b: Buffer): number {
  const most = Math.min(a.length, b.length);
  let shared = 0;
  while (shared < most && a[shared] === b[shared]) shared++;
  return shared;
}

function addText(writer: VarintWriter, bytes: Uint8Array): void {
  writer.add(bytes.length);
  writer.addBytes(bytes);
}

function readText(reader: VarintReader, bytes: Buffer): string {
  return readBytes(reader, bytes).toString('utf8');
}

function readBytes(reader: VarintReader, bytes: Buffer): Buffer {
  const length = reader.next();
  return bytes.subarray(reader.position, reader.skip(length));
}

/** Whether texts are in order and no two the same. */
function isAscending(texts: readonly string[]): boolean {
  return texts.every((text, index) => index === 0 || compareTexts(texts[index - 1]!, text) < 0);
}
