import type { ChunkId } from '../format.ts';
import { hasPhrases } from '../ranking/phrase.ts';
import type { Phrase } from '../ranking/prepared-query.ts';
import type { RankedChunk, RankOptions } from '../ranking/rank-shard.ts';
import { hasWords } from '../ranking/word-filter.ts';
import type { ShardReader } from '../shard-reader.ts';
import { LiteralFinder } from './literal.ts';
import { scanShard } from './scan-shard.ts';

/** A query for a shard without a sound index. */
export interface WordsQuery {
  /** words as they are written in the query; they are found inside others too, whatever their case */
  readonly words: readonly string[];
  /** whether a hit must have all of them, or any */
  readonly isStrict: boolean;
  /** what a hit must have too */
  readonly phrases: readonly Phrase[];
}

/**
 * Answers queries from the text of a shard alone: chunks with most of a query's words, equal ones in the order of the shard.
 * A hit's score is how many of the words it has. Everything else that hits must fulfil is looked up in the text as well.
 * @throws CorruptError when a text is damaged
 */
export function scanForWords(
  reader: ShardReader,
  queries: readonly WordsQuery[],
  options: Pick<RankOptions, 'k' | 'by' | 'filter' | 'words' | 'check'>,
): RankedChunk[][] {
  const words = [...new Set(queries.flatMap((query) => query.words))];
  const askedBy = words.map((word) => [...queries.keys()].filter((query) => queries[query]!.words.includes(word)));
  const found = queries.map(() => new Map<ChunkId, RankedChunk>());
  const documents = reader.allowedChunks(options.filter, options.check);
  scanShard(
    reader,
    words.map((text) => new LiteralFinder({ text, ignoreCase: true })),
    {
      by: 'chunk',
      documents,
      filter: documents,
      isEnough: () => false,
      onHits: (word, hits) => {
        for (const query of askedBy[word]!) count(found[query]!, hits);
      },
      onProgress: () => {},
      check: options.check,
    },
  );
  return queries.map((query, index) => best(reader, query, [...found[index]!.values()], options));
}

function count(scores: Map<ChunkId, RankedChunk>, hits: readonly RankedChunk[]): void {
  for (const hit of hits) scores.set(hit.chunk, { ...hit, score: (scores.get(hit.chunk)?.score ?? 0) + 1 });
}

function best(
  reader: ShardReader,
  { words, isStrict, phrases }: WordsQuery,
  candidates: readonly RankedChunk[],
  { k, by, words: filter, check }: Pick<RankOptions, 'k' | 'by' | 'words' | 'check'>,
): RankedChunk[] {
  const hits: RankedChunk[] = [];
  const seen = new Set<number>();
  for (const hit of [...candidates].sort((a, b) => b.score - a.score || a.chunk - b.chunk)) {
    if (hits.length === k || (isStrict && hit.score < words.length)) break;
    check();
    const own = by === 'chunk' ? hit.chunk : hit.document;
    if (seen.has(own) || !hasPhrases(reader, hit.chunk, phrases)) continue;
    if (filter !== null && !hasWords(reader, hit.chunk, filter)) continue;
    seen.add(own);
    hits.push(hit);
  }
  return hits;
}
