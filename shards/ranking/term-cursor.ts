import { BLOCK_BITS, OVER } from '../lists/list-format.ts';
import type { ExpandedPostings } from '../lists/segment-decoder.ts';
import { QUANTUM, ROUND_UP, ROUNDER } from './bm25.ts';
import type { ChunkNorms, PostingSegment, TermPostings } from './term-postings.ts';
import type { WorkCounter } from './work.ts';

/** The block behind the last one. */
export const NO_BLOCK = 0x7fff_ffff;

const nothing: ExpandedPostings = {
  blocks: new Int32Array(0),
  starts: new Int32Array(1),
  offsets: new Uint16Array(0),
  units: new Uint8Array(0),
  over: null,
};

/** A term of a query in one shard, moving forward over the blocks in which it occurs. */
export class TermCursor {
  readonly df: number;
  readonly weight: number;
  /** no chunk of the shard gets more from this term */
  readonly bound: number;
  readonly thresholds: TermPostings['thresholds'];
  readonly #term: TermPostings;
  readonly #norms: ChunkNorms;
  readonly #work: WorkCounter;
  #segment = 0;
  /** index of a block in the current segment, once that is loaded */
  #block = 0;

  // The postings of the block that was opened: [start, end) of the arrays.
  start = 0;
  end = 0;
  offsets: Uint16Array = nothing.offsets;
  units: Uint8Array = nothing.units;
  #over: ExpandedPostings['over'] = null;
  /** no chunk of the block last asked for gets more from this term */
  blockBound = 0;
  /** where the next search in the opened block begins */
  position = 0;

  constructor(term: TermPostings, weight: number, norms: ChunkNorms, work: WorkCounter) {
    this.df = term.df;
    this.weight = weight;
    this.thresholds = term.thresholds;
    this.#term = term;
    this.#norms = norms;
    this.#work = work;
    let best = 0;
    for (const segment of term.segments) best = Math.max(best, segment.best(norms));
    this.bound = this.#boundOf(best);
  }

  /** The first block from `block` on in which the term occurs. Blocks before are left behind. */
  nextBlock(block: number): number {
    const segment = this.#advance(block);
    if (segment === undefined) return NO_BLOCK;
    if (block <= segment.firstBlock) return segment.firstBlock;
    if (block === segment.lastBlock) return block;
    const { blocks } = this.#load(segment);
    let at = this.#block;
    while (blocks[at]! < block) at++;
    this.#block = at;
    return blocks[at]!;
  }

  /** Sets `blockBound` for a block, without loading anything: no chunk in it gets more from this term. */
  boundIn(block: number): number {
    const segment = this.#advance(block);
    if (segment === undefined || block < segment.firstBlock) {
      this.blockBound = 0;
    } else if (segment.postings === null) {
      this.blockBound = this.#boundOf(segment.best(this.#norms));
    } else {
      const { blocks } = segment.postings;
      let at = this.#block;
      while (blocks[at]! < block) at++;
      this.#block = at;
      this.blockBound = blocks[at] === block ? this.#boundOf(segment.blockBest(this.#norms)[at]!) : 0;
    }
    return this.blockBound;
  }

  /** Opens the block for which `boundIn` was asked last. @returns whether the term occurs in it. */
  open(block: number): boolean {
    const segment = this.#term.segments[this.#segment];
    this.start = 0;
    this.end = 0;
    if (segment === undefined || block < segment.firstBlock) return false;
    const { blocks, starts, offsets, units, over } = this.#load(segment);
    let at = this.#block;
    while (blocks[at]! < block) at++;
    this.#block = at;
    if (blocks[at] !== block) return false;
    this.start = starts[at]!;
    this.end = starts[at + 1]!;
    this.position = this.start;
    this.offsets = offsets;
    this.units = units;
    this.#over = over;
    return true;
  }

  /** What the term adds to the score of a posting's chunk, given its index in the opened block. */
  scoreOf(index: number, norm: number): number {
    let units = this.units[index]!;
    if (units === OVER) units = this.unitsOver(index);
    return this.weight * (units / (units + norm)) + ROUND_UP - ROUNDER;
  }

  /** Exact units of a posting of the opened block whose byte is {@link OVER}. */
  unitsOver(index: number): number {
    return this.#over!.get(index)!;
  }

  /**
   * Adds what the term gives to the chunks of the blocks before `end`, from where the cursor stands, in a window of scores.
   * @param base chunk whose score stands first
   * @param candidates places of the window that have a score, of which there are `count`; a new one is added behind
   * @returns how many there are now
   */
  accumulate(end: number, base: number, scores: Float64Array, candidates: Int32Array, count: number): number {
    const { norms, classes } = this.#norms;
    const { weight } = this;
    let found = count;
    for (;;) {
      const segment = this.#term.segments[this.#segment];
      if (segment === undefined || segment.firstBlock >= end) return found;
      const { blocks, starts, offsets, units, over } = this.#load(segment);
      let block = this.#block;
      for (; block < blocks.length && blocks[block]! < end; block++) {
        const first = blocks[block]! << BLOCK_BITS;
        const last = starts[block + 1]!;
        for (let at = starts[block]!; at < last; at++) {
          const chunk = first + offsets[at]!;
          let tf = units[at]!;
          if (tf === OVER) tf = over!.get(at)!;
          const before = scores[chunk - base]!;
          if (before === 0) candidates[found++] = chunk - base;
          scores[chunk - base] = before + (weight * (tf / (tf + norms[classes[chunk]!]!)) + ROUND_UP - ROUNDER);
        }
      }
      this.#block = block;
      if (block < blocks.length) return found;
      this.#segment++;
      this.#block = 0;
    }
  }

  /**
   * The index of the posting at an offset of the opened block, or -1 if the term does not occur there. Gallops forward:
   * offsets must be asked for in ascending order.
   */
  find(offset: number): number {
    const { offsets, end } = this;
    let low = this.position;
    if (low >= end) return -1;
    if (offsets[low]! < offset) {
      let step = 1;
      while (low + step < end && offsets[low + step]! < offset) {
        low += step;
        step <<= 1;
      }
      let high = Math.min(end, low + step);
      low++;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (offsets[middle]! < offset) low = middle + 1;
        else high = middle;
      }
      this.position = low;
      if (low >= end) return -1;
    }
    return offsets[low] === offset ? low : -1;
  }

  /** The first segment that does not end before a block. */
  #advance(block: number): PostingSegment | undefined {
    const { segments } = this.#term;
    let segment = segments[this.#segment];
    while (segment !== undefined && segment.lastBlock < block) {
      segment = segments[++this.#segment];
      this.#block = 0;
    }
    return segment;
  }

  #boundOf(best: number): number {
    // One quantum more than rounding gives: corners of a hull may be off by the last bit.
    return best === 0 ? 0 : this.weight * best + ROUND_UP - ROUNDER + QUANTUM;
  }

  #load(segment: PostingSegment): ExpandedPostings {
    if (segment.postings !== null) return segment.postings;
    this.#work.segments++;
    return this.#term.load(segment);
  }
}
