import { CorruptError } from '../errors.ts';
import type { ChunkId, DocumentId } from '../format.ts';
import type { ShardFilter, ShardReader } from '../shard-reader.ts';
import { type Scoring, weightOf } from './bm25.ts';
import { type ChunkFilter, type RankContext, toFilter } from './context.ts';
import { hasAnyPhrase, hasPhrases, phraseExpression } from './phrase.ts';
import { type Choice, rankAll } from './rank-all.ts';
import { rankAny } from './rank-any.ts';
import type { SharedFloor } from './shared-floor.ts';
import { TermCursor } from './term-cursor.ts';
import { TopK } from './top-k.ts';
import { filterByWords, type WordFilter } from './word-filter.ts';
import type { WorkCounter } from './work.ts';

/** What a shard is asked for: tokens already analysed, and how they combine. */
export interface ShardQuery {
  /** `and`: every token must occur. `or`: any term of any alternative, so that parts of a word count for something. */
  readonly mode: 'and' | 'or';
  /** per token its alternatives: a token occurs where all terms of any one alternative occur */
  readonly tokens: readonly (readonly (readonly string[])[])[];
  /** sequences of terms that must all occur as such, in either mode */
  readonly phrases: readonly (readonly string[])[];
}

/** How many hits, of what, from where, and how they are scored. */
export interface RankOptions {
  /** hits wanted, 1 to 10,000 */
  readonly k: number;
  /** one hit per chunk, or only the best chunk of each document */
  readonly by: 'chunk' | 'document';
  readonly filter: ShardFilter;
  /** words that a hit must have or must not have without their counting for its score; null: none */
  readonly words: WordFilter | null;
  readonly scoring: Scoring;
  /** chunks that score less cannot be hits of the corpus any more */
  readonly floor: SharedFloor;
  readonly work: WorkCounter;
  /** called every few hundred microseconds of work; throws to stop */
  readonly check: () => void;
}

/** A hit as ranked inside one shard, before its text is fetched. */
export interface RankedChunk {
  readonly score: number;
  readonly chunk: ChunkId;
  readonly document: DocumentId;
  /** number of the chunk in its document, from 1 */
  readonly ordinal: number;
}

/** A query with what is the same for every shard. */
export interface PreparedQuery {
  /** the distinct terms that the corpus has */
  readonly terms: readonly string[];
  /** of each term, for its score; and the chunks of the corpus that have it */
  readonly weights: readonly number[];
  readonly frequencies: readonly number[];
  /** terms that must occur, as indexes in `terms` */
  readonly required: readonly number[];
  /** what must occur in one of several ways: of each choice any one alternative, of that all terms */
  readonly choices: readonly (readonly (readonly number[])[])[];
  /** terms that are not required: they add to the score, and where nothing is required at all they make a hit */
  readonly optional: readonly number[];
  /** false when no chunk of the corpus can have all that must occur */
  readonly isPossible: boolean;
  readonly phrases: ShardQuery['phrases'];
}

/** Every distinct term of a query; the score of a chunk is a sum over those it has. */
export function termsOf({ tokens, phrases }: Pick<ShardQuery, 'tokens' | 'phrases'>): string[] {
  return [...new Set([...tokens.flat(2), ...phrases.flat()])];
}

/**
 * Prepares a query. Phrases require their terms, where these stand is checked later; beside a phrase, mode `or` requires
 * any of its terms.
 * @param frequencies chunks of the corpus per term; a term that is not in it has none
 */
export function prepareQuery(
  query: ShardQuery,
  scoring: Scoring,
  frequencies: ReadonlyMap<string, number>,
): PreparedQuery {
  const { mode, tokens, phrases } = query;
  const terms = termsOf(query).filter((term) => (frequencies.get(term) ?? 0) > 0);
  const indexOf = new Map(terms.map((term, index) => [term, index]));
  const required: (readonly (readonly string[])[])[] = phrases.flat().map((term) => [[term]]);
  if (mode === 'and') required.push(...tokens);
  else if (phrases.length > 0 && tokens.length > 0) required.push([...new Set(tokens.flat(2))].map((term) => [term]));
  const clauses = required.map((alternatives) =>
    alternatives.flatMap((all) => {
      const indexes = all.map((term) => indexOf.get(term) ?? -1);
      return indexes.includes(-1) ? [] : [indexes];
    }),
  );
  const must = new Set(clauses.flatMap((alternatives) => (alternatives.length === 1 ? alternatives[0]! : [])));
  const counts = terms.map((term) => frequencies.get(term)!);
  return {
    terms,
    weights: counts.map((df) => weightOf(scoring, df)),
    frequencies: counts,
    required: [...must].sort((a, b) => counts[a]! - counts[b]!),
    choices: clauses.filter((alternatives) => alternatives.length > 1),
    optional: [...terms.keys()].filter((term) => !must.has(term)),
    isPossible: terms.length > 0 && clauses.every((alternatives) => alternatives.length > 0),
    phrases,
  };
}

