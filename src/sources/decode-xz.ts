import lzma from 'lzma-native';
import type { ChunkReader } from './chunk-reader.ts';

const magic = Buffer.from('fd377a585a00', 'hex');
/** What one write may expand to is bounded by LZMA's best ratio, about 7,000. */
const pieceBytes = 16 * 1024;
/** `xz -9` needs 65 MiB; this allows dictionaries of 256 MiB. */
const maxDecoderBytes = 300 * 1024 * 1024;

/**
 * Decompresses an xz file of one or more streams and blocks; the integrity checks stored in it are verified.
 *
 * @throws Error after all data that decoded cleanly, when the file is truncated, damaged, followed by anything but padding,
 *   or needs a dictionary over 256 MiB.
 */
export async function* decodeXz(input: ChunkReader): AsyncGenerator<Buffer> {
  const whole = await input.fill(magic.length);
  if (input.buffer.length === 0) throw new Error('it is not xz data: the file is empty');
  const head = input.buffer.subarray(0, magic.length);
  if (!head.equals(magic.subarray(0, head.length))) throw new Error('it is not xz data');
  if (!whole) throw new Error(truncated);

  const decoder = lzma.createStream('streamDecoder', {
    memlimit: maxDecoderBytes,
    flags: lzma.CONCATENATED,
    bufsize: 256 * 1024,
  });
  const decoded: Buffer[] = [];
  let failure: unknown;
  let settle = (): void => {};
  decoder.on('data', (chunk: Buffer) => decoded.push(chunk));
  decoder.on('error', (error) => {
    failure = error;
    settle();
  });
  decoder.on('end', () => settle());
  try {
    for (let ended = false; !ended; ) {
      const piece = await input.take(pieceBytes);
      // An error may come between two writes, and a failed decoder never calls back.
      if (failure !== undefined) throw new Error(explain(failure), { cause: failure });
      ended = piece.length === 0;
      await new Promise<void>((resolve) => {
        settle = resolve;
        if (ended) decoder.end();
        else decoder.write(piece, () => resolve());
      });
      yield* decoded.splice(0);
      if (failure !== undefined) throw new Error(explain(failure), { cause: failure });
    }
  } finally {
    decoder.destroy();
  }
}

const truncated = 'truncated: the file ends inside an xz stream';

function explain(error: unknown): string {
  const name = error instanceof Error ? error.name : '';
  if (name === 'LZMA_BUF_ERROR') return truncated;
  if (name === 'LZMA_MEMLIMIT_ERROR') return 'its xz dictionary is larger than 256 MiB';
  if (name === 'LZMA_OPTIONS_ERROR') return 'its xz data uses an option that is not known here';
  return 'damaged xz data';
}
