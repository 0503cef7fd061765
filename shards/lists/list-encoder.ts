import { BLOCK_LEVEL } from '../format.ts';
import type { ColumnUnits } from '../postings/index.ts';
import { DEFAULT_SCORING, normsOf } from '../ranking/bm25.ts';
import { VarintWriter } from '../varint.ts';
import { FrameCompressor } from '../zstd.ts';
import type { ChunkLengths } from './chunk-lengths.ts';
import { highestImpacts, type Impact, lowestImpacts } from './impact.ts';
import {
  BLOCK_BITS,
  BLOCK_CHUNKS,
  encodeHead,
  OVER,
  SEGMENT_POSTINGS,
  type SegmentHead,
  THRESHOLD_DEPTHS,
} from './list-format.ts';

/** Into how many levels impacts, which are below 1, are told apart. */
const LEVELS = 4096;

/** A list ready to be stored. */
export interface EncodedList {
  readonly df: number;
  readonly head: Buffer;
  readonly segments: readonly { readonly rawLength: number; readonly data: Buffer }[];
}

/** Postings of a term in chunk order: parallel arrays of which the first `length` entries count. */
export interface PostingColumns {
  readonly chunks: Int32Array;
  readonly units: Int32Array;
  readonly length: number;
  readonly occurrences: number;
}

/** Turns postings into offset lists (list-format.ts). One encoder serves all lists of a shard. */
export class ListEncoder {
  readonly #lengths: ChunkLengths;
  readonly #documents: Uint32Array;
  readonly #compressor = new FrameCompressor(BLOCK_LEVEL);
  readonly #writer = new VarintWriter();
  /** best units per length class, 0 between segments */
  readonly #bestUnits: Int32Array;
  readonly #norms: Float64Array;
  /** index of the best posting of each document */
  #best = new Int32Array(0);
  /** documents per level of their best posting's impact */
  readonly #levels = new Uint32Array(LEVELS + 1);

  /** @param documents first chunk of every document, ascending */
  constructor(lengths: ChunkLengths, documents: Uint32Array, columnUnits: ColumnUnits) {
    this.#lengths = lengths;
    this.#documents = documents;
    this.#bestUnits = new Int32Array(lengths.lengths.length);
    this.#norms = ownNorms(lengths, columnUnits);
  }

  /** @param firstSegment id of the list's first segment; the others follow. */
  encode(term: Uint8Array, postings: PostingColumns, firstSegment: number): EncodedList {
    const heads: SegmentHead[] = [];
    const segments: { rawLength: number; data: Buffer }[] = [];
    for (let start = 0; start < postings.length; ) {
      const end = segmentEnd(postings, start);
      heads.push({
        firstBlock: postings.chunks[start]! >> BLOCK_BITS,
        lastBlock: postings.chunks[end - 1]! >> BLOCK_BITS,
        postings: end - start,
        impacts: this.#impactsOf(postings, start, end),
      });
      const raw = this.#encodeSegment(firstSegment + segments.length, postings, start, end);
      segments.push({ rawLength: raw.length, data: this.#compressor.compress(raw) });
      start = end;
    }
    const { length: df, occurrences } = postings;
    const thresholds = this.#thresholdsOf(postings);
    return { df, head: encodeHead(term, { df, occurrences, segments: heads, thresholds }), segments };
  }

  #encodeSegment(id: number, { chunks, units }: PostingColumns, start: number, end: number): Buffer {
    const writer = this.#writer;
    writer.clear();
    const blocks = blocksOf(chunks, start, end);
    writer.add(id);
    writer.add(blocks.length);
    let lastBlock = chunks[start]! >> BLOCK_BITS;
    for (const { block, count } of blocks) {
      writer.add(block - lastBlock);
      writer.add(count);
      lastBlock = block;
    }
    let at = start;
    for (const { count } of blocks) {
      let last = -1;
      for (const stop = at + count; at < stop; at++) {
        const offset = chunks[at]! & (BLOCK_CHUNKS - 1);
        writer.add(offset - last - 1);
        last = offset;
      }
    }
    const over: number[] = [];
    for (let index = start; index < end; index++) {
      if (units[index]! >= OVER) over.push(index);
      writer.addByte(Math.min(OVER, units[index]!));
    }
    writer.add(over.length);
    for (const index of over) {
      writer.add(index - start);
      writer.add(units[index]!);
    }
    return writer.view();
  }

  #impactsOf({ chunks, units }: PostingColumns, start: number, end: number): Impact[] {
    const { classes, lengths } = this.#lengths;
    const best = this.#bestUnits;
    const touched: number[] = [];
    for (let index = start; index < end; index++) {
      const lengthClass = classes[chunks[index]!]!;
      const known = best[lengthClass]!;
      if (known === 0) touched.push(lengthClass);
      if (units[index]! > known) best[lengthClass] = units[index]!;
    }
    const impacts = touched.map((lengthClass): Impact => {
      const impact = { units: best[lengthClass]!, length: lengths[lengthClass]! };
      best[lengthClass] = 0;
      return impact;
    });
    return highestImpacts(impacts);
  }

