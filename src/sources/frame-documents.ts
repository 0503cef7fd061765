import type { FilledFrameOptions, Frame } from './frame.ts';
import { emptyFrame, skipAll } from './frame-lines.ts';
import { FrameWindow } from './frame-window.ts';
import { markLength, notText } from './text-signs.ts';

/** Frames of one record each: the whole file, or parts of a file that is larger than `maxDocumentBytes`; see frameRecords. */
export async function* frameDocuments(
  chunks: AsyncIterable<Buffer>,
  { start, maxDocumentBytes }: FilledFrameOptions,
): AsyncGenerator<Frame> {
  const window = new FrameWindow(chunks, start);
  try {
    // One byte more tells a file that just fits from one that must be cut.
    await window.fill(maxDocumentBytes + 1);
    let mark = 0;
    if (start === 0) {
      const refusal = notText(window.bytes);
      if (refusal !== null) yield await skipAll(window, refusal);
      else if (window.length === 0 && window.failure === undefined) {
        yield { ...emptyFrame(0), records: new Uint32Array([0, 0]) };
      }
      mark = markLength(window.bytes);
    }
    while (window.length > 0) {
      yield window.length > maxDocumentBytes
        ? cutRecord(window, mark, cutPoint(window.bytes, maxDocumentBytes))
        : cutRest(window, mark);
      mark = 0;
      await window.fill(maxDocumentBytes + 1);
    }
    if (window.failure !== undefined) throw window.failure;
  } finally {
    await window.close();
  }
}

function cutRecord(window: FrameWindow, mark: number, end: number): Frame {
  const byteStart = window.position;
  const bytes = window.cut(end);
  return { bytes, byteStart, byteEnd: byteStart + end, records: new Uint32Array([mark, end]), rejects: [] };
}

/** The last part; a file that broke off is no document. */
function cutRest(window: FrameWindow, mark: number): Frame {
  const frame = cutRecord(window, mark, window.length);
  if (window.failure === undefined) return frame;
  const { byteStart, byteEnd } = frame;
  const rejects = [{ byteStart, byteEnd, reason: `incomplete: ${window.failure.reason}` }];
  return { ...frame, records: new Uint32Array(0), rejects };
}

/** After the last line end in the first `limit` bytes; without one, the last place that is not inside a UTF-8 character. */
function cutPoint(bytes: Buffer, limit: number): number {
  const lineEnd = bytes.lastIndexOf(0x0a, limit - 1);
  if (lineEnd !== -1) return lineEnd + 1;
  for (let point = limit; point > limit - 4; point--) {
    if ((bytes[point]! & 0xc0) !== 0x80) return point;
  }
  return limit;
}
