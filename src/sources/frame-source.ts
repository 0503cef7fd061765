import { readFileSync } from 'node:fs';
import { type Frame, type FrameOptions, frameRecords } from './frame.ts';
import { type OpenOptions, openSource } from './open.ts';
import type { Source } from './source.ts';
import { reasonOf, SourceError } from './source-error.ts';

/** Plain files up to this size are read in one go. */
const smallFileBytes = 256 * 1024;

/**
 * The frames of a source: openSource and frameRecords in one, with a short way for small plain files, of which folders are full.
 *
 * @throws SourceError as both do: after a last frame with what was complete.
 */
export function frameSource(
  source: Source,
  options: Omit<FrameOptions, 'format'> & OpenOptions = {},
): AsyncGenerator<Frame> {
  const isSmall = source.compression === 'none' && source.size > 0 && source.size <= smallFileBytes;
  const chunks =
    isSmall && (options.start ?? 0) === 0 ? readSmallFile(source, options.signal) : openSource(source, options);
  return frameRecords(chunks, { ...options, format: source.format });
}

async function* readSmallFile(source: Source, signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
  signal?.throwIfAborted();
  try {
    // Ten times cheaper than any asynchronous way, and the consumer waits for the file in any case.
    yield readFileSync(source.path);
  } catch (error) {
    throw new SourceError(source.path, reasonOf(error), null, error);
  }
}
