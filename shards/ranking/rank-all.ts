import { BLOCK_BITS, BLOCK_CHUNKS } from '../lists/list-format.ts';
import type { RankContext } from './context.ts';
import { NO_BLOCK, type TermCursor } from './term-cursor.ts';

/** Ways in which a token can occur: all terms of any one alternative. */
export type Choice = readonly (readonly TermCursor[])[];

/** Per offset of the block at hand the place of a posting in a list's block, from 1; all 0 between blocks. */
const slots = new Uint16Array(BLOCK_CHUNKS);
/** Offsets of the chunks that have all terms so far, and their scores. */
const candidates = new Int32Array(BLOCK_CHUNKS);
const partial = new Float64Array(BLOCK_CHUNKS);
/** Offsets that have any alternative of a token; all 0 between blocks. */
const marks = new Uint8Array(BLOCK_CHUNKS);

/** Postings that a list must have per candidate, for galloping to be cheaper than reading the list. */
const gallopFrom = 16;

/**
 * Ranked AND. Of the blocks in which all terms occur that every hit must have, those are searched in which they can add up
 * to enough. There the lists are intersected, the shortest two first; most postings are in no other list, so only what is
 * common is scored. Then come tokens with alternatives, and terms that only add to the score.
 *
 * @param lists terms that must all occur
 * @param choices tokens with alternatives, none empty, no alternative empty; at least one when there are no lists
 * @param others all further terms of the query, those of the choices among them
 */
export function rankAll(
  lists: readonly TermCursor[],
  choices: readonly Choice[],
  others: readonly TermCursor[],
  context: RankContext,
): void {
  const { top, work, filter } = context;
  let block = 0;
  for (;;) {
    const next = lists.length > 0 ? commonBlock(lists, block) : nextBlockOf(choices[0]!, block);
    if (next === NO_BLOCK) return;
    block = next + 1;
    top.refresh();
    if (filter !== null && filter.blockCounts[next] === 0) continue;
    let bound = 0;
    for (const cursor of lists) bound += cursor.boundIn(next);
    for (const cursor of others) bound += cursor.boundIn(next);
    if (bound < top.threshold) {
      work.blocksSkipped++;
      continue;
    }
    work.blocks++;
    rankBlock(next, lists, choices, others, context);
    context.check();
  }
}

/** The first block from `from` on in which all lists may have postings. */
function commonBlock(lists: readonly TermCursor[], from: number): number {
  const first = lists[0]!;
  let block = first.nextBlock(from);
  for (let index = 1; index < lists.length && block !== NO_BLOCK; ) {
    const next = lists[index]!.nextBlock(block);
    if (next === block) {
      index++;
    } else {
      block = first.nextBlock(next);
      index = 1;
    }
  }
  return block;
}

function rankBlock(
  block: number,
  lists: readonly TermCursor[],
  choices: readonly Choice[],
  others: readonly TermCursor[],
  context: RankContext,
): void {
  const { top, work, filter } = context;
  const { norms, classes } = context.norms;
  const base = block << BLOCK_BITS;
  for (const cursor of lists) if (!cursor.open(block)) return;
  for (const cursor of others) cursor.open(block);

  let count: number;
  if (lists.length === 0) {
    count = startFromChoice(choices[0]!);
  } else if (lists.length === 1) {
    count = startFrom(lists[0]!, base, context);
  } else {
    const ordered = shortestFirst(lists);
    count = intersectTwo(ordered[0]!, ordered[1]!, base, context);
    for (let index = 2; index < ordered.length && count > 0; index++) {
      count = intersect(ordered[index]!, count, base, context);
    }
  }
  if (count === 0) return;

  work.candidates += count;
  // A term can be required by one token and stand in the alternatives of another.
  if (choices.length > 0) for (const cursor of lists) cursor.position = cursor.start;
  for (let at = 0; at < count; at++) {
    const offset = candidates[at]!;
    const chunk = base + offset;
    let score = partial[at]!;
    if (filter !== null && filter.bitmap[chunk] !== 1) continue;
    if (others.length > 0) {
      const norm = norms[classes[chunk]!]!;
      for (const cursor of others) {
        const found = cursor.find(offset);
        if (found >= 0) score += cursor.scoreOf(found, norm);
      }
      if (!choices.every((choice) => choice.some((terms) => terms.every((cursor) => cursor.find(offset) >= 0))))
        continue;
    }
    if (score >= top.threshold) top.offer(chunk, score);
  }
}

