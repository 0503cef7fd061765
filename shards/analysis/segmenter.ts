import { base64RunEnd, looksLikeBase64 } from './base64.ts';
import { CJK, classOf, HASH, IGNORABLE, JOINER, MARK, SEPARATOR, UNSPACED, WORD } from './code-points.ts';
import { MAX_TOKEN_BYTES } from './parameters.ts';

/** In the byte table only: the byte begins (or continues) a code point beyond ASCII. */
const NON_ASCII = 8;

const BYTE_CLASS = new Uint8Array(256);
for (let byte = 0; byte < 0x80; byte++) BYTE_CLASS[byte] = classOf(byte);
BYTE_CLASS.fill(NON_ASCII, 0x80);

const DOT = 0x2e;
const PLUS = 0x2b;
const COMMA = 0x2c;
const UNDERSCORE = 0x5f;
/** A dot behind one of these belongs to a path, an ellipsis or a file name, and does not begin a name like `.NET`. */
const BEFORE_NO_NAME = new Set([...'./\\-_@'].map((character) => character.charCodeAt(0)));

const HASH_SEED = 0x811c9dc5 | 0;
const HASH_PRIME = 0x01000193;
/** A token shorter than this is not worth looking at its surroundings for base64. */
const MIN_SUSPECT_BYTES = 24;

const NOTHING = new Uint8Array(0);

/**
 * Cuts UTF-8 bytes into raw tokens. This is the only segmentation: build, query and snippets all use it.
 *
 *     token    = cjk-run | [ '.' ] word { joiner word } [ '++' | '#' ]
 *     word     = word-char { word-char | mark | ignorable }
 *     cjk-run  = cjk { cjk | mark | ignorable }
 *     joiner   = one of  - _ . / \ @ : ' & + ,  in any Unicode form; ',' only between digits; '_' repeats
 *
 * A token never begins or ends with a joiner (but see `.NET`, `C++`, `C#`) or an ignorable. Bytes that are not UTF-8
 * separate. Runs of base64 are passed over and counted. Time is linear in the field, whatever it holds.
 */
export class Segmenter {
  /** First byte of the token. */
  start = 0;
  /** Byte after the token; behind a code point. */
  end = 0;
  /** Hash of the token's bytes. */
  hash = 0;
  /** Whether the token is a CJK run. */
  isCjk = false;
  /** Whether the token is the beginning of a longer unbroken word. */
  isCut = false;
  /** Base64 runs passed over since creation. */
  skippedRuns = 0;

  #bytes: Uint8Array = NOTHING;
  #position = 0;
  /** Up to here the field was looked at for base64; no run is looked at twice. */
  #suspectedUntil = 0;
  /** Bytes of the code point `#classAt` last looked at. */
  #width = 0;
  readonly #unspaced: number;

  /** @param pairsUnspaced whether scripts without spaces between words make CJK runs. */
  constructor(pairsUnspaced: boolean) {
    this.#unspaced = pairsUnspaced ? CJK : WORD;
  }

  /** Begins a new field. The bytes are kept until `release`. */
  reset(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.#position = 0;
    this.#suspectedUntil = 0;
  }

  /** Lets go of the field's bytes. */
  release(): void {
    this.#bytes = NOTHING;
  }

