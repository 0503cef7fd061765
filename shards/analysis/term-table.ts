import type { TermBuffer } from './term-buffer.ts';

/** Longest raw token that is kept. */
export const MAX_KEY_BYTES = 127;
/** A table is emptied when it holds this many bytes of tokens and terms. */
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

/**
 * Raw token bytes → its terms as bytes, so that the string rules run once for a distinct token. Open addressing with
 * linear probing, at most half full:
 *
 *     slot   hash, offset, lengths, counts     offset 0: empty
 *     arena  [ key | main terms | extra terms ] …
 *
 * Memory is bounded: 16 to 32 bytes of slots for each entry allowed and 16 MiB of arena; when either is full the table is emptied and learns anew.
 */
export class TermTable {
  #slots = new Int32Array(FIRST_SLOTS * SLOT_INTS);
  #mask = FIRST_SLOTS - 1;
  #arena = Buffer.allocUnsafe(FIRST_ARENA_BYTES);
  // Offset 0 marks an empty slot.
  #used = 1;
  #entries = 0;
  readonly #maxEntries: number;

  /** @param maxEntries the table is emptied when it holds so many tokens. */
  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

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
   * Learns the unknown token `bytes[start, end)` of at most `MAX_KEY_BYTES` bytes: its terms are what the sink holds from
   * `mainStart` and `extrasStart` on. A token with more than 4 KiB of terms is not kept.
   */
  add(
    bytes: Uint8Array,
    start: number,
    end: number,
    hash: number,
    sink: TermSink,
    mainStart: number,
    extrasStart: number,
    terms: number,
    cutWords: number,
  ): void {
    const mainLength = sink.main.length - mainStart;
    const extrasLength = sink.extras.length - extrasStart;
    if (mainLength > MAX_TERM_BYTES || extrasLength > MAX_TERM_BYTES) return;
    const size = end - start + mainLength + extrasLength;
    if (this.#entries >= this.#maxEntries || this.#used + size > MAX_ARENA_BYTES) this.#clear();
    if (this.#entries * 2 > this.#mask) this.#growSlots();
    if (this.#used + size > this.#arena.length) this.#growArena();
    const slot = this.#freeSlot(hash);
    this.#slots[slot + HASH] = hash;
    this.#slots[slot + OFFSET] = this.#used;
    this.#slots[slot + LENGTHS] = (end - start) | (mainLength << 7) | (extrasLength << 19);
    this.#slots[slot + COUNTS] = terms | (cutWords << 16);
    this.#store(bytes, start, end);
    this.#store(sink.main.bytes, mainStart, sink.main.length);
    this.#store(sink.extras.bytes, extrasStart, sink.extras.length);
    this.#entries++;
  }

  #store(bytes: Uint8Array, start: number, end: number): void {
    const arena = this.#arena;
    let at = this.#used;
    for (let i = start; i < end; i++) arena[at++] = bytes[i]!;
    this.#used = at;
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
