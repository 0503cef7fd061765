import { unitsOf } from './units-of.ts';

/** White space. */
export const SPACE = 0;
/** Part of a word that is cut from its neighbours only by white space. */
export const WORD = 1;
/** A character of a script written without spaces (Chinese, Japanese, Thai …), or of its punctuation: half a word. */
export const SPACELESS = 2;
/** Continues the grapheme cluster before it, whatever that is; so does the second half of a surrogate pair. */
export const EXTEND = 3;
/** First half of a surrogate pair: ask {@link astralClass}. */
export const HIGH_SURROGATE = 4;

export type CharacterClass = typeof SPACE | typeof WORD | typeof SPACELESS | typeof EXTEND | typeof HIGH_SURROGATE;

// Grapheme_Cluster_Break = Extend, ZWJ or SpacingMark (Unicode Annex 29), and a few more marks: fewer cuts do no harm.
const EXTENDING = /\p{M}|\p{Grapheme_Extend}|\p{Emoji_Modifier}|[\u200D\u0E33\u0EB3]/u;

// Unicode blocks. Full-width Latin is written with spaces; full-width punctuation is not.
const SPACELESS_RANGES: readonly (readonly [first: number, last: number])[] = [
  [0x0e00, 0x0eff], // Thai, Lao
  [0x1000, 0x109f], // Myanmar
  [0x1780, 0x17ff], // Khmer
  [0x1950, 0x19ff], // Tai Le, New Tai Lue, Khmer symbols
  [0x1a20, 0x1aaf], // Tai Tham
  [0x2e80, 0x312f], // CJK radicals and punctuation, Hiragana, Katakana, Bopomofo
  [0x3190, 0x4dbf], // Kanbun to CJK extension A
  [0x4e00, 0xa4cf], // CJK, Yi
  [0xa9e0, 0xa9ff], // Myanmar extended B
  [0xaa60, 0xaa7f], // Myanmar extended A
  [0xf900, 0xfaff], // CJK compatibility
  [0xfe30, 0xfe4f], // CJK compatibility forms
  [0xff01, 0xff0f],
  [0xff1a, 0xff20],
  [0xff3b, 0xff40],
  [0xff5b, 0xff9f], // full-width brackets, half-width Katakana
  [0x16fe0, 0x18d7f], // Tangut, Khitan
  [0x1aff0, 0x1b2ff], // Kana extensions, Nushu
  [0x20000, 0x3ffff], // CJK extensions
];

/** The class of each UTF-16 unit, looked up once per character of an archive. */
export const CHARACTER_CLASS: Readonly<Uint8Array> = makeClasses();

function makeClasses(): Uint8Array {
  const classes = new Uint8Array(0x10000).fill(WORD);
  for (const [first, last] of SPACELESS_RANGES) if (last < 0x10000) classes.fill(SPACELESS, first, last + 1);
  const isSpace = unitsOf(/\s/);
  const isExtending = unitsOf(EXTENDING);
  for (let unit = 0; unit < 0x10000; unit++) {
    if (isExtending[unit] === 1) classes[unit] = EXTEND;
    else if (isSpace[unit] === 1) classes[unit] = SPACE;
  }
  return classes.fill(HIGH_SURROGATE, 0xd800, 0xdc00).fill(EXTEND, 0xdc00, 0xe000);
}

/** The class of a code point above U+FFFF, given both its halves. */
export function astralClass(codePoint: number): CharacterClass {
  if (EXTENDING.test(String.fromCodePoint(codePoint))) return EXTEND;
  return SPACELESS_RANGES.some(([first, last]) => codePoint >= first && codePoint <= last) ? SPACELESS : WORD;
}
