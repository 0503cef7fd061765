import { Compressor, Decompressor } from 'zstd-napi';
import binding from 'zstd-napi/binding.js';

/** Compresses single frames with zstd's own checksum of the content switched on. */
export class FrameCompressor {
  readonly #compressor = new Compressor();

  /** @param level zstd level, 1 to 19. */
  constructor(level: number) {
    this.#compressor.setParameters({ compressionLevel: level, checksumFlag: true });
  }

  compress(raw: Uint8Array): Buffer {
    return this.#compressor.compress(raw);
  }
}

/** Opens single frames whose raw length is known; any disagreement or damage throws. */
export class FrameDecompressor {
  #decompressor = new Decompressor();

  /**
   * @param rawLength expected bytes; the frame's own claim must equal it before any memory is taken.
   * @throws Error when the frame is damaged, is not exactly one frame, or has another length.
   */
  decompress(frame: Uint8Array, rawLength: number): Buffer {
    const claimed = binding.getFrameContentSize(frame);
    if (claimed !== rawLength) throw new Error(`zstd frame says ${claimed} bytes, expected ${rawLength}`);
    if (binding.findFrameCompressedSize(frame) !== frame.length)
      throw new Error('zstd frame has another length than its row');
    if (((frame[4] ?? 0) & 4) === 0) throw new Error('zstd frame has no checksum');
    try {
      return this.#decompressor.decompress(frame);
    } catch (error) {
      // A failed frame leaves the native context in an undefined state.
      this.#decompressor = new Decompressor();
      throw error;
    }
  }
}
