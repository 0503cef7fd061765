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
  readonly #scores: LengthScores;

  /** @param documents first chunk of every document, ascending */
  constructor(lengths: ChunkLengths, documents: Uint32Array, columnUnits: ColumnUnits) {
    this.#lengths = lengths;
    this.#documents = documents;
    this.#bestUnits = new Int32Array(lengths.lengths.length);
    this.#scores = new LengthScores(lengths, columnUnits);
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

  /** The lowest impacts of the best chunks of as many documents, per depth. */
  #thresholdsOf(postings: PostingColumns): Impact[][] {
    const best = this.#bestPerDocument(postings).sort((a, b) => b.score - a.score);
    const { lengths, classes } = this.#lengths;
    return THRESHOLD_DEPTHS.filter((depth) => best.length >= depth).map((depth) =>
      lowestImpacts(
        best.slice(0, depth).map(
          ({ index }): Impact => ({
            units: postings.units[index]!,
            length: lengths[classes[postings.chunks[index]!]!]!,
          }),
        ),
      ),
    );
  }

  /** The best posting of each document with the term, of those that can be among the deepest threshold's. */
  #bestPerDocument({ chunks, units, length }: PostingColumns): { index: number; score: number }[] {
    const best: { index: number; score: number }[] = [];
    let floor = 0;
    let next = 0;
    let document = -1;
    for (let index = 0; index < length; index++) {
      const chunk = chunks[index]!;
      const score = this.#scores.of(units[index]!, chunk);
      if (score < floor) continue;
      while (next < this.#documents.length && this.#documents[next]! <= chunk) next++;
      const known = best.at(-1);
      if (known !== undefined && document === next) {
        if (score > known.score) best[best.length - 1] = { index, score };
        continue;
      }
      document = next;
      best.push({ index, score });
      if (best.length >= keptPostings) {
        // The last one stays last, whatever its score: more chunks of its document may follow.
        const last = best.pop()!;
        best.sort((a, b) => b.score - a.score).length = deepest;
        floor = best.at(-1)!.score;
        best.push(last);
      }
    }
    return best;
  }
}

const deepest = THRESHOLD_DEPTHS.at(-1)!;
const keptPostings = 4 * deepest;

/** The impact of postings under default parameters and the shard's own average length. */
class LengthScores {
  readonly #classes: Uint16Array;
  readonly #norms: Float64Array;

  constructor({ classes, lengths }: ChunkLengths, columnUnits: ColumnUnits) {
    let total = 0;
    for (let chunk = 1; chunk < classes.length; chunk++) total += lengths[classes[chunk]!]!;
    const scoring = { ...DEFAULT_SCORING, columnUnits, chunks: classes.length - 1, tokens: total };
    this.#classes = classes;
    this.#norms = normsOf(lengths, scoring);
  }

  of(units: number, chunk: number): number {
    return units / (units + this.#norms[this.#classes[chunk]!]!);
  }
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