/** Lists by their postings in the opened block. */
function shortestFirst(lists: readonly TermCursor[]): readonly TermCursor[] {
  if (lists.length === 2) return sizeOf(lists[0]!) <= sizeOf(lists[1]!) ? lists : [lists[1]!, lists[0]!];
  return [...lists].sort((a, b) => sizeOf(a) - sizeOf(b));
}

function sizeOf({ start, end }: TermCursor): number {
  return end - start;
}

/** Makes the chunks of a list the candidates. @returns how many there are */
function startFrom(cursor: TermCursor, base: number, { norms, work }: RankContext): number {
  const { start, end, offsets } = cursor;
  work.postings += end - start;
  for (let at = start; at < end; at++) {
    const offset = offsets[at]!;
    candidates[at - start] = offset;
    partial[at - start] = cursor.scoreOf(at, norms.norms[norms.classes[base + offset]!]!);
  }
  return end - start;
}

/** Makes the chunks that two lists have the candidates. @param short not longer than `long` @returns how many there are */
function intersectTwo(short: TermCursor, long: TermCursor, base: number, { norms, work }: RankContext): number {
  const { norms: values, classes } = norms;
  const { start, end, offsets } = short;
  const size = end - start;
  let count = 0;
  if (size * gallopFrom < sizeOf(long)) {
    work.postings += size * gallopFrom;
    for (let at = start; at < end; at++) {
      const offset = offsets[at]!;
      const found = long.find(offset);
      if (found < 0) continue;
      const norm = values[classes[base + offset]!]!;
      candidates[count] = offset;
      partial[count++] = short.scoreOf(at, norm) + long.scoreOf(found, norm);
    }
    return count;
  }
  work.postings += size + sizeOf(long);
  for (let at = start; at < end; at++) slots[offsets[at]!] = at - start + 1;
  const { offsets: others, end: last } = long;
  for (let at = long.start; at < last; at++) {
    const offset = others[at]!;
    const slot = slots[offset]!;
    if (slot === 0) continue;
    const norm = values[classes[base + offset]!]!;
    candidates[count] = offset;
    partial[count++] = short.scoreOf(start + slot - 1, norm) + long.scoreOf(at, norm);
  }
  for (let at = start; at < end; at++) slots[offsets[at]!] = 0;
  return count;
}

/** Keeps the candidates that another list has too, and adds to their scores. @returns how many are left */
function intersect(cursor: TermCursor, count: number, base: number, { norms, work }: RankContext): number {
  const { norms: values, classes } = norms;
  work.postings += Math.min(sizeOf(cursor), count * gallopFrom);
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const offset = candidates[at]!;
    const found = cursor.find(offset);
    if (found < 0) continue;
    candidates[kept] = offset;
    partial[kept++] = partial[at]! + cursor.scoreOf(found, values[classes[base + offset]!]!);
  }
  return kept;
}

/** Makes the chunks that have any alternative of a token the candidates, with score 0. @returns how many there are */
function startFromChoice(choice: Choice): number {
  for (const terms of choice) {
    const [first, ...rest] = [...terms].sort((a, b) => a.end - a.start - (b.end - b.start));
    for (let at = first!.start; at < first!.end; at++) {
      const offset = first!.offsets[at]!;
      if (rest.every((cursor) => cursor.find(offset) >= 0)) marks[offset] = 1;
    }
    for (const cursor of rest) cursor.position = cursor.start;
  }
  let count = 0;
  for (let offset = 0; offset < BLOCK_CHUNKS; offset++) {
    if (marks[offset] === 0) continue;
    marks[offset] = 0;
    candidates[count] = offset;
    partial[count++] = 0;
  }
  return count;
}

/** The first block from `block` on in which any alternative may occur. */
function nextBlockOf(choice: Choice, block: number): number {
  let next = NO_BLOCK;
  for (const [first] of choice) next = Math.min(next, first!.nextBlock(block));
  return next;
}
