import { CHARACTER_CLASS, SPACE } from './character-class.ts';
import { unitsOf } from './units-of.ts';

/** How good a place to cut is: the higher the better. */
export type BorderRank = 0 | 1 | 2 | 3 | 4;

/** A blank line or a page break. */
export const PARAGRAPH: BorderRank = 4;
/** The end of a line or a sentence. */
export const SENTENCE: BorderRank = 3;
/** Behind a comma of a script written without spaces. */
export const CLAUSE: BorderRank = 2;
/** Between two words, or graphemes of a script without spaces. */
export const ATOM: BorderRank = 1;
/** Before punctuation that no line should start with. */
export const BEFORE_PUNCTUATION: BorderRank = 0;

const SENTENCE_END = /[.!?…][\p{Pe}\p{Pf}"']{0,2}$/u;
const WIDE_SENTENCE_END = /[。！？｡][\p{Pe}\p{Pf}]{0,2}$/u;
const WIDE_CLAUSE_END = /[、，；：､]$/;
const WIDE_PUNCTUATION = /^[、。，．；：！？｡､\p{Pe}\p{Pf}ー々]/u;
/** 1 for each UTF-16 unit that one of the patterns can match: most borders are not worth running them. */
const IS_PUNCTUATION = unitsOf(/[\p{P}ー々]/u);
/** Units before a border in which sentence ends are looked for. */
const LOOK_BACK = 3;

/** Ranks the border before the atom at `position`, looking back no further than `from`. */
export function rankBorder(text: string, from: number, position: number): BorderRank {
  // Two words with a space between them: most borders.
  if (
    position > from + 1 &&
    text.charCodeAt(position - 1) === 0x20 &&
    isPlain(text.charCodeAt(position - 2)) &&
    isPlain(text.charCodeAt(position))
  ) {
    return ATOM;
  }
  const contentEnd = skipSpaceBack(text, from, position);
  if (contentEnd < position) {
    const lineBreaks = countLineBreaks(text, contentEnd, position);
    if (lineBreaks > 1) return PARAGRAPH;
    if (lineBreaks === 1) return SENTENCE;
  }
  if (!IS_PUNCTUATION[text.charCodeAt(contentEnd - 1)] && !IS_PUNCTUATION[text.charCodeAt(position)]) return ATOM;
  const before = text.slice(Math.max(from, contentEnd - LOOK_BACK), contentEnd);
  if (WIDE_SENTENCE_END.test(before) || (contentEnd < position && SENTENCE_END.test(before))) return SENTENCE;
  if (WIDE_PUNCTUATION.test(text.charAt(position))) return BEFORE_PUNCTUATION;
  return WIDE_CLAUSE_END.test(before) ? CLAUSE : ATOM;
}

function isPlain(unit: number): boolean {
  return CHARACTER_CLASS[unit] !== SPACE && IS_PUNCTUATION[unit] === 0;
}

function skipSpaceBack(text: string, from: number, position: number): number {
  let end = position;
  while (end > from && CHARACTER_CLASS[text.charCodeAt(end - 1)] === SPACE) end--;
  return end;
}

/** Counts to two; a page break counts as two. */
function countLineBreaks(text: string, start: number, end: number): number {
  let count = 0;
  for (let i = start; i < end && count < 2; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 0x0c || unit === 0x2029) count += 2;
    else if (unit === 0x0a || unit === 0x2028 || (unit === 0x0d && text.charCodeAt(i + 1) !== 0x0a)) count++;
  }
  return count;
}
