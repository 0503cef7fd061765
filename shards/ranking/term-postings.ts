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

function bestOfBlocks({ blocks, starts, offsets, units, over }: ExpandedPostings, norms: ChunkNorms): Float64Array {
  const { classes, norms: values } = norms;
  const best = new Float64Array(blocks.length);
  for (let at = 0; at < blocks.length; at++) {
    const base = blocks[at]! << BLOCK_BITS;
    const end = starts[at + 1]!;
    let highest = 0;
    for (let index = starts[at]!; index < end; index++) {
      let tf = units[index]!;
      if (tf === OVER) tf = over!.get(index)!;
      const value = tf / (tf + values[classes[base + offsets[index]!]!]!);
      if (value > highest) highest = value;
    }
    best[at] = highest;
  }
  return best;
}
