import { DEFAULT_SCORING, ShelfmarkError } from '../../shards/index.ts';
import { normalizeTimestamp } from '../../workers/parse/timestamp.ts';
import type { Embedder } from '../embed/embedder.ts';
import { requireInteger } from '../require-integer.ts';
import type { RetrieverName } from '../retrieve/retriever.ts';
import type { Fallback, MatchMode } from './match-policy.ts';
import type { SynonymRule } from './synonyms.ts';

/** How to search. */
export interface SearchOptions {
  /** Hits wanted, 1 to 10,000. @default 10 */
  readonly limit?: number;
  /** How the words of the query combine. @default 'strict' */
  readonly match?: MatchMode;
  /** With `scan`: letters in upper and lower case are the same. @default false */
  readonly ignoreCase?: boolean;
  /** With `scan`: told how far it is, in the end, and if it runs in threads several times a second. @default nobody */
  readonly onProgress?: (progress: ScanProgress) => void;
  /**
   * Where a shard's index is damaged and hits are wanting, look for the words in its text: hits of the step `scan`, below all others.
   * @default true
   */
  readonly scanDamaged?: boolean;
  /** Which five words `strict` falls back on: the longest, or those in the fewest passages. @default 'longest' */
  readonly fallback?: Fallback;
  /** Where a step of `strict` has fewer hits than wanted, the next one's come below them. @default false */
  readonly fill?: boolean;
  /** How hits are found: by words, by vectors, or both lists joined. @default 'lexical' */
  readonly retriever?: RetrieverName;
  /**
   * What embeds the query: an embedder, or what `openEmbedder` takes (an endpoint is asked for the model that the corpus was embedded
   * with). @default none, which will do for vectors by `hash`
   */
  readonly embedder?: Embedder | string;
  /** Which model's vectors; needed when the corpus has those of several. @default the embedder's, or the only one */
  readonly model?: string;
  /** More words for the OR steps, for example synonyms. @default [] */
  readonly also?: readonly string[];
  /** Rules that add words to the OR steps of queries that have theirs; see `readSynonyms`. @default [] */
  readonly synonyms?: readonly SynonymRule[];
  /** Phrases that every hit must have, word for word in title, headings or text. @default [] */
  readonly phrases?: readonly string[];
  /** Beginnings of words; every hit must have a word for each. They add nothing to the score. @default [] */
  readonly prefixes?: readonly string[];
  /** What no hit may have: a word, or several words next to each other. @default [] */
  readonly not?: readonly string[];
  /** BM25's k1, 0 to 3: how soon more occurrences of a word stop to count. @default 0.9 */
  readonly k1?: number;
  /** BM25's b, 0 to 1: how much the length of a passage counts. @default 0.4 */
  readonly b?: number;
  /** One hit per chunk, or the best chunk of each document. @default 'document' */
  readonly by?: 'document' | 'chunk';
  /** By document: also the best passages of each hit's document, up to so many; 0 to 100, 0 for none. @default 0 */
  readonly evidence?: number;
  /** Only documents of these kinds. @default all */
  readonly kinds?: readonly string[];
  /** Only documents of these collections. @default all */
  readonly collections?: readonly string[];
  /** Only documents whose uri begins with one of these. @default all */
  readonly pathPrefixes?: readonly string[];
  /** Only documents of these file types, with or without a dot: `md`, `.md`. @default all */
  readonly fileTypes?: readonly string[];
  /** Only documents modified then or later: RFC 3339, or a date, which is its first moment in UTC. @default all */
  readonly modifiedSince?: string;
  /** Only documents modified before. Documents that say no time meet neither this nor `modifiedSince`. @default all */
  readonly modifiedBefore?: string;
  /** Only documents with one of these labels. @default all */
  readonly labels?: readonly string[];
  /** Only documents on one of these topics: what the metadata's `topics`, `tags` or `keywords` say. @default all */
  readonly topics?: readonly string[];
  /** Only documents that mention one of these: file paths in the text, or what the metadata's `mentions` say. @default all */
  readonly mentions?: readonly string[];
  /**
   * Only documents whose metadata has one of the values of each key. Keys inside objects are joined by dots; a list has each of its members. Values
   * are compared as text: `2` is the number 2 and the text "2". @default all
   */
  readonly where?: Readonly<Record<string, MetadataValue | readonly MetadataValue[]>>;
  /** Also give the whole text of each hit's chunk. @default false */
  readonly text?: boolean;
  /** Length of snippets in UTF-16 units, 40 to 10,000. @default 240 */
  readonly snippetLength?: number;
  /** Add how the answer came about. @default false */
  readonly explain?: boolean;
  /** Milliseconds after which shards that have not answered are given up and counted as timed out. @default no limit */
  readonly timeoutMs?: number;
  /** Stops the search, also inside the threads. */
  readonly signal?: AbortSignal;
}

