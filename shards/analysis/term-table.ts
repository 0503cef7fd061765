import type { TermBuffer } from './term-buffer.ts';

/** Longest raw token that is kept. */
export const MAX_KEY_BYTES = 127;
/** The table is emptied when it holds this many tokens … */
const MAX_ENTRIES = 1 << 18;
/** … or this many bytes of tokens and terms. */
const MAX_ARENA_BYTES = 1 << 24;
const FIRST_SLOTS = 1 << 10;
const FIRST_ARENA_BYTES = 1 << 14;
const MAX_TERM_BYTES = 0xfff;

// A slot is four numbers, so that a look-up touches one cache line of the table and one place of the arena.
const SLOT_INTS = 4;
const HASH = 0;
const OFFSET = 1;
/** key length, 7 bits | bytes of main terms, 12 bits | bytes of extra terms, 12 bits */
const LENGTHS = 2;
/** number of terms, 16 bits | number of cut words, 16 bits */
const COUNTS = 3;

/** Receives what the table knows of a token. */
export interface TermSink {
  readonly main: TermBuffer;
  readonly extras: TermBuffer;
}

/** What the counters have to know of a token. */
export interface TokenCounts {
  readonly terms: number;
  readonly cutWords: number;
}

/**
 * Raw token bytes → its terms as bytes, so that the string rules run once for a distinct token. Open addressing with
 * linear probing, at most half full:
 *
 *     slot   hash, offset, lengths, counts     offset 0: empty
 *     arena  [ key | main terms | extra terms ] …
 *
 * Memory is bounded: 8 MiB of slots and 16 MiB of arena; when either is full the table is emptied and learns anew.
 */
export class TermTable {
  #slots = new Int32Array(FIRST_SLOTS * SLOT_INTS);
  #mask = FIRST_SLOTS - 1;
  #arena = Buffer.allocUnsafe(FIRST_ARENA_BYTES);
  // Offset 0 marks an empty slot.
  #used = 1;
  #entries = 0;

  /** The slot of the token `bytes[start, end)`, -1 when it is not known. The slot is valid until the next `add`. */
  find(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const slots = this.#slots;
    const arena = this.#arena;
    const length = end - start;
    for (let i = spread(hash) & this.#mask; ; i = (i + 1) & this.#mask) {
      const slot = i * SLOT_INTS;
      const offset = slots[slot + OFFSET]!;
      if (offset === 0) return -1;
      if (slots[slot + HASH] !== hash || (slots[slot + LENGTHS]! & 0x7f) !== length) continue;
      let j = 0;
      while (j < length && arena[offset + j] === bytes[start + j]) j++;
      if (j === length) return slot;
    }
  }

  /** Appends the terms of a found token to the sink. */
  write(slot: number, sink: TermSink): void {
    const lengths = this.#slots[slot + LENGTHS]!;
    const main = this.#slots[slot + OFFSET]! + (lengths & 0x7f);
    const extras = main + ((lengths >> 7) & 0xfff);
    sink.main.appendBytes(this.#arena, main, extras);
    if (lengths >> 19 !== 0) sink.extras.appendBytes(this.#arena, extras, extras + (lengths >> 19));
  }

  /** Number of terms of a found token. */
  terms(slot: number): number {
    return this.#slots[slot + COUNTS]! & 0xffff;
  }

  /** Number of cut words of a found token. */
  cutWords(slot: number): number {
    return this.#slots[slot + COUNTS]! >>> 16;
  }

  /**
   * Learns an unknown token of at most `MAX_KEY_BYTES` bytes: its terms are what the sink holds from `mainStart` and
   * `extrasStart` on. A token with more than 4 KiB of terms is not kept.
   */
  add(
    token: Uint8Array,
    hash: number,
    sink: TermSink,
    mainStart: number,
    extrasStart: number,
    counts: TokenCounts,
  ): void {
    const main = sink.main.bytes.subarray(mainStart, sink.main.length);
    const extras = sink.extras.bytes.subarray(extrasStart, sink.extras.length);
    if (main.length > MAX_TERM_BYTES || extras.length > MAX_TERM_BYTES) return;
    const size = token.length + main.length + extras.length;
    if (this.#entries >= MAX_ENTRIES || this.#used + size > MAX_ARENA_BYTES) this.#clear();
    if ((this.#entries + 1) * 2 > this.#mask) this.#growSlots();
    if (this.#used + size > this.#arena.length) this.#growArena();
    const slot = this.#freeSlot(hash);
    this.#slots[slot + HASH] = hash;
    this.#slots[slot + OFFSET] = this.#used;
    this.#slots[slot + LENGTHS] = token.length | (main.length << 7) | (extras.length << 19);
    this.#slots[slot + COUNTS] = counts.terms | (counts.cutWords << 16);
    this.#arena.set(token, this.#used);
    this.#arena.set(main, this.#used + token.length);
    this.#arena.set(extras, this.#used + token.length + main.length);
    this.#used += size;
    this.#entries++;
  }

  #freeSlot(hash: number): number {
    let i = spread(hash) & this.#mask;
    while (this.#slots[i * SLOT_INTS + OFFSET] !== 0) i = (i + 1) & this.#mask;
    return i * SLOT_INTS;
  }

  #clear(): void {
    this.#slots.fill(0);
    this.#used = 1;
    this.#entries = 0;
  }

  #growSlots(): void {
    const old = this.#slots;
    this.#slots = new Int32Array(old.length * 2);
    this.#mask = this.#mask * 2 + 1;
    for (let from = 0; from < old.length; from += SLOT_INTS) {
      if (old[from + OFFSET] === 0) continue;
      this.#slots.set(old.subarray(from, from + SLOT_INTS), this.#freeSlot(old[from + HASH]!));
    }
  }

  #growArena(): void {
    const grown = Buffer.allocUnsafe(Math.min(this.#arena.length * 2, MAX_ARENA_BYTES));
    this.#arena.copy(grown, 0, 0, this.#used);
    this.#arena = grown;
  }
}

/** FNV leaves its best bits at the top. */
function spread(hash: number): number {
  return hash ^ (hash >>> 15);
}
