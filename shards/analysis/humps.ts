import { IGNORABLE_CLASS } from './code-points.ts';

const TRANSPARENT_PATTERN = new RegExp(`[\\p{M}${IGNORABLE_CLASS}]`, 'u');
const UPPER_PATTERN = /[\p{Lu}\p{Lt}]/u;
const LOWER_PATTERN = /\p{Ll}/u;

const TRANSPARENT = 0;
const UPPER = 1;
const LOWER = 2;
const CASELESS = 3;

const SMALL_S = 0x73;
const NONE = -1;

/**
 * Where the humps of a camelCase word begin, as UTF-16 offsets, the first one (0) included: `get|Element|By|Id`,
 * `XML|Http|Request`. Letters and digits do not part (`Win32`), nor does the plural of an acronym (`URLs`). Marks and
 * invisible characters do not count, so that composed and decomposed words have the same humps.
 */
export function humpStarts(word: string): number[] {
  const starts = [0];
  let last = CASELESS;
  let lastOffset = 0;
  let beforeLast = CASELESS;
  // An acronym's last letter that begins a hump unless the `s` behind it ends the word.
  let pending = NONE;
  for (let offset = 0; offset < word.length; ) {
    const codePoint = word.codePointAt(offset)!;
    const kind = caseOf(codePoint);
    if (kind !== TRANSPARENT) {
      if (pending !== NONE) starts.push(pending);
      pending = NONE;
      if (kind === UPPER && last === LOWER) starts.push(offset);
      if (kind === LOWER && last === UPPER && beforeLast === UPPER) {
        if (codePoint === SMALL_S) pending = lastOffset;
        else starts.push(lastOffset);
      }
      beforeLast = last;
      last = kind;
      lastOffset = offset;
    }
    offset += codePoint > 0xffff ? 2 : 1;
  }
  return starts;
}

function caseOf(codePoint: number): number {
  if (codePoint < 0x80) {
    if (codePoint >= 0x61 && codePoint <= 0x7a) return LOWER;
    return codePoint >= 0x41 && codePoint <= 0x5a ? UPPER : CASELESS;
  }
  const character = String.fromCodePoint(codePoint);
  if (LOWER_PATTERN.test(character)) return LOWER;
  if (UPPER_PATTERN.test(character)) return UPPER;
  return TRANSPARENT_PATTERN.test(character) ? TRANSPARENT : CASELESS;
}
