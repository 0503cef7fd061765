import { dirname, join } from 'node:path';
import { type SealedShard, vectorsFileName } from '../../../shards/index.ts';
import { type EmbeddingModel, modelKey, VectorsWriter } from '../../../shards/vectors/index.ts';

export const testModel: EmbeddingModel = { name: 'test', queryPrefix: '', passagePrefix: '', maxCharacters: 2000 };

export const testKey = modelKey(testModel);

/** Path of a shard's vectors. */
export function vectorsPath({ file, id }: Pick<SealedShard, 'file' | 'id'>): string {
  return join(dirname(file), vectorsFileName(id, testKey));
}

/** Writes a vectors file for a shard. @param vectorOf the vector of a chunk */
export async function writeVectors(
  shard: SealedShard,
  vectorOf: (chunk: number) => ArrayLike<number>,
  file = vectorsPath(shard),
): Promise<string> {
  const { id, meta } = shard;
  const dimensions = vectorOf(1).length;
  const writer = await VectorsWriter.open(file, { shard: id, chunks: meta.chunks, dimensions, model: testModel });
  while (!writer.isComplete) {
    const first = writer.chunks + 1;
    await writer.add(Array.from({ length: writer.nextCount }, (_, index) => vectorOf(first + index)));
  }
  await writer.finish();
  await writer.close();
  return file;
}

/** The cosine of two vectors, as the definition has it. */
export function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [dot, squaresA, squaresB] = [0, 0, 0];
  for (let index = 0; index < a.length; index++) {
    dot += a[index]! * b[index]!;
    squaresA += a[index]! ** 2;
    squaresB += b[index]! ** 2;
  }
  return dot / Math.sqrt(squaresA * squaresB);
}
