import { IGNORABLE_CLASS } from './code-points.ts';

const NON_ASCII = /[^\x00-\x7f]/;
const IGNORABLES = new RegExp(`[${IGNORABLE_CLASS}]`, 'gu');
// NFKC can write one letter as several characters with brackets, stops or spaces between (⑴ = "(1)", ﷺ); only the letters belong in a term.
// U+2044 is the fraction slash of ½ = "1⁄2".
const NOT_WORD = /[^\p{L}\p{M}\p{N}\u2044]/gu;
const MARKS_OF_FOLDED_SCRIPTS = /([\p{Script=Latin}\p{Script=Greek}])\p{M}+/gu;
const SPECIAL = /[æœøđłðþħŧßıς]/g;
const SPECIAL_FORMS: Readonly<Record<string, string>> = {
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ł: 'l',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ŧ: 't',
  ß: 'ss',
  ı: 'i',
  ς: 'σ',
};

/**
 * Folds a word (no joiners, no separators) to the form in which it is compared: NFKC, invisible characters gone, full
 * lower case, Latin and Greek without diacritics. Marks of other scripts stay, composed. Canonically equal words fold to
 * the same string. May return the empty string.
 */
export function fold(word: string): string {
  return NON_ASCII.test(word) ? foldDiacritics(compatible(word).toLowerCase()) : word.toLowerCase();
}

/** The part of {@link fold} before diacritics are taken off: what a stemmer that knows them reads. */
export function lowerCase(word: string): string {
  return NON_ASCII.test(word) ? compatible(word).toLowerCase().normalize('NFC') : word.toLowerCase();
}

/** The rest of {@link fold}, of a word in lower case: Latin and Greek lose their diacritics, special letters become plain ones. */
export function foldDiacritics(lower: string): string {
  if (!NON_ASCII.test(lower)) return lower;
  return lower
    .normalize('NFD')
    .replace(MARKS_OF_FOLDED_SCRIPTS, '$1')
    .replace(SPECIAL, (letter) => SPECIAL_FORMS[letter]!)
    .normalize('NFC');
}

/** NFKC without invisible characters and without anything that is not part of a word; letter case as written. */
export function compatible(word: string): string {
  return word.replace(IGNORABLES, '').normalize('NFKC').replace(NOT_WORD, '');
}
