const SPACE = 0x20;
/** Up to here a loop is faster than a call. */
const LOOP_BYTES = 64;
/** Nearly all terms are shorter. */
const SHORT_TERM_UNITS = 32;

/** Bytes of terms, each followed by a space; grows by doubling and is used again for the next field. */
export class TermBuffer {
  bytes: Buffer;
  length = 0;

  constructor(capacity: number) {
    this.bytes = Buffer.allocUnsafe(capacity);
  }

  /** Appends a term and its space. */
  appendTerm(term: string): void {
    // A UTF-16 unit is at most three UTF-8 bytes.
    this.#reserve(term.length * 3 + 1);
    this.length = term.length <= SHORT_TERM_UNITS ? this.#encodeShort(term) : this.#encode(term);
    this.bytes[this.length++] = SPACE;
  }

  #encode(term: string): number {
    return this.length + this.bytes.write(term, this.length, 'utf8');
  }

  /** Saves a call into native code, which costs more than the work. */
  #encodeShort(term: string): number {
    const into = this.bytes;
    let at = this.length;
    for (let i = 0; i < term.length; i++) {
      const unit = term.charCodeAt(i);
      if (unit < 0x80) {
        into[at++] = unit;
      } else if (unit < 0x800) {
        into[at++] = 0xc0 | (unit >> 6);
        into[at++] = 0x80 | (unit & 0x3f);
      } else if ((unit & 0xf800) !== 0xd800) {
        into[at++] = 0xe0 | (unit >> 12);
        into[at++] = 0x80 | ((unit >> 6) & 0x3f);
        into[at++] = 0x80 | (unit & 0x3f);
      } else {
        return this.#encode(term);
      }
    }
    return at;
  }

  /** Appends `bytes[start, end)` as a term, and its space. */
  appendWord(bytes: Uint8Array, start: number, end: number): void {
    this.#reserve(end - start + 1);
    const into = this.bytes;
    let at = this.length;
    for (let i = start; i < end; i++) into[at++] = bytes[i]!;
    into[at++] = SPACE;
    this.length = at;
  }

  /** Appends `bytes[start, end)`: whole terms with their spaces. */
  appendBytes(bytes: Uint8Array, start: number, end: number): void {
    this.#reserve(end - start);
    const into = this.bytes;
    if (end - start > LOOP_BYTES) {
      into.set(bytes.subarray(start, end), this.length);
      this.length += end - start;
      return;
    }
    let at = this.length;
    for (let i = start; i < end; i++) into[at++] = bytes[i]!;
    this.length = at;
  }

  /** Makes room for `count` more bytes. */
  #reserve(count: number): void {
    if (this.length + count <= this.bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.length + count));
    this.bytes.copy(grown, 0, 0, this.length);
    this.bytes = grown;
  }
}
