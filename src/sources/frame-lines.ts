import type { FilledFrameOptions, Frame, Reject } from './frame.ts';
import { FrameWindow } from './frame-window.ts';
import { markLength, wrongEncoding } from './text-signs.ts';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Frames of lines; see frameRecords. A window of `targetBytes` is filled and cut after its last line end. Without one it grows
 * until the line ends, which then is alone in its frame, or has become too long, when it is dropped.
 */
export async function* frameLines(chunks: AsyncIterable<Buffer>, options: FilledFrameOptions): AsyncGenerator<Frame> {
  const { start, targetBytes, maxRecordBytes } = options;
  const window = new FrameWindow(chunks, start);
  try {
    let mark = 0;
    if (start === 0) {
      await window.fill(3);
      const refusal = wrongEncoding(window.bytes);
      if (refusal !== null) yield await skipAll(window, refusal);
      else if (window.length === 0 && window.failure === undefined) yield emptyFrame(0);
      mark = markLength(window.bytes);
    }
    for (let searched = 0; ; ) {
      await window.fill(searched === 0 ? targetBytes : window.length + targetBytes);
      if (window.length === 0) break;
      const lines = new LineScan(window.bytes, mark, searched, window.length > targetBytes ? 1 : Infinity);
      const last = window.ended && lines.lineEnds < lines.maxLineEnds;
      if (lines.lineEnds > 0 || last) {
        yield cutLines(window, lines, last, maxRecordBytes);
      } else if (window.length - mark > maxRecordBytes) {
        yield await skipLine(window, mark, maxRecordBytes);
      } else {
        searched = window.length;
        continue;
      }
      searched = 0;
      mark = 0;
    }
    if (window.failure !== undefined) throw window.failure;
  } finally {
    await window.close();
  }
}

/** The lines of a buffer, found with native searches; an LF right after a CR ends one more line, which is blank. */
class LineScan {
  readonly maxLineEnds: number;
  /** Pairs of start and end of each line that ended, blank ones too. */
  readonly ranges: number[] = [];
  /** Where the line begins that has not ended. */
  rest: number;
  lineEnds = 0;

  /**
   * @param begin where the first line begins.
   * @param searched no line ends before.
   * @param maxLineEnds stop after so many.
   */
  constructor(bytes: Buffer, begin: number, searched: number, maxLineEnds: number) {
    this.maxLineEnds = maxLineEnds;
    this.rest = begin;
    let lf = bytes.indexOf(lineFeed, searched);
    let cr = bytes.indexOf(carriageReturn, searched);
    while ((lf !== -1 || cr !== -1) && this.lineEnds < maxLineEnds) {
      const end = cr === -1 || (lf !== -1 && lf < cr) ? lf : cr;
      this.ranges.push(this.rest, end);
      this.lineEnds++;
      this.rest = end + 1;
      if (end === lf) lf = bytes.indexOf(lineFeed, this.rest);
      else cr = bytes.indexOf(carriageReturn, this.rest);
    }
  }
}

/** Cuts what has been scanned out of the window; with `last`, also the line that ends with the source. */
function cutLines(window: FrameWindow, lines: LineScan, last: boolean, maxRecordBytes: number): Frame {
  const end = last ? window.length : lines.rest;
  const byteStart = window.position;
  const bytes = window.cut(end);
  const records: number[] = [];
  const rejects: Reject[] = [];
  const reject = (from: number, to: number, reason: string): void => {
    rejects.push({ byteStart: byteStart + from, byteEnd: byteStart + to, reason });
  };
  const take = (from: number, to: number): void => {
    if (to - from > maxRecordBytes) reject(from, to, tooLong(to - from, maxRecordBytes));
    else if (!isBlank(bytes, from, to)) records.push(from, to);
  };
  for (let i = 0; i < lines.ranges.length; i += 2) take(lines.ranges[i]!, lines.ranges[i + 1]!);
  if (last && window.failure === undefined) take(lines.rest, end);
  else if (last && !isBlank(bytes, lines.rest, end)) reject(lines.rest, end, `incomplete: ${window.failure?.reason}`);
  return { bytes, byteStart, byteEnd: byteStart + end, records: new Uint32Array(records), rejects };
}

async function skipLine(window: FrameWindow, mark: number, maxRecordBytes: number): Promise<Frame> {
  const byteStart = window.position;
  const end = await window.skip(findLineEnd);
  const reason = tooLong(end - byteStart - mark, maxRecordBytes);
  const rejects = [{ byteStart: byteStart + mark, byteEnd: end, reason }];
  return { ...emptyFrame(byteStart), byteEnd: window.position, rejects };
}

/** One frame that rejects all of the source from the start of the window on. */
export async function skipAll(window: FrameWindow, reason: string): Promise<Frame> {
  const byteStart = window.position;
  const byteEnd = await window.skip(() => -1);
  return { ...emptyFrame(byteStart), byteEnd, rejects: [{ byteStart, byteEnd, reason }] };
}

/** A frame that holds nothing. */
export function emptyFrame(byteStart: number): Frame {
  return { bytes: Buffer.alloc(0), byteStart, byteEnd: byteStart, records: new Uint32Array(0), rejects: [] };
}

function findLineEnd(bytes: Buffer): number {
  const lf = bytes.indexOf(lineFeed);
  const cr = (lf === -1 ? bytes : bytes.subarray(0, lf)).indexOf(carriageReturn);
  return cr === -1 ? lf : cr;
}

function tooLong(bytes: number, maxRecordBytes: number): string {
  return `a line of ${bytes} bytes; the limit is ${maxRecordBytes}`;
}

/** Whether only spaces, tabs, vertical tabs and form feeds stand there. */
function isBlank(bytes: Buffer, from: number, to: number): boolean {
  for (let i = from; i < to; i++) {
    const byte = bytes[i];
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0b && byte !== 0x0c) return false;
  }
  return true;
}
