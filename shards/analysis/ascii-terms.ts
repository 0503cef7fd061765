import { joinerOf } from './code-points.ts';
import { MAX_WHOLE_BYTES, MAX_WHOLE_PARTS } from './parameters.ts';
import type { TermBuffer } from './term-buffer.ts';
import { MAX_KEY_BYTES, type TermSink, TermTable } from './term-table.ts';

/** The stemmers leave shorter words alone. */
const MIN_STEMMED_BYTES = 3;
/** Words whose stem is remembered before all are forgotten. */
const MAX_REMEMBERED_STEMS = 1 << 16;

const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const JOINER = 4;

const KIND = new Uint8Array(128);
for (let byte = 0; byte < 128; byte++) if (joinerOf(byte) !== undefined) KIND[byte] = JOINER;
KIND.fill(DIGIT, 0x30, 0x3a);
KIND.fill(UPPER, 0x41, 0x5b);
KIND.fill(LOWER, 0x61, 0x7b);

const HASH = 0x23;
const PLUS = 0x2b;
const COMMA = 0x2c;
const HYPHEN = 0x2d;
const DOT = 0x2e;
const APOSTROPHE = 0x27;
const SMALL_S = 0x73;
const CASE_BIT = 0x20;
const NO_JOINER = 0;

/** Where the first part begins in the lower case of a token. */
const FIRST = 1;

const HASH_SEED = 0x811c9dc5 | 0;
const HASH_PRIME = 0x01000193;

/**
 * The terms of ASCII tokens, from bytes to bytes: `wordTerms` for the tokens that most text is made of, without a string
 * for each step. `wordTerms` says what the terms are, and a test compares the two.
 */
export class AsciiTerms {
  readonly #stem: (letters: string) => string;
  readonly #stems = new TermTable(MAX_REMEMBERED_STEMS);
  /** A dot, and the parts of the token in lower case, one behind the other. */
  readonly #lower = Buffer.alloc(MAX_KEY_BYTES + 1, '.');
  readonly #whole = Buffer.allocUnsafe(MAX_WHOLE_BYTES);
  /** Where each part begins in `#lower`; the one behind the last part is the end. */
  readonly #starts = new Uint8Array(MAX_KEY_BYTES + 1);
  /** The joiner before each part, `NO_JOINER` at a hump and before the first. */
  readonly #joiners = new Uint8Array(MAX_KEY_BYTES);
  /** The stretch between joiners that each part belongs to. */
  readonly #pieces = new Uint8Array(MAX_KEY_BYTES);
  #count = 0;

  /** @param stem the term of a word of the letters a-z. */
  constructor(stem: (letters: string) => string) {
    this.#stem = stem;
  }

  /**
   * Appends the terms of the token `bytes[start, end)`, which is no CJK run, and returns their number; -1, and nothing is
   * appended, when the token is not ASCII or longer than `MAX_KEY_BYTES`.
   */
  encode(bytes: Uint8Array, start: number, end: number, sink: TermSink): number {
    if (end - start > MAX_KEY_BYTES) return -1;
    for (let i = start; i < end; i++) if (bytes[i]! > 0x7f) return -1;
    const last = bytes[end - 1];
    const symbolWidth = last === HASH ? 1 : last === PLUS ? 2 : 0;
    this.#takeParts(bytes, start, end - symbolWidth);
    if (this.#count !== 1 || symbolWidth > 0) return this.#encodeCompound(symbolWidth, sink);
    const wordEnd = this.#starts[1]!;
    this.#appendStem(FIRST, wordEnd, sink);
    if (bytes[start] !== DOT) return 1;
    sink.extras.appendWord(this.#lower, FIRST - 1, wordEnd);
    return 2;
  }

  #encodeCompound(symbolWidth: number, sink: TermSink): number {
    const starts = this.#starts;
    const pieces = this.#pieces;
    const count = this.#count;
    const hasPieces = pieces[0] !== pieces[count - 1];
    let terms = count > 1 ? this.#appendWhole(0, count, symbolWidth, sink.extras) : 0;
    for (let part = 0; part < count; part++) {
      if (hasPieces && this.#beginsHumps(part)) {
        let end = part + 2;
        while (end < count && pieces[end] === pieces[part]) end++;
        terms += this.#appendWhole(part, end, 0, sink.extras);
      }
      if (part === count - 1 && symbolWidth > 0) return terms + this.#appendName(part, symbolWidth, sink);
      this.#appendStem(starts[part]!, starts[part + 1]!, sink);
      terms++;
    }
    return terms;
  }

  /** Whether a camelCase piece begins with this part. */
  #beginsHumps(part: number): boolean {
    const pieces = this.#pieces;
    const piece = pieces[part];
    return (part === 0 || pieces[part - 1] !== piece) && part + 1 < this.#count && pieces[part + 1] === piece;
  }

