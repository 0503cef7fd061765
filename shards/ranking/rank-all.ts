import { BLOCK_BITS, BLOCK_CHUNKS, OVER } from '../lists/list-format.ts';
import { ROUND_UP, ROUNDER } from './bm25.ts';
import type { RankContext } from './context.ts';
import { NO_BLOCK, type TermCursor } from './term-cursor.ts';

/** Ways in which a token can occur: all terms of any one alternative. */
export type Choice = readonly (readonly TermCursor[])[];

/** Score so far per offset of the block at hand, of chunks that have all terms so far; all 0 between blocks. */
const scores = new Float64Array(BLOCK_CHUNKS);
const candidates = new Int32Array(BLOCK_CHUNKS);
const partial = new Float64Array(BLOCK_CHUNKS);
/** What `intersect` makes while the old candidates have still to be cleared. */
const common = new Int32Array(BLOCK_CHUNKS);
/** Offsets that have any alternative of a token; all 0 between blocks. */
const marks = new Uint8Array(BLOCK_CHUNKS);

/** Postings that a list must have per candidate, for galloping to be cheaper than reading the list. */
const gallopFrom = 16;

/**
 * Ranked AND. Terms that every hit must have are intersected block by block, the shortest list first, with what the terms
 * can add at most as a bound; then come tokens with alternatives, and terms that only add to the score.
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
    const next = lists.length > 0 ? lists[0]!.nextBlock(block) : nextBlockOf(choices[0]!, block);
    if (next === NO_BLOCK) return;
    block = next + 1;
    top.refresh();
    if (filter !== null && filter.blockCounts[next] === 0) continue;
    let bound = 0;
    let isPossible = true;
    for (const cursor of lists) {
      if (cursor.boundIn(next) === 0) isPossible = false;
      bound += cursor.blockBound;
    }
    for (const cursor of others) bound += cursor.boundIn(next);
    if (!isPossible || bound < top.threshold) {
      work.blocksSkipped++;
      continue;
    }
    work.blocks++;
    rankBlock(next, bound, lists, choices, others, context);
    context.check();
  }
}

function rankBlock(
  block: number,
  bound: number,
  lists: readonly TermCursor[],
  choices: readonly Choice[],
  others: readonly TermCursor[],
  context: RankContext,
): void {
  const { top, work, filter } = context;
  const base = block << BLOCK_BITS;
  for (const cursor of lists) if (!cursor.open(block)) return;
  for (const cursor of others) cursor.open(block);

  let count: number;
  if (lists.length === 0) {
    count = startFromChoice(choices[0]!);
  } else {
    const ordered = shortestFirst(lists);
    const rest = bound - ordered[0]!.blockBound;
    count = startFrom(ordered[0]!, top.threshold - rest, base, context);
    for (let index = 1; index < ordered.length && count > 0; index++) {
      const cursor = ordered[index]!;
      work.postings += Math.min(cursor.end - cursor.start, count * gallopFrom);
      count =
        count * gallopFrom < cursor.end - cursor.start
          ? gallop(cursor, count, base, context)
          : intersect(cursor, count, base, context);
    }
  }
  if (count === 0) return;

  work.candidates += count;
  const { norms, classes } = context.norms;
  // A term can be required by one token and stand in the alternatives of another.
  if (choices.length > 0) for (const cursor of lists) cursor.position = cursor.start;
  for (let at = 0; at < count; at++) {
    const offset = candidates[at]!;
    const chunk = base + offset;
    let score = partial[at]!;
    if (filter !== null && filter.bitmap[chunk] !== 1) continue;
    if (others.length > 0) {
      const norm = norms[classes[chunk]!]!;
      for (const cursor of others) score += cursor.scoreAt(offset, norm);
      if (!choices.every((choice) => choice.some((terms) => terms.every((cursor) => cursor.has(offset))))) continue;
    }
    if (score >= top.threshold) top.offer(chunk, score);
  }
}

/** Lists by their postings in the opened block. */
function shortestFirst(lists: readonly TermCursor[]): readonly TermCursor[] {
  const isSorted = lists.every((list, at) => at === 0 || sizeOf(lists[at - 1]!) <= sizeOf(list));
  return isSorted ? lists : [...lists].sort((a, b) => sizeOf(a) - sizeOf(b));
}

function sizeOf({ start, end }: TermCursor): number {
  return end - start;
}

/** Makes the chunks of a list that can reach a score with `least` from it the candidates. @returns how many there are */
function startFrom(cursor: TermCursor, least: number, base: number, { norms, work }: RankContext): number {
  const { start, end, offsets, units, weight } = cursor;
  const { norms: values, classes } = norms;
  work.postings += end - start;
  let count = 0;
  for (let at = start; at < end; at++) {
    const offset = offsets[at]!;
    let tf = units[at]!;
    if (tf === OVER) tf = cursor.unitsOver(at);
    const score = weight * (tf / (tf + values[classes[base + offset]!]!)) + ROUND_UP - ROUNDER;
    if (score < least) continue;
    candidates[count] = offset;
    partial[count++] = score;
  }
  return count;
}

/** Keeps the candidates that a much longer list has too, and adds to their scores. @returns how many are left */
function gallop(cursor: TermCursor, count: number, base: number, { norms }: RankContext): number {
  const { norms: values, classes } = norms;
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const offset = candidates[at]!;
    const more = cursor.scoreAt(offset, values[classes[base + offset]!]!);
    if (more === 0) continue;
    candidates[kept] = offset;
    partial[kept++] = partial[at]! + more;
  }
  return kept;
}

/** The same for a list of about the candidates' number: reads all of it. */
function intersect(cursor: TermCursor, count: number, base: number, { norms }: RankContext): number {
  const { start, end, offsets, units, weight } = cursor;
  const { norms: values, classes } = norms;
  for (let at = 0; at < count; at++) scores[candidates[at]!] = partial[at]!;
  let kept = 0;
  for (let at = start; at < end; at++) {
    const offset = offsets[at]!;
    const before = scores[offset]!;
    if (before === 0) continue;
    let tf = units[at]!;
    if (tf === OVER) tf = cursor.unitsOver(at);
    common[kept] = offset;
    partial[kept++] = before + (weight * (tf / (tf + values[classes[base + offset]!]!)) + ROUND_UP - ROUNDER);
  }
  for (let at = 0; at < count; at++) scores[candidates[at]!] = 0;
  candidates.set(common.subarray(0, kept));
  return kept;
}

/** Makes the chunks that have any alternative of a token the candidates, with score 0. @returns how many there are */
function startFromChoice(choice: Choice): number {
  for (const terms of choice) {
    const [first, ...rest] = [...terms].sort((a, b) => a.end - a.start - (b.end - b.start));
    for (let at = first!.start; at < first!.end; at++) {
      const offset = first!.offsets[at]!;
      if (rest.every((cursor) => cursor.has(offset))) marks[offset] = 1;
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
