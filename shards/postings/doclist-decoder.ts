import { type LeafPage, MAX_PAGE_CONTENT, PAGE_HEADER_BYTES } from './leaf-page.ts';
import type { ColumnUnits, PostingBuffer } from './posting-buffer.ts';

/** Begins the collist of another column than 0; positions are at least 2. */
const columnMark = 1;

/** The last column; behind its mark, a poslist holds nothing but positions. */
const body = 2;

/** The shortest posting: rowid, poslist size and one position of a byte each. */
const minPostingBytes = 3;

const maxUnits = 2 ** 31 - 1;

/** What a poslist may go on with. */
const anything = 0;
const columnNumber = 1;
const position = 2;

/**
 * Decodes a doclist page by page into a posting buffer (grammar: see leaf-page.ts):
 * `begin`, `decodePostings` for the page of the term, `decodeRest` for each page after it, `finish`.
 * Every method throws CorruptError when something is not as FTS5 writes it; no byte outside the given range is read.
 */
export class DoclistDecoder {
  readonly #chunkCount: number;
  readonly #lastLeaf: number;
  readonly #columnUnits: ColumnUnits;
  readonly #buffer: PostingBuffer;

  /** the chunk of the last posting begun, 0 at first */
  #chunk = 0;
  // The poslist that is being decoded:
  /** bytes of it that are on pages to come */
  #pending = 0;
  #expected = anything;
  #column = 0;
  #count = 0;
  #units = 0;

  /** @param chunkCount the greatest rowid there is. @param lastLeaf number of the segment's last page. */
  constructor(chunkCount: number, lastLeaf: number, columnUnits: ColumnUnits, buffer: PostingBuffer) {
    this.#chunkCount = chunkCount;
    this.#lastLeaf = lastLeaf;
    this.#columnUnits = columnUnits;
    this.#buffer = buffer;
  }

  /** Empties the buffer for a new doclist. */
  begin(): void {
    this.#buffer.clear();
    this.#chunk = 0;
    this.#pending = 0;
  }

