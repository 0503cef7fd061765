/**
 * A score below which no chunk of the corpus can be a hit, shared by the threads that rank one query: what one thread has
 * found lets the others pass over more. It only ever rises, and only saves work: the hits are the same without it. Only
 * shards that were ranked to the end may raise it; the hits of one that fails or runs out of time do not count.
 *
 * Kept as the bits of a 32-bit float, rounded down, in a cell of shared memory: the bits of positive floats are in the order
 * of their values, so integer atomics will do.
 */
export class SharedFloor {
  readonly #cells: Int32Array<SharedArrayBuffer>;
  readonly #index: number;

  constructor(cells: Int32Array<SharedArrayBuffer>, index: number) {
    this.#cells = cells;
    this.#index = index;
  }

  /** The highest score that any thread has given, or a little less. */
  get value(): number {
    bits[0] = Atomics.load(this.#cells, this.#index);
    return float[0]!;
  }

  /** Says that k hits of this thread score at least so much. @param score at least 0 */
  raise(score: number): void {
    float[0] = score;
    // Rounding to 32 bits may have gone up.
    const wanted = float[0] > score ? bits[0]! - 1 : bits[0]!;
    let known = Atomics.load(this.#cells, this.#index);
    while (known < wanted) {
      const found = Atomics.compareExchange(this.#cells, this.#index, known, wanted);
      if (found === known) return;
      known = found;
    }
  }
}

const float = new Float32Array(1);
const bits = new Int32Array(float.buffer);

/** Floors for that many queries, all 0. */
export function newFloors(queries: number): Int32Array<SharedArrayBuffer> {
  return new Int32Array(new SharedArrayBuffer(4 * queries));
}
