/**
 * A metadata block: the metadata of consecutive documents that have any, compressed as one zstd frame with checksum. Raw
 * layout, integers LEB128, texts UTF-8:
 *
 *   block := count (id_gap text_bytes){count} text{count}
 *
 * `id_gap` is the distance of a document's id to the one before it, the first to 0; the block has the id of the first.
 */
import { MAX_BLOCK_RAW_BYTES } from './format.ts';
import { decodeFrame } from './stored-frame.ts';
import { VarintReader, VarintWriter } from './varint.ts';
import type { FrameCompressor } from './zstd.ts';

/** Metadata of one document on its way into a block. */
export interface MetadataEntry {
  readonly id: number;
  readonly text: Buffer;
}

/** A row of the table metadata_block. */
export interface MetadataBlockRow {
  readonly id: number;
  readonly raw_length: number;
  readonly data: Buffer;
}

/** @param entries at least one, by ascending id */
export function encodeMetadataBlock(compressor: FrameCompressor, entries: readonly MetadataEntry[]): MetadataBlockRow {
  const head = new VarintWriter();
  head.add(entries.length);
  let last = 0;
  for (const { id, text } of entries) {
    head.add(id - last);
    head.add(text.length);
    last = id;
  }
  const raw = Buffer.concat([head.view(), ...entries.map(({ text }) => text)]);
  return { id: entries[0]!.id, raw_length: raw.length, data: compressor.compress(raw) };
}

/** Metadata by document. @throws CorruptError when it is damaged or not the block of the row */
export function decodeMetadataBlock(file: string, row: MetadataBlockRow): ReadonlyMap<number, string> {
  return decodeFrame(file, `metadata block ${row.id}`, row, MAX_BLOCK_RAW_BYTES, (raw) => {
    const reader = new VarintReader(raw);
    const entries: [id: number, bytes: number][] = [];
    let last = 0;
    for (let left = reader.next(); left > 0; left--) {
      last += reader.next();
      entries.push([last, reader.next()]);
    }
    if (entries[0]?.[0] !== row.id) throw new RangeError('it is another block');
    let position = reader.position;
    const texts = new Map<number, string>();
    for (const [id, bytes] of entries) {
      texts.set(id, raw.toString('utf8', position, position + bytes));
      position += bytes;
    }
    if (position !== raw.length) throw new RangeError(`texts end at ${position} of ${raw.length} bytes`);
    return texts;
  });
}