  /** Decodes what a page holds of the doclist that the page before did not finish; nothing, when that one did. */
  decodeRest(page: LeafPage): void {
    const end = page.restEnd;
    let at = PAGE_HEADER_BYTES;
    if (this.#pending > 0) {
      const stop = Math.min(end, at + this.#pending);
      this.#pending -= stop - at;
      this.#decodePoslist(page, at, stop);
      at = stop;
      if (this.#pending > 0) {
        if (page.termCount > 0) page.fail(`a list of positions runs over the term at byte ${end}`);
      } else {
        this.#buffer.reserve(1);
        this.#addPosting(page);
      }
    }
    if (page.rowidOffset !== (at < end ? at : 0)) {
      page.fail(`its first rowid is at byte ${page.rowidOffset}, expected ${at < end ? at : 'none'}`);
    }
    if (at === end) return;
    page.at = at;
    if (page.readVarint(end) <= this.#chunk) page.fail(`the rowid at byte ${at} is not greater than the one before`);
    this.#chunk = 0;
    this.decodePostings(page, at, end);
  }

  /** Ends the doclist. @param page the last one that was read. */
  finish(page: LeafPage): void {
    if (this.#pending > 0) page.fail(`a list of positions lacks its last ${this.#pending} bytes`);
    if (this.#buffer.length === 0) page.fail('a term has no postings');
  }

  /**
   * Decodes the postings in a part of a page; none, when the first rowid behind a term is on the next page.
   * This is the hot loop. Nearly all postings are short, in the body only, and whole on the page.
   */
  decodePostings(page: LeafPage, start: number, end: number): void {
    const buffer = this.#buffer;
    // Room for the most postings that these bytes can be; the loop does not look.
    buffer.reserve(Math.ceil((end - start) / minPostingBytes));
    const { bytes } = page;
    const { chunks, units } = buffer;
    const chunkCount = this.#chunkCount;
    const columnUnits = this.#columnUnits;
    const [titleUnits, , bodyUnits] = columnUnits;
    let { length, occurrences } = buffer;
    let chunk = this.#chunk;
    let at = start;
    while (at < end) {
      if (end - at < 2) page.fail(`the posting at byte ${at} has no positions`);
      // One byte or two, without a branch: which one it is, no processor could foresee.
      const first = bytes[at]!;
      const second = bytes[at + 1]!;
      const wide = first >> 7;
      let delta = ((first & 127) << (7 * wide)) | (second & -wide);
      at += 1 + wide;
      if ((wide & (second >> 7)) === 1) {
        page.at = at - 2;
        delta = page.readVarint(end);
        at = page.at;
      }
      chunk += delta;
      if (delta === 0 || chunk > chunkCount) page.fail(`rowid ${chunk} before byte ${at} is not one of ${chunkCount}`);
      if (at === end) page.fail(`the posting before byte ${at} has no positions`);
      let doubled = bytes[at++]!;
      if (doubled > 127) {
        page.at = at - 1;
        doubled = page.readVarint(end);
        at = page.at;
      }
      if (doubled < 2 || (doubled & 1) === 1) page.fail(`the posting before byte ${at} is empty or deleted`);
      const stop = at + (doubled >> 1);
      if (stop > end) {
        this.#suspendPoslist(page, at, end, stop - end);
        break;
      }
      let column = 0;
      let weight = titleUnits;
      let sum = 0;
      let count = 0;
      if (stop - at > 2 && bytes[at] === columnMark && bytes[at + 1] === body) {
        at += 2;
        column = body;
        weight = bodyUnits;
      }
      do {
        const byte = bytes[at]!;
        if (byte > 127) at = endOfVarint(page, at, stop);
        else if (byte > columnMark) at++;
        else {
          column = columnAt(page, at, stop, column);
          weight = columnUnits[column]!;
          at += 2;
          continue;
        }
        count++;
        sum += weight;
      } while (at < stop);
      occurrences += count;
      chunks[length] = chunk;
      units[length++] = sum;
    }
    this.#chunk = chunk;
    buffer.length = length;
    buffer.occurrences = occurrences;
  }

  /** Decodes the poslist's part on this page and leaves the rest for the next ones. */
  #suspendPoslist(page: LeafPage, at: number, end: number, pending: number): void {
    if (end !== page.end) page.fail(`the list of positions at byte ${at} runs over the term at byte ${end}`);
    if (pending > (this.#lastLeaf - page.number) * MAX_PAGE_CONTENT) {
      page.fail(`the list of positions at byte ${at} goes on for ${pending} bytes, more than the index has`);
    }
    this.#pending = pending;
    this.#expected = anything;
    this.#column = 0;
    this.#count = 0;
    this.#units = 0;
    this.#decodePoslist(page, at, end);
  }

  /** Decodes any part of a poslist that begins and ends with whole varints. */
  #decodePoslist(page: LeafPage, start: number, stop: number): void {
    const { bytes } = page;
    let expected = this.#expected;
    let column = this.#column;
    let weight = this.#columnUnits[column]!;
    let count = 0;
    let at = start;
    while (at < stop) {
      const first = bytes[at]!;
      if (expected === columnNumber) {
        if (first <= column || first > body) page.fail(`there is no column ${first} at byte ${at}`);
        at++;
        this.#add(count, weight);
        count = 0;
        column = first;
        weight = this.#columnUnits[column]!;
        expected = position;
      } else if (first > columnMark) {
        if (first < 128) at++;
        else at = endOfVarint(page, at, stop);
        count++;
        expected = anything;
      } else {
        if (first !== columnMark || expected === position) page.fail(`there is no position at byte ${at}`);
        at++;
        expected = columnNumber;
      }
    }
    this.#add(count, weight);
    this.#expected = expected;
    this.#column = column;
  }

  #add(count: number, weight: number): void {
    this.#count += count;
    this.#units += count * weight;
  }

  #addPosting(page: LeafPage): void {
    if (this.#expected !== anything) page.fail(`the list of positions of rowid ${this.#chunk} ends too early`);
    const buffer = this.#buffer;
    buffer.chunks[buffer.length] = this.#chunk;
    buffer.units[buffer.length++] = Math.min(maxUnits, this.#units);
    buffer.occurrences += this.#count;
  }
}

/** Where a varint of two or more bytes ends. */
function endOfVarint(page: LeafPage, at: number, stop: number): number {
  if (at + 1 < stop && page.bytes[at + 1]! < 128) return at + 2;
  page.at = at;
  page.readVarint(stop);
  return page.at;
}

/** The column that a mark opens, which is a later one than `column` and has a position. */
function columnAt(page: LeafPage, at: number, stop: number, column: number): number {
  const { bytes } = page;
  if (bytes[at] !== columnMark || stop - at < 3) page.fail(`there is no position at byte ${at}`);
  const opened = bytes[at + 1]!;
  if (opened <= column || opened > body) page.fail(`there is no column ${opened} at byte ${at + 1}`);
  if (bytes[at + 2]! <= columnMark) page.fail(`there is no position at byte ${at + 2}`);
  return opened;
}