  /** Appends a last part like `C++`, and the bare word beside it unless it is a single letter; returns the number of terms. */
  #appendName(part: number, symbolWidth: number, sink: TermSink): number {
    const lower = this.#lower;
    const start = this.#starts[part]!;
    const end = this.#starts[part + 1]!;
    lower.fill(symbolWidth === 1 ? HASH : PLUS, end, end + symbolWidth);
    const isLetter = end - start === 1;
    (isLetter ? sink.main : sink.extras).appendWord(lower, start, end + symbolWidth);
    if (isLetter) return 1;
    this.#appendStem(start, end, sink);
    return 2;
  }

  /** Cuts `bytes[start, end)` at joiners and humps. The `s` of `it's` is no part. */
  #takeParts(bytes: Uint8Array, start: number, end: number): void {
    this.#count = 0;
    let joiner = NO_JOINER;
    let piece = 0;
    let to = FIRST;
    for (let i = start; i < end; i++) {
      const byte = bytes[i]!;
      if (KIND[byte] === JOINER) {
        joiner = byte;
        continue;
      }
      let pieceEnd = i + 1;
      while (pieceEnd < end && KIND[bytes[pieceEnd]!] !== JOINER) pieceEnd++;
      const isPossessive = joiner === APOSTROPHE && piece > 0 && pieceEnd - i === 1 && (byte | CASE_BIT) === SMALL_S;
      if (!isPossessive) to = this.#takePiece(bytes, i, pieceEnd, joiner, piece, to);
      piece++;
      i = pieceEnd - 1;
    }
    this.#starts[this.#count] = to;
  }

  /** Cuts a piece at its humps, as `humpStarts` does, and returns where its lower case ends. */
  #takePiece(bytes: Uint8Array, start: number, end: number, joiner: number, piece: number, at: number): number {
    const lower = this.#lower;
    const shift = at - start;
    this.#addPart(at, joiner, piece);
    let last = DIGIT;
    let beforeLast = DIGIT;
    let isPending = false;
    for (let i = start; i < end; i++) {
      const byte = bytes[i]!;
      const kind = KIND[byte]!;
      if (isPending) this.#addPart(i - 2 + shift, NO_JOINER, piece);
      isPending = false;
      if (kind === UPPER && last === LOWER) this.#addPart(i + shift, NO_JOINER, piece);
      if (kind === LOWER && last === UPPER && beforeLast === UPPER) {
        if (byte === SMALL_S) isPending = true;
        else this.#addPart(i - 1 + shift, NO_JOINER, piece);
      }
      beforeLast = last;
      last = kind;
      lower[i + shift] = kind === UPPER ? byte | CASE_BIT : byte;
    }
    return end + shift;
  }

  #addPart(start: number, joiner: number, piece: number): void {
    const part = this.#count++;
    this.#starts[part] = start;
    this.#joiners[part] = joiner;
    this.#pieces[part] = piece;
  }

  /** Appends the parts from `from` to `to` as one term, if they are few and short enough; returns the number of terms. */
  #appendWhole(from: number, to: number, symbolWidth: number, extras: TermBuffer): 0 | 1 {
    if (to - from > MAX_WHOLE_PARTS) return 0;
    const lower = this.#lower;
    const whole = this.#whole;
    let length = 0;
    let isAlphabetic = symbolWidth === 0;
    for (let part = from; part < to; part++) {
      const start = this.#starts[part]!;
      const end = this.#starts[part + 1]!;
      const joiner = this.#joiners[part]!;
      const meetsDigits = joiner !== NO_JOINER && length > 0 && isDigit(whole[length - 1]!) && isDigit(lower[start]!);
      const written = meetsDigits ? digitJoiner(joiner, lower, start, end) : NO_JOINER;
      const width = written === NO_JOINER ? 0 : 1;
      if (length + width + end - start + symbolWidth > MAX_WHOLE_BYTES) return 0;
      if (width > 0) whole[length++] = written;
      for (let i = start; i < end; i++) {
        const byte = lower[i]!;
        if (isDigit(byte)) isAlphabetic = false;
        whole[length++] = byte;
      }
    }
    if (isAlphabetic) {
      extras.appendTerm(this.#stem(whole.toString('latin1', 0, length)));
      return 1;
    }
    for (let i = 0; i < symbolWidth; i++) whole[length++] = symbolWidth === 1 ? HASH : PLUS;
    extras.appendWord(whole, 0, length);
    return 1;
  }

  /** Appends the stem of `#lower[start, end)` to the main stream. */
  #appendStem(start: number, end: number, sink: TermSink): void {
    const lower = this.#lower;
    let hash = HASH_SEED;
    let isAlphabetic = true;
    for (let i = start; i < end; i++) {
      const byte = lower[i]!;
      if (isDigit(byte)) isAlphabetic = false;
      hash = Math.imul(hash ^ byte, HASH_PRIME);
    }
    if (!isAlphabetic || end - start < MIN_STEMMED_BYTES) {
      sink.main.appendWord(lower, start, end);
      return;
    }
    const slot = this.#stems.find(lower, start, end, hash);
    if (slot >= 0) {
      this.#stems.write(slot, sink);
      return;
    }
    const mainStart = sink.main.length;
    sink.main.appendTerm(this.#stem(lower.toString('latin1', start, end)));
    this.#stems.add(lower, start, end, hash, sink, mainStart, sink.extras.length, 1, 0);
  }
}

/** What stands for a joiner between digits in a compound's whole. */
function digitJoiner(joiner: number, after: Uint8Array, start: number, end: number): number {
  if (joiner === DOT) return DOT;
  if (joiner !== COMMA) return HYPHEN;
  let digits = start;
  while (digits < end && isDigit(after[digits]!)) digits++;
  return digits - start === 3 ? NO_JOINER : HYPHEN;
}

/** Whether a byte of a word in lower case is a digit and not a letter. */
function isDigit(byte: number): boolean {
  return byte < 0x61;
}
