import { createRequire } from 'node:module';

// An import would read and parse the package twice, to find out the names that it exports.
const { stem: porter2 } = createRequire(import.meta.url)('porter2') as typeof import('porter2');

/** Snowball's "english" (Porter2, https://snowballstem.org/algorithms/english/stemmer.html). */
export const STEMMER = { name: 'porter2', version: '1.1.0' } as const;

const ALPHABETIC = /^[a-z]+$/;
/** Words whose stem is remembered before all are forgotten: the same words come in many compounds and cases. */
const MAX_REMEMBERED_STEMS = 65_536;

const stems = new Map<string, string>();

/** The English stem of a word of the letters a-z, worked out without looking whether it is known. */
export function stemAnew(letters: string): string {
  return porter2(letters);
}

/** The English stem of a folded word; anything but plain a-z (digits, letters of other scripts) is returned as it is. */
export function stem(word: string): string {
  if (!ALPHABETIC.test(word)) return word;
  const known = stems.get(word);
  if (known !== undefined) return known;
  const result = porter2(word);
  if (stems.size >= MAX_REMEMBERED_STEMS) stems.clear();
  stems.set(word, result);
  return result;
}
