/** Embeddings beside a shard: their file, and the search in it. Loaded only by what needs them. */
export { rankVectors } from './rank-vectors.ts';
export { encodeQuery, maxDimensions } from './vector-codes.ts';
export {
  type EmbeddingModel,
  modelKey,
  type VectorsHeader,
} from './vectors-format.ts';
export { VectorsReader } from './vectors-reader.ts';
export { readUnfinished, VectorsWriter } from './vectors-writer.ts';
export { verifyVectorsFile } from './verify-vectors.ts';