/** How far a scan is, in passages. */
export interface ScanProgress {
  readonly done: number;
  readonly total: number;
  readonly elapsedMs: number;
}

/** {@link SearchOptions} with nothing left open. */
export interface FilledSearchOptions {
  readonly limit: number;
  readonly match: MatchMode;
  readonly ignoreCase: boolean;
  readonly onProgress: ((progress: ScanProgress) => void) | undefined;
  readonly scanDamaged: boolean;
  readonly fallback: Fallback;
  readonly fill: boolean;
  readonly retriever: RetrieverName;
  readonly embedder: Embedder | string | null;
  readonly model: string | null;
  readonly also: readonly string[];
  readonly synonyms: readonly SynonymRule[];
  readonly phrases: readonly string[];
  readonly prefixes: readonly string[];
  readonly not: readonly string[];
  readonly k1: number;
  readonly b: number;
  readonly by: 'document' | 'chunk';
  readonly evidence: number;
  readonly kinds: readonly string[];
  readonly collections: readonly string[];
  readonly pathPrefixes: readonly string[];
  readonly fileTypes: readonly string[];
  /** ISO 8601 in UTC with milliseconds */
  readonly modifiedSince: string | null;
  readonly modifiedBefore: string | null;
  readonly labels: readonly string[];
  readonly topics: readonly string[];
  readonly mentions: readonly string[];
  readonly where: Readonly<Record<string, readonly string[]>>;
  readonly text: boolean;
  readonly snippetLength: number;
  readonly explain: boolean;
  readonly timeoutMs: number | null;
  readonly signal: AbortSignal | undefined;
}

/** A value of a document's metadata. */
export type MetadataValue = string | number | boolean;

/** Metadata keys that a search can filter by. */
const maxKeys = 100;

const lists = [
  'also',
  'phrases',
  'prefixes',
  'not',
  'kinds',
  'collections',
  'pathPrefixes',
  'fileTypes',
  'labels',
  'topics',
  'mentions',
] as const;

const matchModes: readonly MatchMode[] = ['strict', 'any', 'all', 'scan'];

/** Checks and fills options. @throws ShelfmarkError SHELFMARK_USAGE naming the option. */
export function fillSearchOptions(options: SearchOptions): FilledSearchOptions {
  const filled: FilledSearchOptions = {
    limit: options.limit ?? 10,
    match: options.match ?? 'strict',
    ignoreCase: options.ignoreCase ?? false,
    onProgress: options.onProgress,
    scanDamaged: options.scanDamaged ?? true,
    fallback: options.fallback ?? 'longest',
    fill: options.fill ?? false,
    retriever: options.retriever ?? 'lexical',
    embedder: options.embedder ?? null,
    model: options.model ?? null,
    also: options.also ?? [],
    synonyms: options.synonyms ?? [],
    phrases: options.phrases ?? [],
    prefixes: options.prefixes ?? [],
    not: options.not ?? [],
    k1: options.k1 ?? DEFAULT_SCORING.k1,
    b: options.b ?? DEFAULT_SCORING.b,
    by: options.by ?? 'document',
    evidence: options.evidence ?? 0,
    kinds: options.kinds ?? [],
    collections: options.collections ?? [],
    pathPrefixes: options.pathPrefixes ?? [],
    fileTypes: options.fileTypes ?? [],
    modifiedSince: readTime('modifiedSince', options.modifiedSince),
    modifiedBefore: readTime('modifiedBefore', options.modifiedBefore),
    labels: options.labels ?? [],
    topics: options.topics ?? [],
    mentions: options.mentions ?? [],
    where: textsOf(options.where ?? {}),
    text: options.text ?? false,
    snippetLength: options.snippetLength ?? 240,
    explain: options.explain ?? false,
    timeoutMs: options.timeoutMs ?? null,
    signal: options.signal,
  };
  requireInteger('limit', filled.limit, 1, 10_000);
  requireInteger('snippetLength', filled.snippetLength, 40, 10_000);
  if (filled.timeoutMs !== null) requireInteger('timeoutMs', filled.timeoutMs, 1, 86_400_000);
  for (const name of lists) requireTexts(name, filled[name]);
  requireNumber('k1', filled.k1, 0, 3);
  requireNumber('b', filled.b, 0, 1);
  requireOneOf('match', filled.match, matchModes);
  requireOneOf('retriever', filled.retriever, ['lexical', 'vector', 'hybrid']);
  requireOneOf('fallback', filled.fallback, ['longest', 'rarest']);
  requireRules(filled.synonyms);
  requireOneOf('by', filled.by, ['document', 'chunk']);
  requireInteger('evidence', filled.evidence, 0, 100);
  if (filled.match === 'scan' && filled.phrases.length + filled.evidence > 0) {
    const message = 'match: "scan" looks for the query as it is written, without phrases or evidence.';
    throw new ShelfmarkError('SHELFMARK_USAGE', message, { option: 'match' });
  }
  if (filled.evidence > 0 && filled.by === 'chunk') {
    const message =
      'evidence: passages are grouped by document only, and hits are wanted by chunk, as contexts always are.';
    throw new ShelfmarkError('SHELFMARK_USAGE', message, { option: 'evidence' });
  }
  requireWords(filled);
  return filled;
}