/** Finds and scores: the k best hits of one shard, best first, ties by uri, collection and ordinal. */
export function rankShard(reader: ShardReader, query: PreparedQuery, options: RankOptions): RankedChunk[] {
  const { work, floor } = options;
  const startedAt = performance.now();
  const open = (): OpenTerms | null => openTerms(reader, query, options);
  const terms = query.isPossible ? open() : null;
  work.lookUpMs += performance.now() - startedAt;
  if (terms === null || boundOf(terms) < floor.value) {
    work.shardsSkipped++;
    return [];
  }
  work.shards++;
  const { words } = options;
  const allowed = reader.allowedChunks(options.filter);
  const filter = words === null ? allowed : filterByWords(reader, allowed, words, options);
  const without = words?.withoutPhrases ?? [];
  const hits =
    query.phrases.length + without.length === 0
      ? rankChunks(reader, terms, filter, options)
      : rankPhrases(reader, query.phrases, without, options, filter, (chunks) =>
          rankChunks(reader, open()!, chunks, options),
        );
  work.rankMs += performance.now() - startedAt;
  return hits;
}

/** The terms of a query that occur in a shard. */
interface OpenTerms {
  readonly required: readonly TermCursor[];
  readonly choices: readonly Choice[];
  readonly optional: readonly TermCursor[];
}

/** Null when something that must occur is not in the shard, or nothing at all is. */
function openTerms(
  { index, file }: ShardReader,
  query: PreparedQuery,
  { scoring, work, check }: RankOptions,
): OpenTerms | null {
  const norms = index.norms(scoring);
  const cursors: (TermCursor | null)[] = new Array(query.terms.length).fill(null);
  const open = (at: number): TermCursor | null => {
    const term = query.terms[at]!;
    const postings = index.postings(term, scoring.columnUnits, work);
    if (postings === null) return null;
    if (postings.df > query.frequencies[at]!) {
      const detail = `"${term}" is in ${postings.df} of its chunks, and in ${query.frequencies[at]} of the corpus`;
      throw new CorruptError(file, 'its index', detail);
    }
    check();
    const cursor = new TermCursor(postings, query.weights[at]!, norms, work);
    cursors[at] = cursor;
    return cursor;
  };
  const required: TermCursor[] = [];
  for (const at of query.required) {
    const cursor = open(at);
    if (cursor === null) return null;
    required.push(cursor);
  }
  const optional: TermCursor[] = [];
  for (const at of query.optional) {
    const cursor = open(at);
    if (cursor !== null) optional.push(cursor);
  }
  if (required.length + optional.length === 0) return null;
  const choices = query.choices.map((alternatives) =>
    alternatives.flatMap((all) => {
      const present = all.flatMap((at) => cursors[at] ?? []);
      return present.length === all.length ? [present] : [];
    }),
  );
  return choices.every((choice) => choice.length > 0) ? { required, choices, optional } : null;
}

/** No chunk of the shard scores more. */
function boundOf({ required, optional }: OpenTerms): number {
  let bound = 0;
  for (const cursor of required) bound += cursor.bound;
  for (const cursor of optional) bound += cursor.bound;
  return bound;
}

function rankChunks(
  { index }: ShardReader,
  { required, choices, optional }: OpenTerms,
  filter: ChunkFilter | null,
  { k, by, floor, scoring, work, check }: RankOptions,
): RankedChunk[] {
  const top = new TopK(Math.min(k, index.chunks), by, index, floor);
  const context: RankContext = { k, norms: index.norms(scoring), filter, top, work, check };
  if (required.length === 0 && choices.length === 0) rankAny(optional, context);
  else rankAll(required, choices, optional, context);
  const found = top.take();
  if (found.length === 0) return [];
  const starts = index.documentStarts();
  return found.map(({ chunk, score }): RankedChunk => {
    const document = starts[index.documentOf(chunk)]!;
    return { score, chunk: chunk as ChunkId, document: document as DocumentId, ordinal: chunk - document + 1 };
  });
}

/**
 * Ranks the chunks that FTS5 finds phrases in. A hit whose text does not have them, or has one of those it is to be without,
 * makes room for others; to find many such at once, more hits are ranked each time.
 */
function rankPhrases(
  reader: ShardReader,
  phrases: ShardQuery['phrases'],
  without: ShardQuery['phrases'],
  { k, check }: RankOptions,
  filter: ChunkFilter | null,
  rank: (allowed: ChunkFilter, k: number) => RankedChunk[],
): RankedChunk[] {
  const bitmap =
    phrases.length === 0 && filter !== null ? filter.bitmap.slice() : new Uint8Array(reader.meta.chunks + 1);
  if (phrases.length > 0) {
    for (const chunk of reader.matches(phraseExpression(phrases))) {
      check();
      if (filter === null || filter.bitmap[chunk] === 1) bitmap[chunk] = 1;
    }
  }
  const sound = new Set<ChunkId>();
  for (let wanted = k; ; wanted *= 2) {
    const hits = rank(toFilter(bitmap), wanted);
    for (const { chunk } of hits) {
      check();
      if (sound.has(chunk)) continue;
      if (hasPhrases(reader, chunk, phrases) && !hasAnyPhrase(reader, chunk, without)) sound.add(chunk);
      else bitmap[chunk] = 0;
    }
    const best = hits.slice(0, k);
    if (best.every(({ chunk }) => sound.has(chunk))) return best;
  }
}
