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
 */
export function contentTokens(tokens: readonly QueryToken[], queryText: string, language: Language): QueryToken[] {
  const scaffolding = scaffoldingOf(language);
  const isScaffolding = tokens.map((token) => scaffolding.has(surfaceOf(token, language)));
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
