import { type Literal, type Phrase, type QueryToken, type ShardQuery, ShelfmarkError } from '../../shards/index.ts';
import type { QueryAnalyzer } from './query-analyzer.ts';

/**
 * How query tokens combine. `strict`: every token in one chunk; if the corpus has no such chunk, any of five (see
 * {@link Fallback}).
 * `all`: every token. `any`: at least one. `scan`: the query as it is written, looked for in the text itself.
 */
export type MatchMode = 'strict' | 'any' | 'all' | 'scan';

/** Which five tokens `strict` falls back on: the longest, or those that are in the fewest chunks of the corpus. */
export type Fallback = 'longest' | 'rarest';

/** Which step of the policy found a hit; `vector` is none of words. */
export type RungName = 'all' | 'top5' | 'any' | 'phrase' | 'scan' | 'vector';

/** One step of a plan. */
export interface Rung {
  readonly name: RungName;
  readonly tokens: readonly QueryToken[];
  readonly query: ShardQuery;
  /** what is looked for in the text, without the index; null otherwise */
  readonly literal: Literal | null;
}

/** What a query means, decided once for the whole corpus. */
export interface QueryPlan {
  readonly text: string;
  readonly match: MatchMode;
  /** content tokens: what the query is about, without scaffolding, each once */
  readonly tokens: readonly QueryToken[];
  /** words of the phrases that must occur */
  readonly phraseTokens: readonly QueryToken[];
  /** tokens beyond the limit of 1,024 terms, which were left out */
  readonly droppedTokens: number;
  /** tried in order until one has a hit anywhere in the corpus; the last takes the rarest of its tokens when `rarest` says so */
  readonly rungs: readonly Rung[];
  /** how many tokens the last rung keeps once it is known how rare they are, see {@link settlePlan}; null: all */
  readonly rarest: number | null;
}

/** What decides on the steps of a plan, beside the query. */
export interface PlanOptions {
  readonly match: MatchMode;
  /** more words for the OR steps; they never make a step stricter */
  readonly also: readonly string[];
  readonly phrases: readonly string[];
  readonly fallback: Fallback;
}

/** Terms of a query that are used, a compound has several; tokens beyond are counted and left out. */
const maxQueryTerms = 1024;

/** Tokens in the fallback of `strict`. */
const fallbackTokens = 5;

/**
 * Plans a query. No character of it is an operator.
 *
 * - `strict`: every content token must occur in the chunk; if no chunk of the corpus has them all, the OR of the five
 *   longest, or rarest, of the content tokens, their synonyms and the `also` words together.
 * - `all`: the first step of `strict` alone.
 * - `any`: the OR of all content tokens, synonyms and `also` words.
 *
 * Phrases must occur in every hit, whatever the step; their words count for the score. A query of nothing but phrases has
 * one step, `phrase`.
 *
 * @param synonyms more tokens for the OR steps, as `also` words are.
 * @throws ShelfmarkError SHELFMARK_NO_WORDS when the query, or a phrase, has no letter or digit; SHELFMARK_USAGE when the
 * phrases have over 1,024 words.
 */
export function planQuery(
  analyzer: QueryAnalyzer,
  text: string,
  { match, also, phrases: phraseTexts, fallback }: PlanOptions,
  synonyms: readonly QueryToken[] = [],
): QueryPlan {
  const distinct = distinctTokens(analyzer.contentTokens(text));
  const tokens = firstTerms(distinct);
  const phrases = phraseTexts.map((phrase) => toPhrase(analyzer, phrase));
  const phraseWords = phrases.reduce((sum, [terms]) => sum + terms!.length, 0);
  if (phraseWords > maxQueryTerms) {
    const message = `phrases: ${phraseWords} words together, the limit is ${maxQueryTerms}.`;
    throw new ShelfmarkError('SHELFMARK_USAGE', message, { option: 'phrases' });
  }
  if (tokens.length === 0 && (phrases.length === 0 || text.trim() !== '')) throw noWords('query', text);
  const more = [...also.flatMap((words) => analyzer.tokens(words)), ...synonyms];
  const pool = more.length === 0 ? tokens : firstTerms(distinctTokens([...tokens, ...more]));
  const phraseTokens = distinctTokens(phraseTexts.flatMap((phrase) => analyzer.tokens(phrase)));
  const isFallback = match === 'strict' && tokens.length > 0;
  const isRarest = isFallback && fallback === 'rarest' && pool.length > fallbackTokens;
  const last = isFallback && !isRarest ? longest(pool, fallbackTokens) : pool;
  const rungs =
    tokens.length === 0 ? [toRung('phrase', 'or', phraseTokens, phrases)] : rungsOf(match, tokens, last, phrases);
  const droppedTokens = distinct.length - tokens.length;
  return { text, match, tokens, phraseTokens, droppedTokens, rungs, rarest: isRarest ? fallbackTokens : null };
}

