import { AtomScanner, countHalfWords } from './atom-scanner.ts';
import { type BorderRank, rankBorder } from './border-rank.ts';

/** How far a piece may be from the even share, as a part of it, for the sake of a better border. */
const TOLERANCE = 1 / 3;

/**
 * Cuts text[start, end) into the fewest pieces of at most `maxHalfWords`, of about equal size, and gives where the second
 * and later pieces start.
 *
 * Each cut is made at the best border (see {@link rankBorder}) that leaves a piece within a third of the even share and
 * the rest no larger than its number of pieces can hold; of several, at the one nearest to the even share. Takes time linear in
 * the length: each word is scanned at most three times.
 */
export function cutBody(text: string, start: number, end: number, maxHalfWords: number): number[] {
  const cuts: number[] = [];
  // A character counts for two at most: what is this short need not be counted.
  if (2 * (end - start) <= maxHalfWords) return cuts;
  let from = start;
  let remaining = countHalfWords(text, start, end);
  while (remaining > maxHalfWords) {
    const { position, halfWords } = bestCut(text, from, end, remaining, maxHalfWords);
    cuts.push(position);
    from = position;
    remaining -= halfWords;
  }
  return cuts;
}

interface Cut {
  readonly position: number;
  /** Size of the piece before the cut. */
  readonly halfWords: number;
}

function bestCut(text: string, from: number, end: number, remaining: number, maxHalfWords: number): Cut {
  const pieces = Math.ceil(remaining / maxHalfWords);
  const share = remaining / pieces;
  const least = Math.max(remaining - (pieces - 1) * maxHalfWords, share * (1 - TOLERANCE));
  const most = Math.min(maxHalfWords, share * (1 + TOLERANCE));

  let position = from;
  let halfWords = 0;
  let bestRank: BorderRank | -1 = -1;
  const scanner = new AtomScanner(text, from, end);
  for (let passed = 0; scanner.next() && passed <= most; passed += scanner.halfWords) {
    // Before the range, every border is better than the last: atoms of two sizes can leave none in the range.
    const rank = passed < least ? -1 : rankBorder(text, from, scanner.position);
    const isNearer = Math.abs(passed - share) < Math.abs(halfWords - share);
    if (rank < bestRank || (rank === bestRank && !isNearer)) continue;
    position = scanner.position;
    halfWords = passed;
    bestRank = rank;
  }
  return { position, halfWords };
}
