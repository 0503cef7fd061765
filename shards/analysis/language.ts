import { fold } from './fold.ts';

/**
 * What an analyzer does with the words of its language. Where tokens and compounds begin and end is the same in all
 * analyzers, but for scripts that write no spaces.
 *
 * A word goes `normalize` → `stem`, or `normalize` → `plain` where it must not be stemmed. Canonically equal words give
 * equal terms; a term is empty only when the word has no letter or digit.
 */
export interface Language {
  /** What a user calls it: an ISO 639-1 code, `cjk` or `simple`. */
  readonly id: LanguageId;
  /** The analyzer's id: the language and the version of its rules. A change to any rule that changes a term needs a new one. */
  readonly analyzer: string;
  /** What `stem` calls; null when words are not stemmed. */
  readonly stemmer: { readonly name: string; readonly version: string } | null;
  /** A word (no joiners, no separators) in lower case, in the one form of several ways to write it. */
  readonly normalize: (word: string) => string;
  /** The term of a normalised word. */
  readonly stem: (normalized: string) => string;
  /** A normalised word without diacritics, not stemmed. */
  readonly plain: (normalized: string) => string;
  /** Normalised words that are left out where they stand before an apostrophe: the article of `l'été`. */
  readonly elided: ReadonlySet<string>;
  /** Whether a stretch behind an apostrophe is left out: the `s` of `dog's`. */
  readonly isSuffix: (word: string) => boolean;
  /** Whether Thai, Lao, Khmer and Burmese are indexed as pairs of characters, as CJK is, and not as words between spaces. */
  readonly pairsUnspaced: boolean;
  /**
   * The term of a word of the letters a-z, worked out without looking whether it is known. Null where ASCII tokens need
   * more than lower case and stems.
   */
  readonly stemAscii: ((letters: string) => string) | null;
}

/** Languages there are analyzers for. */
export const LANGUAGES = [
  ...['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'sv', 'no', 'da', 'fi', 'ru', 'tr', 'ar', 'hi', 'el'],
  ...['cjk', 'th', 'simple'],
] as const satisfies readonly string[];
export type LanguageId = (typeof LANGUAGES)[number];

/** The possessive of English, which names and loan words have in other languages too. */
export function isPossessive(word: string): boolean {
  return word.length <= 2 && fold(word) === 's';
}
