import { foldDiacritics, lowerCase } from './fold.ts';

const DIGITS = /[\u0660-\u0669\u06f0-\u06f9]/g;
const MARKS_AND_TATWEEL = /[\u0640\u064b-\u065f\u0670]/g;
const VARIANTS = /[\u0622\u0623\u0625\u0671\u0649\u06cc\u0629\u06a9]/g;
const VARIANT_FORMS: Readonly<Record<string, string>> = {
  // alef with madda, hamza above, hamza below, wasla
  '\u0622': '\u0627',
  '\u0623': '\u0627',
  '\u0625': '\u0627',
  '\u0671': '\u0627',
  // alef maksura, Persian yeh
  '\u0649': '\u064a',
  '\u06cc': '\u064a',
  // teh marbuta
  '\u0629': '\u0647',
  // Persian kaf
  '\u06a9': '\u0643',
};

/** An Arabic word as its stemmer wants it: letters as they are written, no vowel signs and no tatweel, digits as ASCII. */
export function lowerCaseArabic(word: string): string {
  return lowerCase(word)
    .replace(MARKS_AND_TATWEEL, '')
    .replace(DIGITS, (digit) => String(digit.charCodeAt(0) & 0xf));
}

/** Makes one letter of those that are written for one another: alefs, yehs and kafs, heh and teh marbuta (as Lucene's ArabicNormalizer). */
export function unifyArabic(word: string): string {
  return foldDiacritics(word).replace(VARIANTS, (letter) => VARIANT_FORMS[letter]!);
}