  /**
   * The lowest impacts of the best chunks of as many documents, or a few more, per depth: impacts are told apart to 1/4096
   * only, which makes a threshold lower by as little and needs no sorting.
   */
  #thresholdsOf(postings: PostingColumns): Impact[][] {
    const depths = THRESHOLD_DEPTHS.filter((depth) => postings.length >= depth);
    if (depths.length === 0) return [];
    const documents = this.#bestPerDocument(postings);
    return depths
      .filter((depth) => documents >= depth)
      .map((depth) => this.#lowestOf(postings, documents, this.#levelOf(depth)));
  }

  /** Finds the best posting of each document and counts how many have each level. @returns the number of documents */
  #bestPerDocument({ chunks, units, length }: PostingColumns): number {
    if (this.#best.length < length) this.#best = new Int32Array(2 * length);
    const best = this.#best;
    const levels = this.#levels.fill(0);
    const documents = this.#documents;
    const { classes } = this.#lengths;
    const norms = this.#norms;
    let count = 0;
    let next = 0;
    for (let index = 0; index < length; ) {
      // `next` is the document behind the posting's.
      while (next < documents.length && documents[next]! <= chunks[index]!) next++;
      const end = next < documents.length ? documents[next]! : Number.POSITIVE_INFINITY;
      let highest = 0;
      let at = index;
      for (; index < length && chunks[index]! < end; index++) {
        const impact = units[index]! / (units[index]! + norms[classes[chunks[index]!]!]!);
        if (impact <= highest) continue;
        highest = impact;
        at = index;
      }
      best[count++] = at;
      levels[Math.floor(highest * LEVELS)]!++;
    }
    return count;
  }

  /** The highest level such that so many documents have it or a higher one. */
  #levelOf(depth: number): number {
    let level = LEVELS;
    for (let found = this.#levels[level]!; found < depth; found += this.#levels[level]!) level--;
    return level;
  }

  /** The lowest impacts of the documents' best postings that have a level or a higher one. */
  #lowestOf({ chunks, units }: PostingColumns, documents: number, level: number): Impact[] {
    const { classes, lengths } = this.#lengths;
    const norms = this.#norms;
    const lowest = new Map<number, number>();
    for (let document = 0; document < documents; document++) {
      const index = this.#best[document]!;
      const lengthClass = classes[chunks[index]!]!;
      if (Math.floor((units[index]! / (units[index]! + norms[lengthClass]!)) * LEVELS) < level) continue;
      const known = lowest.get(lengthClass);
      if (known === undefined || units[index]! < known) lowest.set(lengthClass, units[index]!);
    }
    return lowestImpacts([...lowest].map(([lengthClass, least]) => ({ units: least, length: lengths[lengthClass]! })));
  }
}

/** Norms of the length classes under default parameters and the shard's own average length. */
function ownNorms({ classes, lengths }: ChunkLengths, columnUnits: ColumnUnits): Float64Array {
  let total = 0;
  for (let chunk = 1; chunk < classes.length; chunk++) total += lengths[classes[chunk]!]!;
  return normsOf(lengths, { ...DEFAULT_SCORING, columnUnits, chunks: classes.length - 1, tokens: total });
}

/** Where the segment that begins at `start` ends: behind the first block with which it is full. */
function segmentEnd({ chunks, length }: PostingColumns, start: number): number {
  let end = Math.min(length, start + SEGMENT_POSTINGS);
  const block = chunks[end - 1]! >> BLOCK_BITS;
  while (end < length && chunks[end]! >> BLOCK_BITS === block) end++;
  return end;
}

function blocksOf(chunks: Int32Array, start: number, end: number): { block: number; count: number }[] {
  const blocks: { block: number; count: number }[] = [];
  for (let index = start; index < end; index++) {
    const block = chunks[index]! >> BLOCK_BITS;
    const last = blocks.at(-1);
    if (last?.block === block) last.count++;
    else blocks.push({ block, count: 1 });
  }
  return blocks;
}
