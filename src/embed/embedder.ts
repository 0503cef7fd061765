import { ShelfmarkError } from '../../shards/index.ts';
import { maxDimensions } from '../../shards/vectors/index.ts';

/** Makes vectors of texts: what is near in meaning should be near in direction. */
export interface Embedder {
  /** Name of the model, without where it runs; it is recorded with the vectors. */
  readonly model: string;
  /**
   * Vectors of some texts, one each, in their order; all that it ever gives have the same dimensions. It may be called again
   * before it is done.
   * @throws whatever keeps it from it; the signal's reason when aborted.
   */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<readonly ArrayLike<number>[]>;
}

/** An embedder failed, or gave what cannot be used. */
export function embedderError(model: string, problem: string, cause?: unknown): ShelfmarkError {
  return new ShelfmarkError('SHELFMARK_EMBEDDER', `Embedding with ${model} failed: ${problem}.`, { model }, cause);
}

/**
 * Asks an embedder, and takes nothing on trust.
 * @param dimensions that the vectors must have, or null when any will do.
 * @throws ShelfmarkError SHELFMARK_EMBEDDER; the signal's reason when aborted.
 */
export async function embedChecked(
  embedder: Embedder,
  texts: readonly string[],
  dimensions: number | null,
  signal?: AbortSignal,
): Promise<readonly ArrayLike<number>[]> {
  const vectors = await embedder.embed(texts, signal);
  const fail = (problem: string): ShelfmarkError => embedderError(embedder.model, problem);
  if (vectors.length !== texts.length) throw fail(`it gave ${vectors.length} vectors for ${texts.length} texts`);
  const expected = dimensions ?? vectors[0]?.length;
  for (const vector of vectors) {
    if (vector.length !== expected) {
      throw fail(`it gave a vector of ${vector.length} dimensions, expected are ${expected}`);
    }
    if (vector.length < 1 || vector.length > maxDimensions) {
      throw fail(`a vector has ${vector.length} dimensions; 1 to ${maxDimensions} are possible`);
    }
    for (let index = 0; index < vector.length; index++) {
      const component = vector[index]!;
      // Queries travel in 32 bits, where a larger one would be infinite.
      if (Number.isFinite(component) && Number.isFinite(Math.fround(component))) continue;
      throw fail(`component ${index} of a vector is ${component}, not a number of 32 bits`);
    }
  }
  return vectors;
}
