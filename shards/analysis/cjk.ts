import { cutToBytes } from './cut.ts';
import { compatible } from './fold.ts';
import { MAX_WORD_BYTES } from './parameters.ts';

/** Receives a term, the span of the run it came from in UTF-16 units, and whether it is an extra. */
export type CjkVisitor = (term: string, start: number, end: number, extra: boolean) => void;

const JOINS_PREVIOUS = /^[\p{M}\u1160-\u11ff\ud7b0-\ud7fb]/u;
const CHARACTERS = /.\p{M}*/gsu;
// Two characters make a term, so that one may have half its bytes.
const MAX_CHARACTER_BYTES = MAX_WORD_BYTES / 2;
/** A base with more marks than this is no writing; the bound keeps normalisation from reordering megabytes of them. */
const MAX_CLUSTER_UNITS = 64;

/**
 * Visits the terms of a CJK run in order of start: overlapping pairs of characters as main terms and every single one as an
 * extra. A run of one character has that as its only, main, term. Linear, and keeps nothing: a run may be the whole field.
 */
export function visitCjkTerms(run: string, visit: CjkVisitor): void {
  let previous = '';
  let previousStart = 0;
  let previousEnd = 0;
  let count = 0;
  const take = (character: string, start: number, end: number) => {
    if (count++ > 0) {
      visit(previous, previousStart, previousEnd, true);
      visit(previous + character, previousStart, end, false);
    }
    previous = character;
    previousStart = start;
    previousEnd = end;
  };
  for (let start = 0; start < run.length; ) {
    if (isPlain(run.charCodeAt(start)) && (start + 1 === run.length || isPlain(run.charCodeAt(start + 1)))) {
      take(run[start]!, start, start + 1);
      start++;
      continue;
    }
    const end = clusterEnd(run, start);
    const cluster = run.slice(start, Math.min(end, start + MAX_CLUSTER_UNITS));
    for (const character of compatible(cluster).match(CHARACTERS) ?? []) {
      take(cutToBytes(character, MAX_CHARACTER_BYTES), start, end);
    }
    start = end;
  }
  if (count > 0) visit(previous, previousStart, previousEnd, count > 1);
}

/** Common characters that NFKC leaves as they are and that do not compose with what comes before them. */
function isPlain(unit: number): boolean {
  return (
    (unit >= 0x4e00 && unit <= 0x9fff) ||
    (unit >= 0x3041 && unit <= 0x3096) ||
    (unit >= 0x30a1 && unit <= 0x30fc && unit !== 0x30fb) ||
    (unit >= 0xac00 && unit <= 0xd7a3)
  );
}

/** Where the characters end that NFKC may compose with the one at `start`: marks, voicing marks of any width, the later letters of a Hangul syllable. */
function clusterEnd(run: string, start: number): number {
  let end = start + widthAt(run, start);
  while (end < run.length) {
    const width = widthAt(run, end);
    const next = compatible(run.slice(end, end + width));
    if (next !== '' && !JOINS_PREVIOUS.test(next)) break;
    end += width;
  }
  return end;
}

function widthAt(run: string, offset: number): number {
  return run.codePointAt(offset)! > 0xffff ? 2 : 1;
}