  /** Moves to the next token; false when there is none. */
  next(): boolean {
    const bytes = this.#bytes;
    const length = bytes.length;
    for (;;) {
      let i = this.#position;
      for (; i < length; ) {
        const byteClass = BYTE_CLASS[bytes[i]!]!;
        if (byteClass === WORD) break;
        if (byteClass === NON_ASCII) {
          const pointClass = this.#classAt(i);
          if (pointClass === WORD || pointClass === CJK) break;
          i += this.#width;
        } else {
          i++;
        }
      }
      if (i >= length) {
        this.#position = length;
        return false;
      }
      if (BYTE_CLASS[bytes[i]!] === NON_ASCII && this.#classAt(i) === CJK) {
        this.#takeCjk(i);
        return true;
      }
      this.#takeWord(i);
      if (this.end - this.start < MIN_SUSPECT_BYTES || !this.#skipBase64()) return true;
    }
  }

  #takeWord(first: number): void {
    const bytes = this.#bytes;
    const length = bytes.length;
    let start = first;
    let hash = HASH_SEED;
    if (first > 0 && bytes[first - 1] === DOT && this.#beginsName(first)) {
      start = first - 1;
      hash = Math.imul(hash ^ DOT, HASH_PRIME);
    }
    let i = first;
    for (;;) {
      while (i < length) {
        const byte = bytes[i]!;
        if (BYTE_CLASS[byte] !== WORD) break;
        hash = Math.imul(hash ^ byte, HASH_PRIME);
        i++;
      }
      if (i >= length) break;
      const byte = bytes[i]!;
      const byteClass = BYTE_CLASS[byte]!;
      if (byteClass === SEPARATOR) break;
      if (byteClass === JOINER) {
        // The two common cases of what #resumeAt decides: a stop before a space, a joiner between ASCII words.
        const nextClass = i + 1 < length ? BYTE_CLASS[bytes[i + 1]!]! : SEPARATOR;
        if (nextClass === SEPARATOR) break;
        if (nextClass === WORD && byte !== COMMA && i + 2 - start <= MAX_TOKEN_BYTES) {
          hash = Math.imul(hash ^ byte, HASH_PRIME);
          i++;
          continue;
        }
      }
      const resume = this.#resumeAt(start, i);
      for (const end = Math.abs(resume); i < end; i++) hash = Math.imul(hash ^ bytes[i]!, HASH_PRIME);
      if (resume <= 0) break;
    }
    this.start = start;
    this.end = i;
    this.hash = hash;
    this.isCjk = false;
    this.isCut = false;
    this.#position = i;
    if (i - start > MAX_TOKEN_BYTES) this.#cutToken();
  }

