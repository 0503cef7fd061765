import { CorruptError } from '../errors.ts';
import type { ChunkId, DocumentId } from '../format.ts';
import { BLOCK_BITS } from '../lists/list-format.ts';
import type { ShardFilter, ShardReader } from '../shard-reader.ts';
import { type Scoring, weightOf } from './bm25.ts';
import type { ChunkFilter, RankContext } from './context.ts';
import { hasPhrases, phraseExpression } from './phrase.ts';
import { type Clause, rankAll } from './rank-all.ts';
import { rankAny } from './rank-any.ts';
import { TermCursor } from './term-cursor.ts';
import type { ChunkNorms } from './term-postings.ts';
import { TopK } from './top-k.ts';
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
  readonly scoring: Scoring;
  /** chunks that score less cannot be hits of the corpus any more */
  readonly floor: number;
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
  /**
   * What must occur: of each clause any one alternative, of that all terms, as indexes in `terms`. Without clauses any
   * term will do. Null when no chunk of the corpus can have it all.
   */
  readonly clauses: readonly (readonly (readonly number[])[])[] | null;
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
  const counts = terms.map((term) => frequencies.get(term)!);
  return {
    terms,
    weights: counts.map((df) => weightOf(scoring, df)),
    frequencies: counts,
    clauses: terms.length === 0 || clauses.some((alternatives) => alternatives.length === 0) ? null : clauses,
    phrases,
  };
}

/** Finds and scores: the k best hits of one shard, best first, ties by uri, collection and ordinal. */
export function rankShard(reader: ShardReader, query: PreparedQuery, options: RankOptions): RankedChunk[] {
  const { work, floor } = options;
  if (query.clauses === null) return [];
  const startedAt = performance.now();
  const norms = reader.index.norms(options.scoring);
  const cursors = openCursors(reader, query, norms, options);
  const lookedUpAt = performance.now();
  work.lookUpMs += lookedUpAt - startedAt;
  let bound = 0;
  for (const cursor of cursors) bound += cursor?.bound ?? 0;
  const clauses = bound === 0 || bound < floor ? null : clausesIn(query.clauses, cursors);
  if (clauses === null) {
    work.shardsSkipped++;
    return [];
  }
  work.shards++;
  const filter = reader.allowedChunks(options.filter);
  const hits =
    query.phrases.length === 0
      ? rankChunks(reader, options, norms, filter, clauses, cursors)
      : rankPhrases(reader, query.phrases, options, filter, (allowed) => {
          const again = openCursors(reader, query, norms, options);
          return rankChunks(reader, options, norms, allowed, clausesIn(query.clauses!, again)!, again);
        });
  work.rankMs += performance.now() - startedAt;
  return hits;
}

function rankChunks(
  { index }: ShardReader,
  { k, by, floor, work, check }: RankOptions,
  norms: ChunkNorms,
  filter: ChunkFilter | null,
  clauses: readonly Clause[],
  cursors: readonly (TermCursor | null)[],
): RankedChunk[] {
  const top = new TopK(Math.min(k, index.chunks), by, index, floor);
  const context: RankContext = { k, norms, filter, top, work, check };
  const present = cursors.filter((cursor) => cursor !== null);
  if (clauses.length === 0) rankAny(present, context);
  else rankAll(clauses, present, context);
  const found = top.take();
  if (found.length === 0) return [];
  const starts = index.documentStarts();
  return found.map(({ chunk, score }): RankedChunk => {
    const document = starts[index.documentOf(chunk)]!;
    return { score, chunk: chunk as ChunkId, document: document as DocumentId, ordinal: chunk - document + 1 };
  });
}

/** A cursor for each term of the query, null for one that does not occur in the shard. */
function openCursors(
  { index, file }: ShardReader,
  { terms, weights, frequencies }: PreparedQuery,
  norms: ChunkNorms,
  { scoring, work, check }: RankOptions,
): (TermCursor | null)[] {
  return terms.map((term, at) => {
    const postings = index.postings(term, scoring.columnUnits, work);
    if (postings === null) return null;
    if (postings.df > frequencies[at]!) {
      const detail = `"${term}" is in ${postings.df} of its chunks, and in ${frequencies[at]} of the corpus`;
      throw new CorruptError(file, 'its index', detail);
    }
    check();
    return new TermCursor(postings, weights[at]!, norms, work);
  });
}

/** What must occur, as cursors; null when some of it cannot occur in the shard. */
function clausesIn(
  clauses: NonNullable<PreparedQuery['clauses']>,
  cursors: readonly (TermCursor | null)[],
): Clause[] | null {
  const found: Clause[] = [];
  for (const alternatives of clauses) {
    const possible: TermCursor[][] = [];
    for (const all of alternatives) {
      const present = all.flatMap((term) => cursors[term] ?? []);
      if (present.length === all.length) possible.push(present);
    }
    if (possible.length === 0) return null;
    found.push(possible);
  }
  return found;
}

/** Ranks the chunks that FTS5 finds phrases in; a hit whose text does not have them makes room for others. */
function rankPhrases(
  reader: ShardReader,
  phrases: ShardQuery['phrases'],
  { check }: RankOptions,
  filter: ChunkFilter | null,
  rank: (allowed: ChunkFilter) => RankedChunk[],
): RankedChunk[] {
  const bitmap = new Uint8Array(reader.meta.chunks + 1);
  for (const chunk of reader.matches(phraseExpression(phrases))) {
    check();
    if (filter === null || filter.bitmap[chunk] === 1) bitmap[chunk] = 1;
  }
  const sound = new Set<ChunkId>();
  for (;;) {
    const hits = rank(toFilter(bitmap));
    let isSound = true;
    for (const { chunk } of hits) {
      check();
      if (sound.has(chunk)) continue;
      if (hasPhrases(reader, chunk, phrases)) {
        sound.add(chunk);
      } else {
        bitmap[chunk] = 0;
        isSound = false;
      }
    }
    if (isSound) return hits;
  }
}

/** A bitmap of chunks as a filter. */
export function toFilter(bitmap: Uint8Array): ChunkFilter {
  const blockCounts = new Uint16Array((bitmap.length >> BLOCK_BITS) + 1);
  for (let chunk = 1; chunk < bitmap.length; chunk++) blockCounts[chunk >> BLOCK_BITS]! += bitmap[chunk]!;
  return { bitmap, blockCounts };
}
