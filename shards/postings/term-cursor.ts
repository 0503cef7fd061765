import type { LeafPage } from './leaf-page.ts';

/** Number of the main index, the first byte of each of its terms (FTS5_MAIN_PREFIX). */
const mainIndex = 0x30;

/** The terms of a segment one after the other; each is built from the one before. */
export class TermCursor {
  /** the term with its index number in front; the first `length` bytes are valid */
  #bytes = Buffer.alloc(256);
  #length = 0;
  /** bytes that the term has in common with the one before */
  #shared = 0;

  /** The term without its index number; valid until the next `read`. */
  get term(): Buffer {
    return this.#bytes.subarray(1, this.#length);
  }

  /** The shortest beginning of the term that is greater than the term before; valid until the next `read`. */
  get separator(): Buffer {
    return this.#bytes.subarray(1, this.#shared + 1);
  }

  /** Forgets the term before: the next may be any, but has to be the first of its page. */
  restart(): void {
    this.#length = 0;
  }

  /**
   * Reads a term of a page.
   * @returns where its doclist begins: at most where its entry ends.
   * @throws CorruptError when it is not whole, not of the main index, or not greater than the term before.
   */
  read(page: LeafPage, index: number): number {
    const end = page.entryStart(index + 1);
    page.at = page.entryStart(index);
    const shared = index === 0 ? 0 : page.readVarint(end);
    const size = page.readVarint(end);
    const start = page.at;
    if (shared > this.#length || size > end - start) page.fail(`term ${index + 1} is longer than its bytes`);
    this.#shared = this.#advance(page, index, start, shared, size);
    if (this.#length < 2 || this.#bytes[0] !== mainIndex) page.fail(`term ${index + 1} is not of the main index`);
    return start + size;
  }

  /** Puts the term in the place of the one before; returns how many bytes both share, at least the index number. */
  #advance(page: LeafPage, index: number, start: number, shared: number, size: number): number {
    const old = this.#length;
    const length = shared + size;
    if (length > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes], 2 * length);
    const [source, target] = [page.bytes, this.#bytes];
    let same = shared;
    while (same < old && same < length && source[start + same - shared] === target[same]) same++;
    // Ascending: it goes on where the old one ended, or has a greater byte where they part.
    if (same === length || (same < old && source[start + same - shared]! < target[same]!)) {
      page.fail(`term ${index + 1} is not greater than the term before`);
    }
    for (let at = same; at < length; at++) target[at] = source[start + at - shared]!;
    this.#length = length;
    return Math.max(1, same);
  }

  /** Whether the term begins with some bytes. */
  startsWith(beginning: Uint8Array): boolean {
    if (this.#length - 1 < beginning.length) return false;
    for (let at = 0; at < beginning.length; at++) if (this.#bytes[at + 1] !== beginning[at]) return false;
    return true;
  }

  /** Negative, zero or positive, as the term is less than, equal to or greater than another (without index number). */
  compare(other: Uint8Array): number {
    const length = Math.min(this.#length - 1, other.length);
    for (let at = 0; at < length; at++) {
      const difference = this.#bytes[at + 1]! - other[at]!;
      if (difference !== 0) return difference;
    }
    return this.#length - 1 - other.length;
  }
}
