import type { Language } from './language.ts';
import type { QueryToken } from './query-token.ts';
import { scaffoldingOf } from './scaffolding.ts';

const ACRONYM = /^\p{Lu}{2,}$/u;
const CAPITALISED = /^\p{Lu}\p{L}/u;
const HAS_LOWER_CASE = /\p{Ll}/u;
const ONLY_SPACE = /^\s+$/u;
const APOSTROPHES = /[\u2018\u2019\u02bb\u02bc\uff07]/g;

/**
 * The tokens of a query that name its subject: all but the scaffolding of the question (scaffolding.ts). Kept although
 * they are on that list: acronyms (`IT`, `WHO`) in a query that is not all capitals; names of two or more capitalised
 * words (`The Who`); and everything when nothing else would be left.
 *
 * @param tokens of `queryText`, as `Analyzer.queryTokens` gives them
 * @param languages those that the query may be in, at least one
 */
export function contentTokens(
  tokens: readonly QueryToken[],
  queryText: string,
  languages: readonly Language[],
): QueryToken[] {
  const isScaffolding = scaffoldingIn(tokens, languages);
  if (HAS_LOWER_CASE.test(queryText)) {
    for (const [i, token] of tokens.entries()) {
      if (ACRONYM.test(token.text)) isScaffolding[i] = false;
    }
    for (const name of scaffoldingNames(tokens, isScaffolding, queryText)) {
      isScaffolding.fill(false, name.start, name.end);
    }
  }
  const content = tokens.filter((_, i) => !isScaffolding[i]);
  return content.length === 0 ? [...tokens] : content;
}

/**
 * Which tokens are scaffolding in the language that has most of them, the first of equals. A word that frames questions in
 * one language can be a subject in another (`was`, `die`), so languages are not mixed.
 */
function scaffoldingIn(tokens: readonly QueryToken[], languages: readonly Language[]): boolean[] {
  const marks = languages.map((language) => {
    const scaffolding = scaffoldingOf(language);
    return tokens.map((token) => scaffolding.has(surfaceOf(token, language)));
  });
  const counts = marks.map((isScaffolding) => isScaffolding.filter(Boolean).length);
  return marks[counts.indexOf(Math.max(...counts))]!;
}

/** A token as scaffolding lists have it: plain, without an elided article before it. */
function surfaceOf(token: QueryToken, language: Language): string {
  const pieces = token.text.replace(APOSTROPHES, "'").split("'").map(language.normalize);
  while (pieces.length > 1 && language.elided.has(pieces[0]!)) pieces.shift();
  return pieces.map(language.plain).join("'");
}

/** Ranges of two or more adjacent, capitalised scaffolding words, where capitals mean something. */
function scaffoldingNames(
  tokens: readonly QueryToken[],
  isScaffolding: readonly boolean[],
  queryText: string,
): { start: number; end: number }[] {
  const names: { start: number; end: number }[] = [];
  for (let start = 0; start < tokens.length; ) {
    let end = start;
    while (
      end < tokens.length &&
      isScaffolding[end] &&
      CAPITALISED.test(tokens[end]!.text) &&
      (end === start || ONLY_SPACE.test(queryText.slice(tokens[end - 1]!.end, tokens[end]!.start)))
    ) {
      end++;
    }
    if (end - start >= 2 && capitalsMeanNames(tokens, isScaffolding, start, end)) names.push({ start, end });
    start = Math.max(end, start + 1);
  }
  return names;
}

/**
 * Whether capitals set `tokens[start, end)` off from the rest: not in a Query Written Like This, and at its beginning only
 * when a word of its subject is not capitalised (`The Who albums`, but not `What Is The Capital of France`).
 */
function capitalsMeanNames(
  tokens: readonly QueryToken[],
  isScaffolding: readonly boolean[],
  start: number,
  end: number,
): boolean {
  return tokens.some((token, i) => {
    const isOutside = i < start || i >= end;
    return isOutside && (start > 0 || !isScaffolding[i]) && /^\p{Ll}/u.test(token.text);
  });
}
