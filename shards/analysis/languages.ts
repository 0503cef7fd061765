import { lowerCaseArabic, unifyArabic } from './arabic.ts';
import { fold, foldDiacritics, lowerCase } from './fold.ts';
import { normalizeHindi } from './hindi.ts';
import { isPossessive, LANGUAGES, type Language, type LanguageId } from './language.ts';
import { remembering, SNOWBALL, snowball } from './snowball.ts';
import { STEMMER, stem, stemAnew } from './stemmer.ts';

/** Articles and the like that lose their vowel before another, as Lucene's ElisionFilter has them. */
const FRENCH_ELIDED = words('c d j l m n qu s t jusqu lorsqu puisqu quoiqu');
const ITALIAN_ELIDED = words('agl all c coll d dagl dall degl dell gl l m negl nell pell s sugl sull t un v');

const DEFINITIONS: Readonly<Record<LanguageId, () => Language>> = {
  en: () => ({ ...unstemmed('en'), stemmer: STEMMER, stem, stemAscii: stemAnew }),
  de: () => stemmed('de', 'german'),
  fr: () => ({ ...stemmed('fr', 'french'), elided: FRENCH_ELIDED, stemAscii: null }),
  es: () => stemmed('es', 'spanish'),
  it: () => ({ ...stemmed('it', 'italian'), elided: ITALIAN_ELIDED, stemAscii: null }),
  pt: () => stemmed('pt', 'portuguese'),
  nl: () => stemmed('nl', 'dutch'),
  sv: () => stemmed('sv', 'swedish'),
  no: () => stemmed('no', 'norwegian'),
  da: () => stemmed('da', 'danish'),
  fi: () => stemmed('fi', 'finnish'),
  ru: () => stemmed('ru', 'russian', (word) => lowerCase(word).replaceAll('ё', 'е')),
  // Endings of Turkish names stand behind an apostrophe; dotted and dotless i are different letters, in ASCII too.
  tr: () => ({ ...stemmed('tr', 'turkish', lowerCaseTurkish), isSuffix: () => true, stemAscii: null }),
  ar: () => stemmed('ar', 'arabic', lowerCaseArabic, unifyArabic),
  hi: () => stemmed('hi', 'indian', normalizeHindi),
  el: () => stemmed('el', 'greek'),
  cjk: () => unstemmed('cjk'),
  th: () => ({ ...unstemmed('th'), pairsUnspaced: true }),
  simple: () => unstemmed('simple'),
};

/** Ids of all analyzers of this version. */
export const ANALYZER_IDS: readonly string[] = LANGUAGES.map(analyzerOf);

const made = new Map<LanguageId, Language>();

/** The id of the analyzer that this version has for a language. A change to any rule that changes a term needs a new version. */
export function analyzerOf(language: LanguageId): string {
  return `${language}-1`;
}

/** The language that an analyzer is for, by its id alone. */
export function languageIn(analyzer: string): string {
  return analyzer.slice(0, analyzer.lastIndexOf('-'));
}

/** The rules of the analyzer with this id; undefined when this version has none. */
export function languageOfAnalyzer(analyzer: string): Language | undefined {
  const id = LANGUAGES.find((language) => analyzerOf(language) === analyzer);
  return id === undefined ? undefined : languageOf(id);
}

/** The rules of a language, made and loaded when they are first asked for. */
export function languageOf(id: LanguageId): Language {
  const language = made.get(id) ?? DEFINITIONS[id]();
  made.set(id, language);
  return language;
}

/** Words are folded, and that is all. */
function unstemmed(id: LanguageId): Language {
  return {
    id,
    analyzer: analyzerOf(id),
    stemmer: null,
    normalize: fold,
    stem: (word) => word,
    plain: (word) => word,
    elided: new Set(),
    isSuffix: isPossessive,
    pairsUnspaced: false,
    stemAscii: (letters) => letters,
  };
}

/** Words are stemmed as they are written, since endings are known by their diacritics, and made plain afterwards. */
function stemmed(
  id: LanguageId,
  stemmer: string,
  normalize: Language['normalize'] = lowerCase,
  plain: Language['plain'] = foldDiacritics,
): Language {
  const stemAnew = snowball(stemmer);
  return {
    ...unstemmed(id),
    stemmer: SNOWBALL,
    normalize,
    stem: remembering((word) => plain(stemAnew(word))),
    plain,
    stemAscii: stemAnew,
  };
}

function lowerCaseTurkish(word: string): string {
  // i with a dot above in two characters is what remains of an İ that was written so.
  return lowerCase(word.normalize('NFC').replaceAll('İ', 'i').replaceAll('I', 'ı'));
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}
