import { frameDocuments } from './frame-documents.ts';
import { frameLines } from './frame-lines.ts';
import type { SourceFormat } from './source.ts';

/** A longer line is skipped and reported, by default. */
export const defaultMaxRecordBytes = 64 * 1024 * 1024;
/** A longer Markdown or text file is cut into records of at most this size. */
export const maxDocumentBytes = 16 * 1024 * 1024;
/** Frames of lines are filled up to this size, by default. */
export const defaultTargetBytes = 1024 * 1024;

/** A part of a source that became no record. Offsets are decompressed bytes of the source, end exclusive. */
export interface Reject {
  readonly byteStart: number;
  readonly byteEnd: number;
  readonly reason: string;
}

/**
 * One piece of a source with whole records. The frames of a source tile it: each begins where the one before ended, the first
 * at `start`, and the last ends where the source does. Framing that starts at any frame's `byteEnd` gives the frames that follow it.
 */
export interface Frame {
  /** Contiguous bytes of the source from `byteStart` on. No other frame or chunk shares their ArrayBuffer: it may be transferred. */
  readonly bytes: Buffer;
  /** Decompressed offset of the frame, and of `bytes[0]`. */
  readonly byteStart: number;
  /** Everything before this decompressed offset is accounted for. Past the end of `bytes` when what follows them was rejected unread. */
  readonly byteEnd: number;
  /** Pairs of start and end (exclusive) in `bytes`, ascending, without line ends and without the byte order mark. */
  readonly records: Uint32Array<ArrayBuffer>;
  readonly rejects: readonly Reject[];
}

/** How to cut a source into frames. */
export interface FrameOptions {
  readonly format: SourceFormat;
  /** Decompressed offset of the first byte of the chunks: 0 or the `byteEnd` of a frame. @default 0 */
  readonly start?: number;
  /** Bytes of the longest line that is a record; at least 1. @default 64 MiB */
  readonly maxRecordBytes?: number;
  /** Bytes up to which a frame is filled with lines; at least 1. A longer line has a frame of its own. @default 1 MiB */
  readonly targetBytes?: number;
  /** Bytes of the longest record of a Markdown or text file; at least 4. @default 16 MiB */
  readonly maxDocumentBytes?: number;
}

/** {@link FrameOptions} with nothing left open. */
export type FilledFrameOptions = Required<Omit<FrameOptions, 'format'>>;

/**
 * Cuts the bytes of a source into records. Frames depend on the bytes alone, never on how they were cut into chunks, and chunks
 * are pulled only when the next frame is asked for.
 *
 * - `jsonl`: a record is a line that ends in LF, CR LF, CR or with the source. Lines of whitespace are no records.
 * - `markdown`, `text`: the file is one record, also when it is empty; one over `maxDocumentBytes` is several, cut after the last
 *   line end that fits. Binary data (a NUL in the first 8 KiB) is one reject.
 * - All: a leading byte order mark is left out; UTF-16 is one reject.
 *
 * @throws SourceError of the chunks, after one last frame with the records that were complete: what was incomplete is a reject there
 *   (`incomplete: …`). Other errors pass through at once.
 */
export function frameRecords(chunks: AsyncIterable<Buffer>, options: FrameOptions): AsyncGenerator<Frame> {
  const filled: FilledFrameOptions = {
    start: options.start ?? 0,
    maxRecordBytes: options.maxRecordBytes ?? defaultMaxRecordBytes,
    targetBytes: options.targetBytes ?? defaultTargetBytes,
    maxDocumentBytes: options.maxDocumentBytes ?? maxDocumentBytes,
  };
  return options.format === 'jsonl' ? frameLines(chunks, filled) : frameDocuments(chunks, filled);
}
