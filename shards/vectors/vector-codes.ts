/**
 * Vectors as whole numbers. Only their direction counts (cosine), so each is scaled by its own largest component: to bytes
 * from -127 to 127 for what is stored, to ±2,047 for a query. Sums of products are then exact, and the cosine that comes out
 * of them is the same on every machine, however the corpus is cut and whoever adds up.
 */

/** Largest code of a stored component. */
const codeLimit = 127;

/** Largest number of a query's component: with it, sums of {@link maxDimensions} products stay below 2³¹. */
const queryLimit = 2047;

/** Dimensions that a vector may have. */
export const maxDimensions = 8192;

/** Bytes of a stored vector: its dimensions, filled up with zeros to what the kernel takes in one step. */
export function strideOf(dimensions: number): number {
  return Math.ceil(dimensions / 16) * 16;
}

/**
 * Writes a vector's codes.
 * @returns one over their length, or 0 when all are 0: such a vector has no direction and is like nothing.
 */
export function encodeVector(vector: ArrayLike<number>, codes: Int8Array): number {
  return encode(vector, codes, codeLimit);
}

/** A query as whole numbers. */
export interface EncodedQuery {
  readonly numbers: Int16Array;
  /** one over the length of `numbers`, or 0 */
  readonly inverseLength: number;
}

/** A query's numbers, filled up to the stride of the vectors. */
export function encodeQuery(vector: ArrayLike<number>): EncodedQuery {
  const numbers = new Int16Array(strideOf(vector.length));
  return { numbers, inverseLength: encode(vector, numbers, queryLimit) };
}

function encode(vector: ArrayLike<number>, codes: Int8Array | Int16Array, limit: number): number {
  let largest = 0;
  for (let index = 0; index < vector.length; index++) largest = Math.max(largest, Math.abs(vector[index]!));
  if (largest === 0) return 0;
  let squares = 0;
  for (let index = 0; index < vector.length; index++) {
    const code = Math.round((vector[index]! / largest) * limit);
    codes[index] = code;
    squares += code * code;
  }
  return 1 / Math.sqrt(squares);
}
