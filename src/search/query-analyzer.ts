import { type Analyzer, contentTokens, type Phrase, type QueryToken } from '../../shards/index.ts';

/**
 * Analyzes queries for all languages of a corpus at once. A document holds the terms of one analyzer, so that what is asked
 * for is what any of them makes of a word: a token is found in as many ways as its analyzers have for it.
 */
export class QueryAnalyzer {
  readonly #analyzers: readonly Analyzer[];

  /** @param analyzers at least one, each once. */
  constructor(analyzers: readonly Analyzer[]) {
    this.#analyzers = analyzers;
  }

  /** The words of a text, in order. */
  tokens(text: string): QueryToken[] {
    const [tokens, ...others] = this.#analyzers.map((analyzer) => analyzer.queryTokens(text));
    return others.length === 0 ? tokens! : joinTokens(text, [tokens!, ...others]);
  }

  /** The words of a text that name its subject. */
  contentTokens(text: string): QueryToken[] {
    const languages = this.#analyzers.map(({ language }) => language);
    return contentTokens(this.tokens(text), text, languages);
  }

  /** A text as a phrase; empty when it has no words. */
  phrase(text: string): Phrase {
    const sequences = this.#analyzers.map((analyzer) => analyzer.mainTerms(text));
    return distinct(sequences.filter((terms) => terms.length > 0));
  }

  /** What the terms of words begin with that begin as a word does. */
  beginnings(word: string): string[] {
    return distinct(this.#analyzers.map((analyzer) => analyzer.beginningOf(word)));
  }
}

/**
 * Joins what several analyzers make of one text: tokens that overlap become one. Where analyzers cut differently, as they do
 * in Thai, the token of one that has several there is the parts of them all.
 */
function joinTokens(text: string, lists: readonly (readonly QueryToken[])[]): QueryToken[] {
  const tokens = lists.flatMap((list, analyzer) => list.map((token) => ({ analyzer, token })));
  tokens.sort((a, b) => a.token.start - b.token.start);
  const joined: QueryToken[] = [];
  for (let first = 0; first < tokens.length; ) {
    const { start } = tokens[first]!.token;
    let end = start;
    let last = first;
    for (; last < tokens.length && (last === first || tokens[last]!.token.start < end); last++) {
      end = Math.max(end, tokens[last]!.token.end);
    }
    const group = tokens.slice(first, last);
    const alternatives = lists.flatMap((_, analyzer) =>
      waysOf(group.flatMap((entry) => (entry.analyzer === analyzer ? [entry.token] : []))),
    );
    joined.push({ text: text.slice(start, end).normalize('NFC'), start, end, alternatives: distinct(alternatives) });
    first = last;
  }
  return joined;
}

/** How one analyzer's tokens at a place can all be there. The last alternative of a token is its parts. */
function waysOf(tokens: readonly QueryToken[]): QueryToken['alternatives'] {
  if (tokens.length <= 1) return tokens.flatMap(({ alternatives }) => alternatives);
  return [tokens.flatMap(({ alternatives }) => alternatives.at(-1)!)];
}

function distinct<Item>(items: readonly Item[]): Item[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}
