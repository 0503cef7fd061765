import { BLOCK_BITS, BLOCK_CHUNKS, OVER, THRESHOLD_DEPTHS } from '../lists/list-format.ts';
import { QUANTUM, ROUND_UP, ROUNDER } from './bm25.ts';
import type { RankContext } from './context.ts';
import { NO_BLOCK, type TermCursor } from './term-cursor.ts';
import type { TopK } from './top-k.ts';

/** Blocks that are ranked together when postings are few. */
const WINDOW_BLOCKS = 16;
/** Postings a block that are few: then looking at bounds costs more than scoring all of them. */
const FEW_POSTINGS = 96;

/** Score so far per offset of the block or window at hand; all 0 between them. */
const scores = new Float64Array(WINDOW_BLOCKS * BLOCK_CHUNKS);
/** Offsets that have a score. */
const candidates = new Int32Array(WINDOW_BLOCKS * BLOCK_CHUNKS);

/** Postings that a list must have per candidate, for looking candidates up to be cheaper than reading the list. */
const lookUpFrom = 8;

/**
 * Ranked OR: block-max MaxScore (Turtle and Flood 1995; Chakrabarti, Chaudhuri and Ganti 2011) over offset lists. In each
 * block the terms are split by what they can add at most: those that together cannot reach the threshold only refine
 * chunks that have another term.
 */
export function rankAny(cursors: readonly TermCursor[], context: RankContext): void {
  try {
    // Only valid if the k documents that reach it may be hits.
    if (context.filter === null) context.top.raise(startingThreshold(cursors, context));
    const blocks = (context.norms.classes.length >> BLOCK_BITS) + 1;
    const postings = cursors.reduce((sum, { df }) => sum + df, 0);
    if (postings <= blocks * FEW_POSTINGS) rankWindows(cursors, blocks, context);
    else rankBlocks(cursors, context);
  } catch (error) {
    // A damaged segment, met in the middle of a block, must not leave scores behind for the next query.
    scores.fill(0);
    throw error;
  }
}

/** Scores every posting, many blocks at a time. */
function rankWindows(cursors: readonly TermCursor[], blocks: number, context: RankContext): void {
  const { top, work, filter } = context;
  for (let block = 0; block < blocks; block += WINDOW_BLOCKS) {
    const base = block << BLOCK_BITS;
    let count = 0;
    for (const cursor of cursors) {
      count = cursor.accumulate(block + WINDOW_BLOCKS, base, scores, candidates, count);
    }
    if (filter !== null) count = keepAllowed(count, base, filter.bitmap);
    work.candidates += count;
    top.refresh();
    offerAll(count, base, top);
    context.check();
  }
  work.blocks += blocks;
  for (const { df } of cursors) work.postings += df;
}

function rankBlocks(cursors: readonly TermCursor[], context: RankContext): void {
  const { top, work, filter } = context;
  const byBound = [...cursors].sort((a, b) => a.bound - b.bound);
  const sums = new Float64Array(byBound.length);
  for (let index = 0; index < byBound.length; index++) sums[index] = (sums[index - 1] ?? 0) + byBound[index]!.bound;
  const order = [...byBound];

  let essential = 0;
  let block = 0;
  for (;;) {
    top.refresh();
    // A chunk with none but the terms before `essential` cannot be a hit.
    while (essential < byBound.length && sums[essential]! < top.threshold) essential++;
    let next = NO_BLOCK;
    for (let index = essential; index < byBound.length; index++) {
      const candidate = byBound[index]!.nextBlock(block);
      if (candidate < next) next = candidate;
    }
    if (next === NO_BLOCK) return;
    block = next + 1;
    if (filter !== null && filter.blockCounts[next] === 0) continue;

    let total = 0;
    for (const cursor of byBound) total += cursor.boundIn(next);
    if (total < top.threshold) {
      work.blocksSkipped++;
      continue;
    }
    work.blocks++;
    rankBlock(next, order, context);
    context.check();
  }
}

