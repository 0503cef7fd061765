/** Classes of code points. Everything that is none of the others separates. */
export const SEPARATOR = 0;
/** A letter or number of a script whose words are written apart. */
export const WORD = 1;
/** A combining mark: continues a word or a CJK run, and separates where there is none to continue. */
export const MARK = 2;
/** Han, Hiragana, Katakana, Hangul: indexed as pairs of characters. */
export const CJK = 3;
/** Joins two words into a compound when it stands alone between them; `joinerOf` says which it is. */
export const JOINER = 4;
/** Invisible: vanishes inside a word, separates nowhere. */
export const IGNORABLE = 5;
/** `#`, as in `C#`. */
export const HASH = 6;
/** A letter or number of a script that writes no spaces between words: a word in some analyzers, pairs in others. */
export const UNSPACED = 7;

const ASCII_JOINERS = "-_./\\@:'&+,";
const HYPHENS = '\u2010\u2011';
// U+02BB and U+2018 write the Hawaiian okina and sloppy apostrophes; U+02BC is the letter apostrophe.
const APOSTROPHES = '\u2018\u2019\u02bb\u02bc';
const FULL_WIDTH_OFFSET = 0xfee0;

/** Every joiner, in any of its Unicode forms, to its ASCII form. All are single UTF-16 units. */
const JOINERS = new Map<number, string>();
for (const joiner of ASCII_JOINERS) {
  JOINERS.set(joiner.charCodeAt(0), joiner);
  JOINERS.set(joiner.charCodeAt(0) + FULL_WIDTH_OFFSET, joiner);
}
for (const hyphen of HYPHENS) JOINERS.set(hyphen.charCodeAt(0), '-');
for (const apostrophe of APOSTROPHES) JOINERS.set(apostrophe.charCodeAt(0), "'");

/** The ASCII form of a joiner, undefined for any other UTF-16 unit. */
export function joinerOf(unit: number): string | undefined {
  return JOINERS.get(unit);
}

/** Whether a UTF-16 unit is `#` or its full-width form. */
export function isHash(unit: number): boolean {
  return unit === 0x23 || unit === 0x23 + FULL_WIDTH_OFFSET;
}

/** Invisible code points, as a character class for use inside `[…]`. The zero width space U+200B is left out: it marks a word border. */
export const IGNORABLE_CLASS =
  '\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200c-\\u200f\\u202a-\\u202e\\u2060-\\u206f' +
  '\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\u{e0000}-\\u{e0fff}';

const IGNORABLE_PATTERN = new RegExp(`[${IGNORABLE_CLASS}]`, 'u');
const MARK_PATTERN = /\p{M}/u;
const WORD_PATTERN = /[\p{L}\p{N}]/u;
const CJK_PATTERN = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]/u;
const UNSPACED_PATTERN = /[\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;
/** A digit framed by this is an emoji, not an accented digit. */
const KEYCAP = 0x20e3;

const PAGE_BITS = 8;
const PAGE_SIZE = 1 << PAGE_BITS;
const PAGES: (Uint8Array | undefined)[] = new Array<Uint8Array | undefined>((0x10ffff >> PAGE_BITS) + 1).fill(
  undefined,
);

/** The class of a code point. Classes are worked out a page of 256 code points at a time, when a page is first met. */
export function classOf(codePoint: number): number {
  const page = PAGES[codePoint >> PAGE_BITS] ?? makePage(codePoint >> PAGE_BITS);
  return page[codePoint & (PAGE_SIZE - 1)]!;
}

function makePage(number: number): Uint8Array {
  const page = new Uint8Array(PAGE_SIZE);
  for (let low = 0; low < PAGE_SIZE; low++) page[low] = classify((number << PAGE_BITS) | low);
  PAGES[number] = page;
  return page;
}

function classify(codePoint: number): number {
  if (codePoint === KEYCAP) return SEPARATOR;
  if (isHash(codePoint)) return HASH;
  if (joinerOf(codePoint) !== undefined) return JOINER;
  const character = String.fromCodePoint(codePoint);
  if (IGNORABLE_PATTERN.test(character)) return IGNORABLE;
  if (MARK_PATTERN.test(character)) return MARK;
  if (!WORD_PATTERN.test(character)) return SEPARATOR;
  if (CJK_PATTERN.test(character)) return CJK;
  return UNSPACED_PATTERN.test(character) ? UNSPACED : WORD;
}
