import { open, stat } from 'node:fs/promises';
import { decodeZstd } from '../../shards/zstd-stream.ts';
import { ChunkReader } from './chunk-reader.ts';
import { decodeBzip2 } from './decode-bzip2.ts';
import { decodeGzip } from './decode-gzip.ts';
import { decodeXz } from './decode-xz.ts';
import { readFileChunks } from './read-file.ts';
import { type Compression, type Source, standardInput } from './source.ts';
import { reasonOf, SourceError } from './source-error.ts';

const plainChunkBytes = 1024 * 1024;
const packedChunkBytes = 256 * 1024;

/** Where to begin, and how to stop early. */
export interface OpenOptions {
  /** Decompressed byte to begin at. A plain file is sought; anything else is read from its start. @default 0 */
  readonly start?: number;
  /** Stops the reading: the next pull throws the signal's reason. */
  readonly signal?: AbortSignal;
  /** Told of every piece read, in bytes as stored (compressed ones where the source is compressed). */
  readonly onRead?: (bytes: number) => void;
}

type Chunks = AsyncIterable<Buffer>;

const decoders: Readonly<Record<Compression, (chunks: Chunks) => Chunks>> = {
  none: (chunks) => chunks,
  zstd: decodeZstd,
  gzip: (chunks) => decodeWith(decodeGzip, chunks),
  bzip2: (chunks) => decodeWith(decodeBzip2, chunks),
  xz: (chunks) => decodeWith(decodeXz, chunks),
};

/**
 * The decompressed bytes of a source from `start` on. Nothing is read before it is asked for, and memory is bounded by a few
 * chunks whatever the size of the source. Chunks do not share memory that is written again.
 *
 * A flipped bit that still decodes is noticed only at the next stored checksum: after a block of bzip2 and xz, but after the whole
 * member of gzip and frame of zstd (if that has one), so their data is proven only when the iteration ends without an error.
 *
 * @throws SourceError when the source cannot be opened, is not what its compression says, ends before `start`, is truncated or
 *   damaged. Everything that decoded before the damage has been yielded by then.
 */
export async function* openSource(
  source: Pick<Source, 'path' | 'compression'>,
  { start = 0, signal, onRead }: OpenOptions = {},
): AsyncGenerator<Buffer> {
  let position = 0;
  try {
    const raw = await readRaw(source, start);
    position = raw.start;
    for await (const chunk of decoders[source.compression](
      onRead === undefined ? raw.chunks : watch(raw.chunks, onRead),
    )) {
      signal?.throwIfAborted();
      const unwanted = Math.min(Math.max(start - position, 0), chunk.length);
      position += chunk.length;
      if (unwanted < chunk.length) yield unwanted === 0 ? chunk : chunk.subarray(unwanted);
    }
  } catch (error) {
    if (signal?.aborted === true || error instanceof SourceError) throw error;
    throw new SourceError(source.path, reasonOf(error), position, error);
  }
  if (position < start)
    throw new SourceError(source.path, `it ends before byte ${start}, where reading was to go on`, position);
}

async function* watch(chunks: Chunks, onRead: (bytes: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    onRead(chunk.length);
    yield chunk;
  }
}

/** The bytes as they are stored, and the offset of the first; only a plain file can begin elsewhere than at 0. */
async function readRaw(
  source: Pick<Source, 'path' | 'compression'>,
  start: number,
): Promise<{ start: number; chunks: Chunks }> {
  if (source.path === standardInput) return { start: 0, chunks: process.stdin };
  try {
    const status = await stat(source.path);
    const file = await open(source.path);
    const chunkBytes = source.compression === 'none' ? plainChunkBytes : packedChunkBytes;
    if (!status.isFile()) return { start: 0, chunks: readFileChunks(file, null, 0, chunkBytes) };
    const begin = source.compression === 'none' ? Math.min(start, status.size) : 0;
    return { start: begin, chunks: readFileChunks(file, begin, status.size - begin, chunkBytes) };
  } catch (error) {
    throw new SourceError(source.path, reasonOf(error), null, error);
  }
}

async function* decodeWith(decode: (input: ChunkReader) => Chunks, chunks: Chunks): AsyncGenerator<Buffer> {
  const input = new ChunkReader(chunks);
  try {
    yield* decode(input);
  } finally {
    await input.close();
  }
}
