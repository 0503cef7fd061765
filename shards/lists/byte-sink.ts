/** A growing byte array for LEB128 varints and bytes, reused from list to list. */
export class ByteSink {
  #bytes = Buffer.allocUnsafe(1 << 16);
  length = 0;

  /** Makes room for that many more bytes. */
  reserve(count: number): void {
    if (this.length + count <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.length + count));
    this.#bytes.copy(larger, 0, 0, this.length);
    this.#bytes = larger;
  }

  /** Adds an unsigned integer below 2^53. */
  addVarint(value: number): void {
    this.reserve(8);
    let rest = value;
    while (rest > 127) {
      this.#bytes[this.length++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.length++] = rest;
  }

  /** Adds a byte. */
  addByte(value: number): void {
    this.reserve(1);
    this.#bytes[this.length++] = value;
  }

  /** What was added, as a view that is valid until the next change. */
  view(): Buffer {
    return this.#bytes.subarray(0, this.length);
  }
}