/**
 * The plan with the rarest tokens chosen, if it left that open. A token that the corpus has not is no use to anybody, so it
 * is chosen last; of equally rare ones the earlier is.
 * @param countOf chunks of the corpus that have a term
 */
export function settlePlan(plan: QueryPlan, countOf: (term: string) => number): QueryPlan {
  const last = plan.rungs.at(-1);
  if (plan.rarest === null || last === undefined) return plan;
  const rarity = new Map(last.tokens.map((token) => [token, chunksWith(token, countOf) || Number.POSITIVE_INFINITY]));
  const ordered = [...last.tokens].sort((a, b) =>
    rarity.get(a) === rarity.get(b) ? 0 : rarity.get(a)! - rarity.get(b)!,
  );
  const chosen = new Set(ordered.slice(0, plan.rarest));
  const tokens = last.tokens.filter((token) => chosen.has(token));
  const settled = toRung(last.name, last.query.mode, tokens, last.query.phrases);
  return { ...plan, rungs: [...plan.rungs.slice(0, -1), settled], rarest: null };
}

/** Chunks that have a token, at most: an alternative is in no more than the rarest of its terms. */
function chunksWith({ alternatives }: QueryToken, countOf: (term: string) => number): number {
  const counts = alternatives.map((terms) => Math.min(...terms.map(countOf)));
  return counts.reduce((sum, count) => sum + count, 0);
}

function toPhrase(analyzer: QueryAnalyzer, text: string): Phrase {
  const phrase = analyzer.phrase(text);
  if (phrase.length === 0) throw noWords('phrase', text);
  return phrase;
}

/**
 * Plans a scan for a query as it is written.
 * @throws ShelfmarkError SHELFMARK_NO_WORDS when it is empty.
 */
export function planScan(text: string, ignoreCase: boolean): QueryPlan {
  if (text === '') throw new ShelfmarkError('SHELFMARK_NO_WORDS', 'There is nothing to scan for: the query is empty.');
  const tokens = [{ text, start: 0, end: text.length, alternatives: [] }];
  const query: ShardQuery = { mode: 'or', tokens: [], phrases: [] };
  // Stored text has no half of a surrogate pair, and one would be found in the middle of a pair.
  const literal = { text: text.toWellFormed(), ignoreCase };
  const rung: Rung = { name: 'scan', tokens, query, literal };
  return { text, match: 'scan', tokens, phraseTokens: [], droppedTokens: 0, rungs: [rung], rarest: null };
}

/** The step of a plan for shards that have only their text left. */
export function scanRung({ tokens, phraseTokens, rungs }: QueryPlan): Rung {
  return { ...rungs[0]!, name: 'scan', tokens: tokens.length > 0 ? tokens : phraseTokens };
}

function noWords(what: string, text: string): ShelfmarkError {
  const message = `The ${what} has no searchable words: it needs a letter or a digit.`;
  return new ShelfmarkError('SHELFMARK_NO_WORDS', message, { query: text.slice(0, 200) });
}

function rungsOf(
  match: MatchMode,
  tokens: readonly QueryToken[],
  last: readonly QueryToken[],
  phrases: ShardQuery['phrases'],
): Rung[] {
  if (match === 'any') return [toRung('any', 'or', last, phrases)];
  const all = toRung('all', 'and', tokens, phrases);
  return match === 'all' ? [all] : [all, toRung('top5', 'or', last, phrases)];
}

function toRung(
  name: RungName,
  mode: ShardQuery['mode'],
  tokens: readonly QueryToken[],
  phrases: ShardQuery['phrases'],
): Rung {
  const query = { mode, tokens: tokens.map(({ alternatives }) => alternatives), phrases };
  return { name, tokens, query, literal: null };
}

/** The first tokens that have at most {@link maxQueryTerms} terms together, at least one token. */
function firstTerms(tokens: readonly QueryToken[]): QueryToken[] {
  let terms = 0;
  const end = tokens.findIndex(({ alternatives }, index) => {
    for (const all of alternatives) terms += all.length;
    return index > 0 && terms > maxQueryTerms;
  });
  return tokens.slice(0, end === -1 ? tokens.length : end);
}

/** The longest tokens in characters; of equal ones the earlier. Their order in the query is kept. */
function longest(tokens: readonly QueryToken[], count: number): QueryToken[] {
  const chosen = new Set([...tokens].sort((a, b) => [...b.text].length - [...a.text].length).slice(0, count));
  return tokens.filter((token) => chosen.has(token));
}

function distinctTokens(tokens: readonly QueryToken[]): QueryToken[] {
  const seen = new Set<string>();
  return tokens.filter((token) => {
    const key = keyOf(token);
    return !seen.has(key) && seen.add(key);
  });
}

/** The same for tokens that mean the same. No term has a space or a bar. */
function keyOf({ alternatives }: QueryToken): string {
  const [first] = alternatives;
  if (alternatives.length === 1 && first!.length === 1) return first![0]!;
  return alternatives.map((terms) => terms.join(' ')).join('|');
}
