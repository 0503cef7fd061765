import type { Impact } from '../lists/impact.ts';
import { BLOCK_BITS, type ListHead, OVER, type SegmentHead } from '../lists/list-format.ts';
import type { ExpandedPostings } from '../lists/segment-decoder.ts';
import type { Cached } from './postings-cache.ts';

/** What scores of a shard's chunks are made with: norms per length class, and the class of each chunk. */
export interface ChunkNorms {
  readonly classes: Uint16Array;
  /** k1 · (1 - b + b · length / average) in column units, per class */
  readonly norms: Float64Array;
  /** the same for any length */
  readonly normOf: (length: number) => number;
}

/** The postings of one term in one shard. Segments are loaded when they are needed and stay with it. */
export class TermPostings implements Cached {
  readonly df: number;
  /** pairs that give the starting thresholds of its list, see list-format.ts */
  readonly thresholds: ListHead['thresholds'];
  readonly segments: readonly PostingSegment[];
  readonly #charge: (bytes: number) => void;
  #bytes = 0;

  /** @param charge told of bytes by which it grows after it was cached */
  constructor(
    head: Pick<ListHead, 'df' | 'thresholds'>,
    segments: readonly PostingSegment[],
    charge: (bytes: number) => void,
  ) {
    this.df = head.df;
    this.thresholds = head.thresholds;
    this.segments = segments;
    this.#charge = charge;
    for (const segment of segments) this.#bytes += segment.loadedBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Visits all postings, in the order of chunks. */
  visit(visit: (chunk: number, units: number) => void): void {
    for (const segment of this.segments) {
      const { blocks, starts, offsets, units, over } = this.load(segment);
      for (let at = 0; at < blocks.length; at++) {
        const base = blocks[at]! << BLOCK_BITS;
        for (let index = starts[at]!; index < starts[at + 1]!; index++) {
          visit(base + offsets[index]!, over?.get(index) ?? units[index]!);
        }
      }
    }
  }

  /** A segment's postings, loaded if need be. */
  load(segment: PostingSegment): ExpandedPostings {
    if (segment.postings !== null) return segment.postings;
    const postings = segment.load();
    this.#bytes += segment.loadedBytes;
    this.#charge(segment.loadedBytes);
    return postings;
  }
}

/** Consecutive blocks of a term's postings. */
export class PostingSegment {
  readonly firstBlock: number;
  readonly lastBlock: number;
  readonly #impacts: readonly Impact[];
  readonly #read: (() => ExpandedPostings) | null;
  postings: ExpandedPostings | null;
  #bestFor: ChunkNorms | null = null;
  #best = 0;
  #blockBestFor: ChunkNorms | null = null;
  #blockBest: Float64Array = new Float64Array(0);

  private constructor(
    head: Pick<SegmentHead, 'firstBlock' | 'lastBlock' | 'impacts'>,
    postings: ExpandedPostings | null,
    read: (() => ExpandedPostings) | null,
  ) {
    this.firstBlock = head.firstBlock;
    this.lastBlock = head.lastBlock;
    this.#impacts = head.impacts;
    this.postings = postings;
    this.#read = read;
  }

  /** One that is read from the file when it is needed. */
  static stored(head: SegmentHead, read: () => ExpandedPostings): PostingSegment {
    return new PostingSegment(head, null, read);
  }

  /** All postings of a term, at hand. */
  static of(postings: ExpandedPostings): PostingSegment {
    const { blocks } = postings;
    return new PostingSegment({ firstBlock: blocks[0]!, lastBlock: blocks.at(-1)!, impacts: [] }, postings, null);
  }

  /** Bytes of what is loaded. */
  get loadedBytes(): number {
    if (this.postings === null) return 0;
    const { blocks, offsets, over } = this.postings;
    return 3 * offsets.length + 16 * blocks.length + 48 * (over?.size ?? 0) + 512;
  }

  load(): ExpandedPostings {
    this.postings ??= this.#read!();
    return this.postings;
  }

  /** The highest units / (units + norm) of the segment, or somewhat more when it is not loaded. */
  best(norms: ChunkNorms): number {
    if (this.#bestFor === norms) return this.#best;
    this.#best =
      this.postings === null
        ? this.#impacts.reduce((best, { units, length }) => Math.max(best, units / (units + norms.normOf(length))), 0)
        : this.blockBest(norms).reduce((best, value) => Math.max(best, value), 0);
    this.#bestFor = norms;
    return this.#best;
  }

  /** The highest units / (units + norm) of each block of a loaded segment. */
  blockBest(norms: ChunkNorms): Float64Array {
    if (this.#blockBestFor !== norms) {
      this.#blockBest = bestOfBlocks(this.postings!, norms);
      this.#blockBestFor = norms;
    }
    return this.#blockBest;
  }
}

/** Units of which the shortest chunk is looked for before anything is divided; nearly all postings have fewer. */
const COMMON_UNITS = 16;
/** Postings of a block from which that pays. */
const MANY_POSTINGS = 64;
/** Behind all length classes. */
const NO_CLASS = 0x1_0000;
const shortest = new Int32Array(COMMON_UNITS);

function bestOfBlocks({ blocks, starts, offsets, units, over }: ExpandedPostings, norms: ChunkNorms): Float64Array {
  const { classes, norms: values } = norms;
  const best = new Float64Array(blocks.length);
  for (let at = 0; at < blocks.length; at++) {
    const base = blocks[at]! << BLOCK_BITS;
    const start = starts[at]!;
    const end = starts[at + 1]!;
    const common = end - start < MANY_POSTINGS ? 0 : COMMON_UNITS;
    let highest = 0;
    shortest.fill(NO_CLASS);
    for (let index = start; index < end; index++) {
      let tf = units[index]!;
      const lengthClass = classes[base + offsets[index]!]!;
      if (tf < common) {
        // Classes are in the order of lengths, so the lowest is best.
        if (lengthClass < shortest[tf]!) shortest[tf] = lengthClass;
        continue;
      }
      if (tf === OVER) tf = over!.get(index)!;
      const value = tf / (tf + values[lengthClass]!);
      if (value > highest) highest = value;
    }
    for (let tf = 1; tf < common; tf++) {
      if (shortest[tf] === NO_CLASS) continue;
      const value = tf / (tf + values[shortest[tf]!]!);
      if (value > highest) highest = value;
    }
    best[at] = highest;
  }
  return best;
}
