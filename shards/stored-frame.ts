import { CorruptError, decodePart } from './errors.ts';
import { decompressFrame } from './zstd.ts';

/** A frame as a row stores it. */
export interface StoredFrame {
  readonly raw_length: number;
  readonly data: Uint8Array;
}

/**
 * Opens a frame that a row stores and decodes what is in it. Its raw length is bounded before it is believed.
 * @param part what the frame is, for errors
 * @throws CorruptError when it is damaged, or when `decode` throws
 */
export function decodeFrame<Value>(
  file: string,
  part: string,
  { raw_length, data }: StoredFrame,
  maxRawBytes: number,
  decode: (raw: Buffer) => Value,
): Value {
  if (!(raw_length >= 0 && raw_length <= maxRawBytes)) {
    throw new CorruptError(file, part, `raw length ${raw_length} is out of range`);
  }
  return decodePart(file, part, () => decode(decompressFrame(data, raw_length)));
}
