import { createRequire } from 'node:module';
import type * as Binding from 'zstd-napi/binding.js';

// The binding alone: what zstd-napi wraps around it takes longer to load than a text takes to decompress.
const binding = createRequire(import.meta.url)('zstd-napi/binding.js') as typeof Binding;

/** Compresses single frames with zstd's own checksum of the content switched on. */
export class FrameCompressor {
  readonly #context = new binding.CCtx();

  /** @param level zstd level, 1 to 19. */
  constructor(level: number) {
    this.#context.setParameter(binding.CParameter.compressionLevel, level);
    this.#context.setParameter(binding.CParameter.checksumFlag, 1);
  }

  compress(raw: Uint8Array): Buffer {
    const frame = Buffer.allocUnsafe(binding.compressBound(raw.length));
    return Buffer.from(frame.subarray(0, this.#context.compress2(frame, raw)));
  }
}

/** One for all shards of a thread: it is large, and nothing of a frame stays in it. */
let context: Binding.DCtx | undefined;

/**
 * Opens a single frame whose raw length is known; any disagreement or damage throws.
 * @param rawLength expected bytes; the frame's own claim must equal it before any memory is taken.
 * @throws Error when the frame is damaged, is not exactly one frame, or has another length.
 */
export function decompressFrame(frame: Uint8Array, rawLength: number): Buffer {
  const claimed = binding.getFrameContentSize(frame);
  if (claimed !== rawLength) throw new Error(`zstd frame says ${claimed} bytes, expected ${rawLength}`);
  if (binding.findFrameCompressedSize(frame) !== frame.length)
    throw new Error('zstd frame has another length than its row');
  if (((frame[4] ?? 0) & 4) === 0) throw new Error('zstd frame has no checksum');
  context ??= new binding.DCtx();
  try {
    const raw = Buffer.allocUnsafe(rawLength);
    const written = context.decompress(raw, frame);
    if (written !== rawLength) throw new Error(`zstd frame gave ${written} bytes, expected ${rawLength}`);
    return raw;
  } catch (error) {
    // A failed frame leaves the native context in an undefined state.
    context = undefined;
    throw error;
  }
}
