import { CorruptError } from '../errors.ts';
import type { ShardFilter } from '../filter/shard-filter.ts';
import type { ChunkId, DocumentId } from '../format.ts';
import type { ShardReader } from '../shard-reader.ts';
import { type Scoring, weightOf } from './bm25.ts';
import { type ChunkFilter, type RankContext, toFilter } from './context.ts';
import { hasAnyPhrase, hasPhrases, phraseExpression } from './phrase.ts';
import type { Phrase, PreparedQuery, TermTable } from './prepared-query.ts';
import { type Choice, rankAll } from './rank-all.ts';
import { rankAny } from './rank-any.ts';
import type { ShardIndex } from './shard-index.ts';
import type { SharedFloor } from './shared-floor.ts';
import { TermCursor } from './term-cursor.ts';
import { type ScoredChunk, TopK } from './top-k.ts';
import { filterByWords, type WordFilter } from './word-filter.ts';
import type { WorkCounter } from './work.ts';

/** How many hits, of what, from where, and how they are scored. */
export interface RankOptions {
  /** hits wanted, 1 to 10,000 */
  readonly k: number;
  /** one hit per chunk, or only the best chunk of each document */
  readonly by: 'chunk' | 'document';
  readonly filter: ShardFilter;
  /** words that a hit must have or must not have without their counting for its score; null: none */
  readonly words: WordFilter | null;
  /** only chunks of these documents may be hits; null: of all */
  readonly documents: readonly DocumentId[] | null;
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

/** The terms of some queries, with their weights in a score. */
export interface WeightedTerms extends TermTable {
  readonly weights: Float64Array;
}

/** Weighs terms for a scoring. */
export function weighTerms(table: TermTable, scoring: Scoring): WeightedTerms {
  return { ...table, weights: table.frequencies.map((df) => weightOf(scoring, df)) };
}

/** Finds and scores: the k best hits of one shard, best first, ties by uri, collection and ordinal. */
export function rankShard(
  reader: ShardReader,
  query: PreparedQuery,
  table: WeightedTerms,
  options: RankOptions,
): RankedChunk[] {
  const { work, floor, words, documents } = options;
  const startedAt = performance.now();
  const allowed = reader.allowedChunks(options.filter, options.check);
  const terms = allowed?.chunks === 0 ? null : openTerms(reader, query, table, options);
  work.lookUpMs += performance.now() - startedAt;
  if (terms === null || boundOf(terms) < floor.value) {
    work.shardsSkipped++;
    return [];
  }
  work.shards++;
  const byWords = words === null ? allowed : filterByWords(reader, allowed, words, options);
  const filter = documents === null ? byWords : onlyOf(reader, documents, byWords);
  const without = words?.withoutPhrases ?? [];
  const hits =
    query.phrases.length + without.length === 0
      ? rankChunks(reader, terms, filter, options)
      : rankPhrases(reader, phrasesOf(query, table), without, options, filter, (chunks, k) =>
          rankChunks(reader, openTerms(reader, query, table, options)!, chunks, { ...options, k }),
        );
  work.rankMs += performance.now() - startedAt;
  return hits;
}

/** What a filter lets through of some documents. */
function onlyOf({ index }: ShardReader, documents: readonly DocumentId[], filter: ChunkFilter | null): ChunkFilter {
  const starts = index.documentStarts();
  const bitmap = new Uint8Array(index.chunks + 1);
  for (const id of documents) {
    const end = starts[index.documentOf(id) + 1] ?? bitmap.length;
    if (filter === null) bitmap.fill(1, id, end);
    else bitmap.set(filter.bitmap.subarray(id, end), id);
  }
  return toFilter(bitmap);
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
  { terms, frequencies, weights }: WeightedTerms,
  { scoring, work, check }: RankOptions,
): OpenTerms | null {
  const norms = index.norms(scoring);
  const cursors: (TermCursor | null)[] = new Array(query.terms.length).fill(null);
  const open = (at: number): TermCursor | null => {
    const number = query.terms[at]!;
    const term = terms[number]!;
    const postings = index.postings(term, scoring.columnUnits, work);
    if (postings === null) return null;
    if (postings.df > frequencies[number]!) {
      const detail = `"${term}" is in ${postings.df} of its chunks, and in ${frequencies[number]} of the corpus`;
      throw new CorruptError(file, 'its index', detail);
    }
    check();
    const cursor = new TermCursor(postings, weights[number]!, norms, work);
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
  if (query.choices.length === 0) return { required, choices: noChoices, optional };
  const choices = query.choices.map((alternatives) =>
    alternatives.flatMap((all) => {
      const present = all.flatMap((at) => cursors[at] ?? []);
      return present.length === all.length ? [present] : [];
    }),
  );
  return choices.every((choice) => choice.length > 0) ? { required, choices, optional } : null;
}

const noChoices: readonly Choice[] = [];

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
  return toRankedChunks(index, top.take());
}

/** Scored chunks of a shard with their documents. */
export function toRankedChunks(index: ShardIndex, found: readonly ScoredChunk[]): RankedChunk[] {
  if (found.length === 0) return [];
  const starts = index.documentStarts();
  return found.map(({ chunk, score }): RankedChunk => {
    const document = starts[index.documentOf(chunk)]!;
    return { score, chunk: chunk as ChunkId, document: document as DocumentId, ordinal: chunk - document + 1 };
  });
}

function phrasesOf({ phrases }: PreparedQuery, { terms }: TermTable): Phrase[] {
  return phrases.map((sequences) => sequences.map((numbers) => numbers.map((number) => terms[number]!)));
}

/**
 * Ranks the chunks that FTS5 finds phrases in. A hit whose text does not have them, or has one of those it is to be without,
 * makes room for others; to find many such at once, more hits are ranked each time.
 */
export function rankPhrases(
  reader: ShardReader,
  phrases: readonly Phrase[],
  without: readonly Phrase[],
  { k, check }: Pick<RankOptions, 'k' | 'check'>,
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