/** Scores of vectors are no sums over words, passages of a document are ranked by words, and a scan has no ranking to join. */
function requireWords({ retriever, explain, evidence, match }: FilledSearchOptions): void {
  const option = explain ? 'explain' : evidence > 1 ? 'evidence' : match === 'scan' ? 'match scan' : null;
  if (retriever === 'lexical' || option === null) return;
  const message = `${option}: possible only for hits by words (retriever lexical), not for ${retriever}.`;
  throw new ShelfmarkError('SHELFMARK_USAGE', message, { option });
}

function requireNumber(option: string, value: unknown, least: number, most: number): void {
  if (typeof value === 'number' && value >= least && value <= most) return;
  throw new ShelfmarkError('SHELFMARK_USAGE', `${option}: expected a number from ${least} to ${most}.`, { option });
}

function requireTexts(option: string, value: unknown): void {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return;
  throw new ShelfmarkError('SHELFMARK_USAGE', `${option}: expected a list of texts.`, { option });
}

/** A time as ISO 8601 in UTC, or null for none. @throws ShelfmarkError SHELFMARK_USAGE naming the option. */
export function readTime(option: string, value: unknown): string | null {
  if (value === undefined) return null;
  const time = typeof value === 'string' ? normalizeTimestamp(value) : null;
  if (time !== null) return time;
  const message = `${option}: expected a time such as 2026-11-30 or 2026-11-30T12:00:00Z, got "${String(value).slice(0, 200)}".`;
  throw new ShelfmarkError('SHELFMARK_USAGE', message, { option });
}

function textsOf(where: NonNullable<SearchOptions['where']>): FilledSearchOptions['where'] {
  const isValue = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);
  const entries = Object.entries(where).map(([key, value]) => [key, Array.isArray(value) ? value : [value]] as const);
  if (entries.length <= maxKeys && entries.every(([, values]) => values.length > 0 && values.every(isValue))) {
    return Object.fromEntries(
      entries.map(([key, values]) => [key.toWellFormed(), values.map((value) => String(value).toWellFormed())]),
    );
  }
  const message = `where: expected texts, numbers or truth values, or lists of them, for at most ${maxKeys} keys.`;
  throw new ShelfmarkError('SHELFMARK_USAGE', message, { option: 'where' });
}

function requireRules(rules: unknown): void {
  const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((item) => typeof item === 'string');
  if (Array.isArray(rules) && rules.every((rule: SynonymRule | null) => isTexts(rule?.words) && isTexts(rule?.add)))
    return;
  const message = 'synonyms: expected a list of rules with "words" and "add", each a list of texts.';
  throw new ShelfmarkError('SHELFMARK_USAGE', message, { option: 'synonyms' });
}

function requireOneOf(option: string, value: string, allowed: readonly string[]): void {
  if (allowed.includes(value)) return;
  throw new ShelfmarkError('SHELFMARK_USAGE', `${option}: expected one of ${allowed.join(', ')}, got "${value}".`, {
    option,
    got: value,
  });
}