function rankBlock(block: number, order: TermCursor[], context: RankContext): void {
  const { top, work, filter } = context;
  const { norms, classes } = context.norms;
  const base = block << BLOCK_BITS;
  sortByBlockBound(order);
  let refining = 0;
  let restBound = 0;
  while (refining < order.length && restBound + order[refining]!.blockBound < top.threshold) {
    restBound += order[refining++]!.blockBound;
  }

  let count = 0;
  // With one list that brings candidates, those that cannot reach the threshold need not become any.
  const least = refining === order.length - 1 ? top.threshold - restBound : 0;
  for (let index = order.length - 1; index >= refining; index--) {
    const cursor = order[index]!;
    if (cursor.blockBound === 0 || !cursor.open(block)) continue;
    work.postings += cursor.end - cursor.start;
    count = count === 0 ? startFrom(cursor, least, base, context) : addTo(cursor, count, base, context);
  }
  if (filter !== null) count = keepAllowed(count, base, filter.bitmap);

  for (let index = refining - 1; index >= 0 && count > 0; index--) {
    count = keepAbove(count, top.threshold - restBound);
    const cursor = order[index]!;
    restBound -= cursor.blockBound;
    if (count === 0 || cursor.blockBound === 0 || !cursor.open(block)) continue;
    const { start, end, offsets, units, weight } = cursor;
    if (count * lookUpFrom < end - start) {
      work.postings += count;
      for (let at = 0; at < count; at++) {
        const offset = candidates[at]!;
        const found = find(offsets, start, end, offset);
        if (found < 0) continue;
        let tf = units[found]!;
        if (tf === OVER) tf = cursor.unitsOver(found);
        scores[offset]! += weight * (tf / (tf + norms[classes[base + offset]!]!)) + ROUND_UP - ROUNDER;
      }
    } else {
      work.postings += end - start;
      for (let at = start; at < end; at++) {
        const offset = offsets[at]!;
        const before = scores[offset]!;
        if (before === 0) continue;
        let tf = units[at]!;
        if (tf === OVER) tf = cursor.unitsOver(at);
        scores[offset] = before + (weight * (tf / (tf + norms[classes[base + offset]!]!)) + ROUND_UP - ROUNDER);
      }
    }
  }

  work.candidates += count;
  offerAll(count, base, top);
}

/** Offers the candidates, and leaves no score behind. */
function offerAll(count: number, base: number, top: TopK): void {
  for (let at = 0; at < count; at++) {
    const offset = candidates[at]!;
    const score = scores[offset]!;
    scores[offset] = 0;
    if (score >= top.threshold) top.offer(base + offset, score);
  }
}

/** Makes the chunks of a list that get at least so much from it the candidates. @returns how many there are */
function startFrom(cursor: TermCursor, least: number, base: number, context: RankContext): number {
  const { norms, classes } = context.norms;
  const { start, end, offsets, units, weight } = cursor;
  let count = 0;
  for (let at = start; at < end; at++) {
    const offset = offsets[at]!;
    let tf = units[at]!;
    if (tf === OVER) tf = cursor.unitsOver(at);
    const score = weight * (tf / (tf + norms[classes[base + offset]!]!)) + ROUND_UP - ROUNDER;
    if (score < least) continue;
    scores[offset] = score;
    candidates[count++] = offset;
  }
  return count;
}

/** Adds the chunks of another list to the candidates. @returns how many there are now */
function addTo(cursor: TermCursor, before: number, base: number, context: RankContext): number {
  const { norms, classes } = context.norms;
  const { start, end, offsets, units, weight } = cursor;
  let count = before;
  for (let at = start; at < end; at++) {
    const offset = offsets[at]!;
    let tf = units[at]!;
    if (tf === OVER) tf = cursor.unitsOver(at);
    const score = scores[offset]!;
    if (score === 0) candidates[count++] = offset;
    scores[offset] = score + (weight * (tf / (tf + norms[classes[base + offset]!]!)) + ROUND_UP - ROUNDER);
  }
  return count;
}

/** Drops candidates that cannot reach a score; what is dropped has score 0 again. @returns how many are left */
function keepAbove(count: number, least: number): number {
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const offset = candidates[at]!;
    if (scores[offset]! >= least) candidates[kept++] = offset;
    else scores[offset] = 0;
  }
  return kept;
}

/** Drops candidates that the filter does not let through. @returns how many are left */
function keepAllowed(count: number, base: number, allowed: Uint8Array): number {
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const offset = candidates[at]!;
    if (allowed[base + offset] === 1) candidates[kept++] = offset;
    else scores[offset] = 0;
  }
  return kept;
}

/** Insertion sort: the order changes little from block to block. */
function sortByBlockBound(cursors: TermCursor[]): void {
  for (let index = 1; index < cursors.length; index++) {
    const cursor = cursors[index]!;
    let at = index;
    while (at > 0 && cursors[at - 1]!.blockBound > cursor.blockBound) {
      cursors[at] = cursors[at - 1]!;
      at--;
    }
    cursors[at] = cursor;
  }
}

/** Binary search in [start, end). @returns the index, or -1 */
function find(offsets: Uint16Array, start: number, end: number, offset: number): number {
  let low = start;
  let high = end;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (offsets[middle]! < offset) low = middle + 1;
    else high = middle;
  }
  return low < end && offsets[low] === offset ? low : -1;
}

/** A score that k documents of the shard reach through one term alone. */
function startingThreshold(cursors: readonly TermCursor[], { k, norms }: RankContext): number {
  const depth = THRESHOLD_DEPTHS.findIndex((known) => known >= k);
  if (depth < 0) return 0;
  let threshold = 0;
  for (const { thresholds, weight } of cursors) {
    const impacts = thresholds[depth];
    if (impacts === undefined) continue;
    let lowest = 1;
    for (const { units, length } of impacts) lowest = Math.min(lowest, units / (units + norms.normOf(length)));
    threshold = Math.max(threshold, weight * lowest + ROUND_UP - ROUNDER - QUANTUM);
  }
  return threshold;
}
