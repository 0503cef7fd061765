/** What an occurrence in each column counts for: small positive integers (at most 2^15). */
export type ColumnUnits = readonly [title: number, heading: number, body: number];

/** The postings of one term; made once and filled again and again. Valid are the first `length` entries of the arrays. */
export class PostingBuffer {
  /** chunk ids, strictly ascending */
  chunks: Int32Array;
  /** per chunk: sum over the columns of the column's units times the term's occurrences in it, at most 2^31 - 1 */
  units: Int32Array;
  length = 0;
  /** occurrences of the term in all columns of all chunks */
  occurrences = 0;

  /** @param capacity postings to make room for at first; it grows when a term has more. */
  constructor(capacity: number) {
    this.chunks = new Int32Array(capacity);
    this.units = new Int32Array(capacity);
  }

  /** Forgets the postings, keeps the memory. */
  clear(): void {
    this.length = 0;
    this.occurrences = 0;
  }

  /** Makes room for some more postings; the arrays may be others afterwards. */
  reserve(more: number): void {
    const needed = this.length + more;
    if (needed <= this.chunks.length) return;
    const capacity = Math.max(needed, 2 * this.chunks.length);
    this.chunks = grown(this.chunks, capacity, this.length);
    this.units = grown(this.units, capacity, this.length);
  }
}

function grown(old: Int32Array, capacity: number, length: number): Int32Array {
  const array = new Int32Array(capacity);
  array.set(old.subarray(0, length));
  return array;
}
