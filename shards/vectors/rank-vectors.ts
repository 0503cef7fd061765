import type { ShardFilter } from '../filter/shard-filter.ts';
import { COLUMN_UNITS, DEFAULT_SCORING } from '../ranking/bm25.ts';
import type { ChunkFilter } from '../ranking/context.ts';
import type { Phrase } from '../ranking/prepared-query.ts';
import { type RankedChunk, rankPhrases, toRankedChunks } from '../ranking/rank-shard.ts';
import { TopK } from '../ranking/top-k.ts';
import { filterByWords, type WordFilter } from '../ranking/word-filter.ts';
import { noWork } from '../ranking/work.ts';
import type { ShardReader } from '../shard-reader.ts';
import { beginScan } from './scan-memory.ts';
import type { EncodedQuery } from './vector-codes.ts';
import { blockAt } from './vectors-format.ts';
import type { VectorsReader } from './vectors-reader.ts';

/** How many hits, of what and from where. */
export interface VectorRankOptions {
  /** hits wanted, 1 to 10,000 */
  readonly k: number;
  /** one hit per chunk, or only the best chunk of each document */
  readonly by: 'chunk' | 'document';
  readonly filter: ShardFilter;
  /** words that hits must have or must not have; null: none */
  readonly words: WordFilter | null;
  /** sequences of terms that every hit must have */
  readonly phrases: readonly Phrase[];
  /** called once a block; throws to stop */
  readonly check: () => void;
}

/**
 * The k chunks of a shard that are most like each query, best first, ties by uri, collection and ordinal: every vector is
 * looked at, and a score is the cosine of query and chunk as they are stored.
 */
export function rankVectors(
  reader: ShardReader,
  vectors: VectorsReader,
  queries: readonly EncodedQuery[],
  options: VectorRankOptions,
): RankedChunk[][] {
  const { words, phrases, check } = options;
  const allowed = reader.allowedChunks(options.filter, check);
  if (allowed?.chunks === 0) return queries.map(() => []);
  const filter = words === null ? allowed : filterByWords(reader, allowed, words, { scoring, work: noWork(), check });
  const without = words?.withoutPhrases ?? [];
  if (queries.length === 0) return [];
  const wanted = { reader, vectors, options };
  if (phrases.length + without.length === 0) return scan(wanted, queries, filter, options.k);
  return queries.map((query) =>
    rankPhrases(reader, phrases, without, options, filter, (chunks, k) => scan(wanted, [query], chunks, k)[0]!),
  );
}

/** Only what a term counts in a column matters for a filter. */
const scoring = { ...DEFAULT_SCORING, columnUnits: COLUMN_UNITS, chunks: 0, tokens: 0 };

/** A cosine may be as low as -1. */
const anyScore = { value: Number.NEGATIVE_INFINITY };

/**
 * All queries share one pass over the file. The filter is asked for each vector; a block without an allowed chunk is not
 * read.
 */
function scan(
  { reader, vectors, options }: { reader: ShardReader; vectors: VectorsReader; options: VectorRankOptions },
  queries: readonly EncodedQuery[],
  filter: ChunkFilter | null,
  k: number,
): RankedChunk[][] {
  const { layout } = vectors;
  const { index } = reader;
  const { by, check } = options;
  const allowed = filter?.bitmap ?? null;
  const tops = queries.map(() => new TopK(Math.min(k, index.chunks), by, index, anyScore));
  const memory = beginScan(layout, queries);
  for (let block = 0; block < layout.blocks; block++) {
    check();
    const { firstChunk, count } = blockAt(layout, block);
    const isAllowed = allowed?.subarray(firstChunk, firstChunk + count) ?? null;
    if (isAllowed !== null && !isAllowed.includes(1)) continue;
    vectors.readBlock(block, memory.block);
    const lengths = memory.inverseLengths(count);
    for (const [at, query] of queries.entries()) {
      if (query.inverseLength === 0) continue;
      offerBlock(tops[at]!, firstChunk, memory.dots(at, count), lengths, query.inverseLength, isAllowed);
    }
  }
  return tops.map((top) => toRankedChunks(index, top.take()));
}

function offerBlock(
  top: TopK,
  firstChunk: number,
  dots: Int32Array,
  inverseLengths: Float32Array,
  inverseLength: number,
  isAllowed: Uint8Array | null,
): void {
  for (let index = 0; index < dots.length; index++) {
    const score = dots[index]! * inverseLengths[index]! * inverseLength;
    if (score < top.threshold || inverseLengths[index] === 0) continue;
    if (isAllowed === null || isAllowed[index] === 1) top.offer(firstChunk + index, score);
  }
}