  /**
   * Where the token goes on, when the byte at `at` is neither an ASCII word character nor an ASCII separator. A positive
   * number: it goes on there, and what lies between belongs to it. Zero or negative: it ends at the number's magnitude,
   * zero standing for `at`.
   */
  #resumeAt(start: number, at: number): number {
    const bytes = this.#bytes;
    const here = this.#skipIgnorables(at);
    switch (this.#classAt(here)) {
      case WORD:
      case MARK:
        return here + this.#width;
      case HASH: {
        const end = here + this.#width;
        const next = this.#classAt(this.#skipIgnorables(end));
        return next === WORD || next === CJK || end - start > MAX_TOKEN_BYTES ? 0 : -end;
      }
      case JOINER:
        break;
      default:
        return 0;
    }
    let after = here + this.#width;
    if (this.#isAscii(here, PLUS) && this.#isAscii(after, PLUS)) {
      this.#classAt(after);
      const end = after + this.#width;
      return end - start > MAX_TOKEN_BYTES ? 0 : -end;
    }
    while (this.#isAscii(here, UNDERSCORE) && this.#isAscii(after, UNDERSCORE)) {
      this.#classAt(after);
      after += this.#width;
    }
    const next = this.#skipIgnorables(after);
    // A cut token must not end with a joiner, so a joiner is taken only where the character behind it fits too.
    if (this.#classAt(next) !== WORD || next + this.#width - start > MAX_TOKEN_BYTES) return 0;
    if (this.#isAscii(here, COMMA) && !(isDigitBefore(bytes, at) && isDigitAt(bytes, next))) return 0;
    return next;
  }

  #takeCjk(first: number): void {
    let i = first;
    let end = first;
    for (;;) {
      const pointClass = this.#classAt(i);
      if (pointClass === CJK || pointClass === MARK) end = i + this.#width;
      else if (pointClass !== IGNORABLE) break;
      i += this.#width;
    }
    let hash = HASH_SEED;
    for (let j = first; j < end; j++) hash = Math.imul(hash ^ this.#bytes[j]!, HASH_PRIME);
    this.start = first;
    this.end = end;
    this.hash = hash;
    this.isCjk = true;
    this.isCut = false;
    this.#position = end;
  }

  /** Ends a token that is too long at its last joiner that is early enough; without one, the rest of the unbroken word is passed over. */
  #cutToken(): void {
    const start = this.start;
    for (let at = start + MAX_TOKEN_BYTES; at > start; at--) {
      if (this.#classAt(at) !== JOINER) continue;
      this.#shortenTo(start, at);
      this.#position = at;
      return;
    }
    let end = start + MAX_TOKEN_BYTES;
    while ((this.#bytes[end]! & 0xc0) === 0x80) end--;
    this.end = end;
    this.isCut = true;
  }

  /** Passes over a base64 run that begins in the token; the token then ends before it, or (true) there is no token. */
  #skipBase64(): boolean {
    const bytes = this.#bytes;
    let from = Math.max(this.start, this.#suspectedUntil);
    for (; from < this.#position; from++) {
      const runEnd = base64RunEnd(bytes, from);
      this.#suspectedUntil = Math.max(runEnd, from + 1);
      if (looksLikeBase64(bytes, from, runEnd)) break;
      from = runEnd;
    }
    if (from >= this.#position) return false;
    this.skippedRuns++;
    const start = this.start;
    this.#position = this.#suspectedUntil;
    if (from === start) return true;
    this.#shortenTo(start, from);
    return false;
  }

  /** Takes the token at `start` again as if the field ended at `limit`. */
  #shortenTo(start: number, limit: number): void {
    const bytes = this.#bytes;
    const position = this.#position;
    this.#bytes = bytes.subarray(0, limit);
    this.#takeWord(bytes[start] === DOT ? start + 1 : start);
    this.#bytes = bytes;
    this.#position = position;
  }

  /**
   * Whether the dot before `first` begins a name: a letter behind it, and before it nothing that makes it a path or a stop.
   * A word before it would have joined, so that what lies beyond ASCII there separates (or is CJK: `使用.NET`).
   */
  #beginsName(first: number): boolean {
    if (isDigitAt(this.#bytes, first)) return false;
    const before = this.#bytes[first - 2];
    return before === undefined || (BYTE_CLASS[before] !== WORD && !BEFORE_NO_NAME.has(before));
  }

  #skipIgnorables(at: number): number {
    let i = at;
    while (this.#classAt(i) === IGNORABLE) i += this.#width;
    return i;
  }

  /** Whether the code point at `at` is this ASCII character or its full-width form (U+FF01 to U+FF5E, three bytes). */
  #isAscii(at: number, ascii: number): boolean {
    const bytes = this.#bytes;
    if (bytes[at] === ascii) return true;
    const fullWidth = ascii + 0xfee0;
    return (
      bytes[at] === (0xe0 | (fullWidth >> 12)) &&
      bytes[at + 1] === (0x80 | ((fullWidth >> 6) & 0x3f)) &&
      bytes[at + 2] === (0x80 | (fullWidth & 0x3f))
    );
  }

  /** Class of the code point at `at`, its bytes in `#width`. Malformed UTF-8 and the end of the field are separators. */
  #classAt(at: number): number {
    const bytes = this.#bytes;
    const lead = bytes[at];
    this.#width = 1;
    if (lead === undefined) return SEPARATOR;
    if (lead < 0x80) return BYTE_CLASS[lead]!;
    const second = bytes[at + 1]!;
    if ((second & 0xc0) !== 0x80) return SEPARATOR;
    if (lead >= 0xc2 && lead < 0xe0) {
      this.#width = 2;
      return this.#classOf(((lead & 0x1f) << 6) | (second & 0x3f));
    }
    const third = bytes[at + 2]!;
    if ((third & 0xc0) !== 0x80) return SEPARATOR;
    if (lead >= 0xe0 && lead < 0xf0) {
      const codePoint = ((lead & 0x0f) << 12) | ((second & 0x3f) << 6) | (third & 0x3f);
      if (codePoint < 0x800 || (codePoint >= 0xd800 && codePoint < 0xe000)) return SEPARATOR;
      this.#width = 3;
      return this.#classOf(codePoint);
    }
    const fourth = bytes[at + 3]!;
    if ((fourth & 0xc0) !== 0x80 || lead < 0xf0 || lead > 0xf4) return SEPARATOR;
    const codePoint = ((lead & 0x07) << 18) | ((second & 0x3f) << 12) | ((third & 0x3f) << 6) | (fourth & 0x3f);
    if (codePoint < 0x10000 || codePoint > 0x10ffff) return SEPARATOR;
    this.#width = 4;
    return this.#classOf(codePoint);
  }

  #classOf(codePoint: number): number {
    const pointClass = classOf(codePoint);
    return pointClass === UNSPACED ? this.#unspaced : pointClass;
  }
}

function isAsciiDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

/** ASCII or full-width digit (U+FF10 to U+FF19: EF BC 90 to EF BC 99). */
function isDigitAt(bytes: Uint8Array, at: number): boolean {
  return isAsciiDigit(bytes[at]) || isFullWidthDigit(bytes, at);
}

function isDigitBefore(bytes: Uint8Array, at: number): boolean {
  return isAsciiDigit(bytes[at - 1]) || isFullWidthDigit(bytes, at - 3);
}

function isFullWidthDigit(bytes: Uint8Array, at: number): boolean {
  const third = bytes[at + 2];
  return bytes[at] === 0xef && bytes[at + 1] === 0xbc && third !== undefined && third >= 0x90 && third <= 0x99;
}
