import { ShelfmarkError, type WordFilter } from '../../shards/index.ts';
import type { FilledSearchOptions } from './options.ts';
import type { QueryAnalyzer } from './query-analyzer.ts';

/** Terms that prefixes and exclusions may have together. */
const maxTerms = 1024;

/**
 * What `prefixes` and `not` mean for the index; null when there are none. One word is excluded wherever a query would find
 * it, several words where they stand next to each other in this order.
 * @throws ShelfmarkError SHELFMARK_USAGE when a prefix is not one word, an exclusion has none, or they are too many.
 */
export function planWordFilter(
  analyzer: QueryAnalyzer,
  { prefixes, not }: Pick<FilledSearchOptions, 'prefixes' | 'not'>,
): WordFilter | null {
  if (prefixes.length + not.length === 0) return null;
  const beginnings = prefixes.map((prefix) => {
    const [token, ...others] = analyzer.tokens(prefix);
    if (token === undefined || others.length > 0) throw unusable('prefixes', prefix, 'one word');
    return { texts: analyzer.beginnings(prefix), alternatives: token.alternatives };
  });
  const excluded = not.map((text) => {
    const tokens = analyzer.tokens(text);
    if (tokens.length === 0) throw unusable('not', text, 'a word or several');
    return { tokens, phrase: analyzer.phrase(text) };
  });
  const words = {
    beginnings,
    withoutTokens: excluded.flatMap(({ tokens }) => (tokens.length === 1 ? [tokens[0]!.alternatives] : [])),
    withoutPhrases: excluded.flatMap(({ tokens, phrase }) => (tokens.length === 1 ? [] : [phrase])),
  };
  const alternatives = [...beginnings.map((beginning) => beginning.alternatives), ...words.withoutTokens];
  const terms = alternatives.flat(2).length + words.withoutPhrases.flat(2).length;
  if (terms > maxTerms) {
    const message = `prefixes and not: ${terms} words together, the limit is ${maxTerms}.`;
    throw new ShelfmarkError('SHELFMARK_USAGE', message, { option: 'not' });
  }
  return words;
}

function unusable(option: string, text: string, expected: string): ShelfmarkError {
  const message = `${option}: expected ${expected}, got "${text.slice(0, 200)}".`;
  return new ShelfmarkError('SHELFMARK_USAGE', message, { option });
}
