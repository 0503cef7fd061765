/**
 * When a shard's documents were modified, in the order of their ids:
 *
 *   modified := time{document_count}
 *   time     := 0, or 1 + the zigzag-coded distance to the last time before, from 0 at first
 *
 * LEB128; times are milliseconds since 1970, and 0 is for a document without one.
 */
import { decodePart } from '../errors.ts';
import { unzigzag, VarintReader, VarintWriter, zigzag } from '../varint.ts';

/** The stored form. @param times milliseconds since 1970, NaN for none */
export function encodeModifiedTimes(times: Float64Array): Buffer {
  const writer = new VarintWriter();
  let last = 0;
  for (const time of times) {
    if (Number.isNaN(time)) {
      writer.add(0);
      continue;
    }
    writer.add(1 + zigzag(time - last));
    last = time;
  }
  return writer.toBuffer();
}

/** Reads the stored form. @throws CorruptError when it is not that of so many documents */
export function decodeModifiedTimes(file: string, bytes: Uint8Array, documentCount: number): Float64Array {
  return decodePart(file, 'the times of documents', () => {
    const reader = new VarintReader(bytes);
    const times = new Float64Array(documentCount);
    let last = 0;
    for (let index = 0; index < documentCount; index++) {
      const coded = reader.next();
      if (coded > 0) last += unzigzag(coded - 1);
      times[index] = coded === 0 ? Number.NaN : last;
    }
    if (reader.position !== bytes.length) throw new RangeError('bytes are left over');
    return times;
  });
}
