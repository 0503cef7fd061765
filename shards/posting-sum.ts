/** A bag of postings as their count and the sum of their hashes: equal bags have equal sums, whatever the order. */
export class PostingSum {
  count = 0;
  /** Below 2^52: adding a 32-bit hash stays exact. */
  sum = 0;
  #term = '';
  #termHash = 0;

  /** Adds one posting: a term at an offset of a column of a chunk. */
  add(term: string, chunk: number, column: string, offset: number): void {
    if (term !== this.#term) {
      this.#term = term;
      this.#termHash = hashTerm(term);
    }
    let hash = this.#termHash;
    for (const value of [chunk & 0xffff, chunk >>> 16, column.charCodeAt(0), offset]) hash = mix(hash, value);
    hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
    this.sum = (this.sum + ((hash ^ (hash >>> 13)) >>> 0)) % 2 ** 52;
    this.count++;
  }
}

/** 32-bit FNV-1a, on UTF-16 units. */
function hashTerm(term: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < term.length; index++) hash = mix(hash, term.charCodeAt(index));
  return mix(hash, 0);
}

function mix(hash: number, value: number): number {
  return Math.imul(hash ^ value, 0x01000193);
}
