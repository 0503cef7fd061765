/**
 * Two small columns over a shard's documents, in the order of their ids:
 *
 *   documents := chunk_count{document_count}
 *   order     := step{document_count}
 *
 * LEB128. `order` gives each document's place when all are sorted by uri, then collection (UTF-16 code units), as the
 * zigzag-coded distance to the place of the document before: documents that come sorted take a byte each.
 */
import { decodePart } from '../errors.ts';
import { unzigzag, VarintReader, VarintWriter, zigzag } from '../varint.ts';

/** The stored form of the numbers of chunks. @param starts first chunk of every document, ascending from 1 */
export function encodeDocumentStarts(starts: Uint32Array, chunkCount: number): Buffer {
  const writer = new VarintWriter();
  for (const [index, start] of starts.entries()) writer.add((starts[index + 1] ?? chunkCount + 1) - start);
  return writer.toBuffer();
}

/** First chunk of every document. @throws CorruptError when they do not cover the chunks */
export function decodeDocumentStarts(
  file: string,
  bytes: Uint8Array,
  documentCount: number,
  chunkCount: number,
): Uint32Array {
  return decodePart(file, 'the chunks of documents', () => {
    const reader = new VarintReader(bytes);
    const starts = new Uint32Array(documentCount);
    let next = 1;
    for (let index = 0; index < documentCount; index++) {
      starts[index] = next;
      next += reader.next();
      if (next > chunkCount + 1 || next === starts[index]) throw new RangeError(`document ${index} ends at ${next}`);
    }
    if (next !== chunkCount + 1) throw new RangeError(`documents cover ${next - 1} of ${chunkCount} chunks`);
    if (reader.position !== bytes.length) throw new RangeError('bytes are left over');
    return starts;
  });
}

/** The stored form of places. */
export function encodeDocumentOrder(ranks: Uint32Array): Buffer {
  const writer = new VarintWriter();
  let last = 0;
  for (const rank of ranks) {
    writer.add(zigzag(rank - last));
    last = rank;
  }
  return writer.toBuffer();
}

/** Place of every document. @throws CorruptError when they are not the places of that many documents */
export function decodeDocumentOrder(file: string, bytes: Uint8Array, documentCount: number): Uint32Array {
  return decodePart(file, 'the order of documents', () => {
    const reader = new VarintReader(bytes);
    const ranks = new Uint32Array(documentCount);
    let rank = 0;
    for (let index = 0; index < documentCount; index++) {
      rank += unzigzag(reader.next());
      if (rank < 0 || rank >= documentCount) throw new RangeError(`place ${rank} of ${documentCount}`);
      ranks[index] = rank;
    }
    if (reader.position !== bytes.length) throw new RangeError('bytes are left over');
    return ranks;
  });
}
