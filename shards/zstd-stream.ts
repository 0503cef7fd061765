import binding from 'zstd-napi/binding.js';

/** Windows up to 128 MiB are decoded, as far as `zstd --long` goes without a number. */
const maxWindowLog = 27;
/** No block is larger, decompressed (RFC 8878, 3.1.1.2.4). */
const maxBlockBytes = 128 * 1024;
const outputBytes = 1024 * 1024;
/** Bytes that must be seen before the first size hint: the magic number and the frame header's first byte. */
const startBytes = 5;

/**
 * Decompresses a zstd file of any number of frames, skippable ones too. A chunk holds about 1 MiB.
 *
 * The decoder is fed exactly what it asks for, which is one block at a time: so whatever breaks costs no block before it, and
 * the hint of what it still wants tells a frame that ended from one that was cut off, which zstd itself does not report.
 *
 * @throws Error after all blocks that decoded cleanly, when the file is truncated, damaged, followed by anything else,
 *   or needs a window over 128 MiB.
 */
export async function* decodeZstd(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const context = new binding.DCtx();
  context.setParameter(binding.DParameter.windowLogMax, maxWindowLog);
  let output = Buffer.allocUnsafe(outputBytes);
  let filled = 0;
  let wanted = startBytes;
  let betweenFrames = true;
  let frames = 0;
  /** decompressed bytes of the current frame */
  let frameBytes = 0;
  let failure: Error | undefined;

  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length && failure === undefined; ) {
      const source = chunk.subarray(at, at + wanted);
      try {
        const [hint, produced, consumed] = context.decompressStream(output.subarray(filled), source);
        frameBytes = betweenFrames ? produced : frameBytes + produced;
        filled += produced;
        at += consumed;
        betweenFrames = hint === 0;
        if (betweenFrames) frames++;
        wanted = betweenFrames ? startBytes : hint;
      } catch (error) {
        failure = new Error(explain(error, betweenFrames, frames, frameBytes), { cause: error });
      }
      if (output.length - filled < maxBlockBytes) {
        yield output.subarray(0, filled);
        output = Buffer.allocUnsafe(outputBytes);
        filled = 0;
      }
    }
    if (failure !== undefined) break;
  }
  if (filled > 0) yield output.subarray(0, filled);
  if (failure !== undefined) throw failure;
  if (!betweenFrames) throw new Error('truncated: the file ends inside a zstd frame');
  if (frames === 0) throw new Error('it is not zstd data: the file is empty');
}

function explain(error: unknown, betweenFrames: boolean, frames: number, frameBytes: number): string {
  const message = error instanceof Error ? error.message : String(error);
  if (/memory/i.test(message)) return 'its zstd window is larger than 128 MiB';
  if (/dictionary/i.test(message)) return 'its zstd data needs a dictionary';
  if (/checksum/i.test(message)) {
    return `damaged zstd data: the checksum does not match, so the last ${frameBytes} bytes may be wrong`;
  }
  if (!/unknown frame/i.test(message)) return `damaged zstd data: ${message}`;
  return frames > 0 && betweenFrames ? 'garbage follows the zstd data' : 'it is not zstd data';
}
