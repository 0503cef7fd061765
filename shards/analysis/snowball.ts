import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Snowball's stemmers (https://snowballstem.org), compiled to JavaScript: one module a language. */
export const SNOWBALL = { name: '@orama/stemmers', version: '3.1.18' } as const;

const LETTERS = /^[\p{L}\p{M}]+$/u;
/** Shorter words have no ending to lose. */
const MIN_STEMMED_UNITS = 3;
/** Words whose stem is remembered before all are forgotten: the same words come in many compounds and cases. */
const MAX_REMEMBERED_STEMS = 65_536;

/**
 * The stemmer of a language, by Snowball's name for it; loaded when it is asked for, so that a search reads no rules of
 * languages that its corpus does not have. It leaves words alone that are short, are not of letters and marks alone, or
 * of which nothing would be left.
 */
export function snowball(name: string): (word: string) => string {
  const { stemmer } = require(`@orama/stemmers/${name}`) as typeof import('@orama/stemmers/german');
  return (word) => (word.length < MIN_STEMMED_UNITS || !LETTERS.test(word) ? word : stemmer(word) || word);
}

/** The same function of a word, which remembers what it gave. */
export function remembering(stem: (word: string) => string): (word: string) => string {
  const stems = new Map<string, string>();
  return (word) => {
    const known = stems.get(word);
    if (known !== undefined) return known;
    const result = stem(word);
    if (stems.size >= MAX_REMEMBERED_STEMS) stems.clear();
    stems.set(word, result);
    return result;
  };
}
