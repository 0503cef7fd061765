import { CorruptError } from '../errors.ts';

/**
 * A leaf page of an FTS5 segment with detail=full. Grammar (fts5_index.c, "Segment leaves"; the writers are
 * fts5WriteAppendTerm and fts5FlushOneHash). A varint is SQLite's: big-endian groups of seven bits, the high bit set in
 * all but the last; it never crosses a page's end.
 * ```
 * page    := rowidOffset:u16be  end:u16be  [rest of the doclist of the page before]  entry*  footer
 * footer  := varint*                 from `end` on: offset of the first term, then distances to the following terms
 * entry   := term doclist
 * term    := length bytes            the page's first
 *          | shared length bytes     the others: `shared` bytes are those of the term before
 * doclist := rowid poslist (delta poslist)*          delta > 0
 * poslist := 2 * size + deleted, collist of column 0 (may be empty), (0x01 column collist)*      size: bytes behind it
 * collist := (distance to the position before + 2)*
 * ```
 * Terms carry one byte in front, the number of their index; '0' is the main one, and a shard has no other.
 *
 * A doclist that does not fit goes on behind the header of the next page, and as often as needed:
 * ```
 * page 1   | hdr | … term rowid poslist … rowid pos|      a poslist is cut between two varints, not behind its rowid
 * page 2   | hdr | list, goes on, and on           |      no rowid, no term: rowidOffset 0, no footer
 * page 3   | hdr | ends. ROWID poslist … term …    | footer
 *                        ^ rowidOffset               ^ end
 * ```
 * The first rowid behind the header is a whole one, not a delta, and rowidOffset points to it. A page that no rowid
 * continues has 0 there; an offset behind the page's first term has no meaning for us.
 */
export const PAGE_HEADER_BYTES = 4;

/** Bytes that a page can carry between its header and its footer: `end` has 16 bits. */
export const MAX_PAGE_CONTENT = 0xffff - PAGE_HEADER_BYTES;

/** Longer varints are for 64-bit rowids and column numbers that no shard has. */
const maxVarintBytes = 5;
const maxNumber = 2 ** 31 - 1;

/** A page whose header and footer are checked; `load` puts another page in the same object. */
export class LeafPage {
  readonly #file: string;
  /** where each term begins; the first `termCount` entries are valid, strictly ascending, between header and `end` */
  #offsets = new Int32Array(256);

  /** leaf number in the segment */
  number = 0;
  bytes: Uint8Array = new Uint8Array(0);
  /** offset of the rowid with which the doclist of the page before goes on, or 0 */
  rowidOffset = 0;
  /** where the footer begins */
  end = PAGE_HEADER_BYTES;
  termCount = 0;
  /** where {@link readVarint} reads next */
  at = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** @throws CorruptError when the header or the footer is not that of a leaf. */
  load(number: number, bytes: Uint8Array): void {
    this.number = number;
    this.bytes = bytes;
    if (bytes.length <= PAGE_HEADER_BYTES) this.fail(`it has ${bytes.length} bytes`);
    const rowidOffset = (bytes[0]! << 8) | bytes[1]!;
    this.end = (bytes[2]! << 8) | bytes[3]!;
    if (this.end <= PAGE_HEADER_BYTES || this.end > bytes.length) {
      this.fail(`its content ends at byte ${this.end} of ${bytes.length}`);
    }
    this.#readFooter();
    if (rowidOffset !== 0 && (rowidOffset < PAGE_HEADER_BYTES || rowidOffset >= this.end)) {
      this.fail(`its first rowid is at byte ${rowidOffset} of ${this.end}`);
    }
    this.rowidOffset = rowidOffset < this.restEnd ? rowidOffset : 0;
  }

  #readFooter(): void {
    const { bytes, end } = this;
    const footerBytes = bytes.length - end;
    if (footerBytes > this.#offsets.length) this.#offsets = new Int32Array(2 * footerBytes);
    this.termCount = 0;
    this.at = end;
    let offset = 0;
    while (this.at < bytes.length) {
      const distance = this.readVarint(bytes.length);
      offset += distance;
      if (distance === 0 || offset < PAGE_HEADER_BYTES || offset >= end) {
        this.fail(`term ${this.termCount + 1} begins at byte ${offset} of ${end}`);
      }
      this.#offsets[this.termCount++] = offset;
    }
  }

  /** Where the rest of the doclist that the page before began ends. */
  get restEnd(): number {
    return this.termCount > 0 ? this.#offsets[0]! : this.end;
  }

  /** Where a term's entry begins; for the number of terms: where the last one ends. */
  entryStart(index: number): number {
    return index < this.termCount ? this.#offsets[index]! : this.end;
  }

  /**
   * Reads the varint at {@link at} and moves on; it is below 2^31, as is everything in a shard.
   * @throws CorruptError when it is greater, longer than five bytes or runs past `limit`.
   */
  readVarint(limit: number): number {
    let value = 0;
    for (let length = 1; length <= maxVarintBytes; length++) {
      if (this.at >= limit) this.fail(`a number runs past byte ${limit}`);
      const byte = this.bytes[this.at++]!;
      value = value * 128 + (byte & 127);
      if (byte < 128 && value <= maxNumber) return value;
      if (byte < 128) break;
    }
    return this.fail(`the number before byte ${this.at} is too large`);
  }

  /** @throws CorruptError always: says which file and page, and what is wrong. */
  fail(detail: string): never {
    throw new CorruptError(this.#file, `its index (page ${this.number})`, detail);
  }
}
