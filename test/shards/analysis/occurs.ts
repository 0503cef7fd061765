import { type Analyzer, createAnalyzer, type QueryToken } from '../../../shards/analysis/index.ts';

export interface VisitedTerm {
  readonly term: string;
  readonly start: number;
  readonly end: number;
}

/** The terms `encodeField` writes for `text`, in order. */
export function encode(text: string, analyzer: Analyzer = createAnalyzer('en-1')): string[] {
  return splitTerms(analyzer.encodeField(Buffer.from(text)));
}

export function splitTerms(encoded: Buffer): string[] {
  return encoded.length === 0 ? [] : encoded.toString().split(' ');
}

/** All that `visitTerms` visits. */
export function visit(text: string, wanted?: ReadonlySet<string>, analyzer = createAnalyzer('en-1')): VisitedTerm[] {
  const visited: VisitedTerm[] = [];
  analyzer.visitTerms(text, wanted, (term, start, end) => visited.push({ term, start, end }));
  return visited;
}

/** Whether the token can be found among these terms. */
export function matches(token: QueryToken, terms: ReadonlySet<string>): boolean {
  return token.alternatives.some((alternative) => alternative.every((term) => terms.has(term)));
}

/** Whether every token of the query occurs in the text; a query without tokens occurs nowhere. */
export function occurs(query: string, text: string): boolean {
  const analyzer = createAnalyzer('en-1');
  const terms = new Set(encode(text, analyzer));
  const tokens = analyzer.queryTokens(query);
  return tokens.length > 0 && tokens.every((token) => matches(token, terms));
}

/** The stretches of `text` a query highlights. */
export function highlights(query: string, text: string): string[] {
  const analyzer = createAnalyzer('en-1');
  const wanted = new Set(analyzer.queryTokens(query).flatMap((token) => token.alternatives.flat()));
  return visit(text, wanted, analyzer).map(({ start, end }) => text.slice(start, end));
}
