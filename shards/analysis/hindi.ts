import { lowerCase } from './fold.ts';

const NUKTA = /\u093c/g;
const NASALS = /\u0928\u094d|\u0901/g;
const DIGITS = /[\u0966-\u096f]/g;

/** A Hindi word in the one form of its spellings: no nukta, a dead na and a candrabindu as anusvara (as Lucene's HindiNormalizer), digits as ASCII. */
export function normalizeHindi(word: string): string {
  return lowerCase(word)
    .replace(NUKTA, '')
    .replace(NASALS, '\u0902')
    .replaceAll('\u0931', '\u0930')
    .replace(DIGITS, (digit) => String(digit.charCodeAt(0) - 0x966));
}
