/**
 * A block: the text of consecutive chunks, compressed as one zstd frame with checksum. Raw layout, all integers LEB128:
 *
 *   block     := first_chunk chunk_count entry{chunk_count} text{chunk_count}
 *   entry     := document text_start heading_bytes lead_bytes text_bytes
 *   text      := heading (UTF-8, path parts joined by U+001F) chunk (UTF-8)
 *
 * `document` is the id of the chunk's document, `text_start` the byte offset of the chunk in its document's text,
 * `lead_bytes` how much of the chunk comes before its body (heading lines, front matter). The ids repeat what the
 * tables outside say, so that a damaged row or key cannot pass off one chunk's text as another's.
 */
import { type ChunkId, type DocumentId, HEADING_SEPARATOR, MAX_BLOCK_RAW_BYTES } from './format.ts';
import { decodeFrame } from './stored-frame.ts';
import { VarintReader, VarintWriter } from './varint.ts';
import { FrameCompressor } from './zstd.ts';

/** One chunk on its way into a block. */
export interface BlockEntry {
  readonly document: DocumentId;
  readonly textStart: number;
  readonly heading: Buffer;
  readonly leadBytes: number;
  readonly text: Buffer;
}

/** A row of the block table. */
export interface BlockRow {
  readonly id: number;
  readonly chunk_count: number;
  readonly raw_length: number;
  readonly data: Buffer;
}

/** A chunk as stored: everything in it is covered by the block's checksum. */
export interface StoredChunk {
  readonly chunk: ChunkId;
  readonly document: DocumentId;
  /** byte offset of the chunk in its document's text */
  readonly textStart: number;
  readonly textBytes: number;
  readonly heading: readonly string[];
  /** heading lines, front matter and white space before the body */
  readonly lead: string;
  readonly body: string;
}

/** The text of a chunk as bytes: lead and body. */
export interface BlockText {
  readonly chunk: ChunkId;
  readonly document: DocumentId;
  /** byte offset of the chunk in its document's text */
  readonly textStart: number;
  readonly text: Buffer;
}

/** Packs chunks into blocks. */
export class BlockEncoder {
  readonly #compressor: FrameCompressor;

  constructor(level: number) {
    this.#compressor = new FrameCompressor(level);
  }

  /** @param entries at least one chunk, in chunk order from `first`. */
  encode(first: ChunkId, entries: readonly BlockEntry[]): BlockRow {
    const head = new VarintWriter();
    head.add(first);
    head.add(entries.length);
    const parts: Buffer[] = [];
    for (const entry of entries) {
      head.add(entry.document);
      head.add(entry.textStart);
      head.add(entry.heading.length);
      head.add(entry.leadBytes);
      head.add(entry.text.length);
      parts.push(entry.heading, entry.text);
    }
    const raw = Buffer.concat([head.toBuffer(), ...parts]);
    return { id: first, chunk_count: entries.length, raw_length: raw.length, data: this.#compressor.compress(raw) };
  }
}

/** Opens blocks of one shard file. */
export class BlockDecoder {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** @throws CorruptError when anything in the row disagrees with anything else. */
  decode(row: BlockRow): StoredChunk[] {
    return this.#open(row, ({ chunk, entry, raw, textAt }) => {
      const heading = raw.toString('utf8', textAt - entry.headingBytes, textAt);
      const bodyAt = textAt + entry.leadBytes;
      return {
        chunk,
        document: entry.document,
        textStart: entry.textStart,
        textBytes: entry.textBytes,
        heading: heading === '' ? [] : heading.split(HEADING_SEPARATOR),
        lead: raw.toString('utf8', textAt, bodyAt),
        body: raw.toString('utf8', bodyAt, textAt + entry.textBytes),
      };
    });
  }

  /** The texts of chunks as bytes, without their headings. @throws as {@link decode} */
  decodeTexts(row: BlockRow): BlockText[] {
    return this.#open(row, ({ chunk, entry, raw, textAt }) => ({
      chunk,
      document: entry.document,
      textStart: entry.textStart,
      text: raw.subarray(textAt, textAt + entry.textBytes),
    }));
  }

  #open<Value>(row: BlockRow, read: (place: ChunkPlace) => Value): Value[] {
    return decodeFrame(this.#file, `block ${row.id}`, row, MAX_BLOCK_RAW_BYTES, (raw) => placesIn(row, raw).map(read));
  }
}

/** What the head of a block says of a chunk. */
interface ChunkEntry {
  readonly document: DocumentId;
  readonly textStart: number;
  readonly headingBytes: number;
  readonly leadBytes: number;
  readonly textBytes: number;
}

/** Where a chunk's text begins in a decompressed block; its heading stands before it. */
interface ChunkPlace {
  readonly chunk: ChunkId;
  readonly entry: ChunkEntry;
  readonly raw: Buffer;
  readonly textAt: number;
}

function placesIn(row: BlockRow, raw: Buffer): ChunkPlace[] {
  const reader = new VarintReader(raw);
  const first = reader.next();
  const count = reader.next();
  if (first !== row.id || count !== row.chunk_count) {
    throw new Error(`holds chunks ${first}+${count}, its row says ${row.id}+${row.chunk_count}`);
  }
  if (count > raw.length) throw new RangeError('more chunks than bytes');
  const entries: ChunkEntry[] = [];
  for (let index = 0; index < count; index++) {
    entries.push({
      document: reader.next() as DocumentId,
      textStart: reader.next(),
      headingBytes: reader.next(),
      leadBytes: reader.next(),
      textBytes: reader.next(),
    });
  }
  let position = reader.position;
  const places = entries.map((entry, index): ChunkPlace => {
    const textAt = position + entry.headingBytes;
    position = textAt + entry.textBytes;
    return { chunk: (first + index) as ChunkId, entry, raw, textAt };
  });
  if (position !== raw.length) throw new Error(`texts end at ${position} of ${raw.length} bytes`);
  return places;
}
