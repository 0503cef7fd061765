import { blockAt } from './vectors-format.ts';
import { type VectorsOwner, VectorsReader } from './vectors-reader.ts';

/** Reads a vectors file from end to end. @returns what it holds. @throws what {@link VectorsReader} throws, and when it is missing */
export function verifyVectorsFile(file: string, owner: VectorsOwner): string {
  const vectors = VectorsReader.open(file, owner);
  if (vectors === null) throw new Error('the file is missing');
  try {
    const { layout } = vectors;
    const target = Buffer.alloc(blockAt(layout, 0).bytes);
    for (let block = 0; block < layout.blocks; block++) vectors.readBlock(block, target);
    const { chunks, dimensions, model } = layout.header;
    return `${chunks} vectors of ${dimensions} dimensions by ${model.name}`;
  } finally {
    vectors.close();
  }
}
