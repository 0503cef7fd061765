import type { DocumentId } from '../format.ts';
import type { ShardReader } from '../shard-reader.ts';
import type { PreparedQuery } from './prepared-query.ts';
import { type RankedChunk, type RankOptions, rankShard, type WeightedTerms } from './rank-shard.ts';
import { newFloors, SharedFloor } from './shared-floor.ts';

/**
 * The best passages of some documents of a shard, up to `count` of each, best first, equal ones in the order of the text;
 * the answer has the order of the documents.
 */
export function rankPassages(
  reader: ShardReader,
  query: PreparedQuery,
  terms: WeightedTerms,
  documents: readonly DocumentId[],
  count: number,
  options: Pick<RankOptions, 'filter' | 'words' | 'scoring' | 'work' | 'check'>,
): RankedChunk[][] {
  // Their chunks are few, so all are ranked at once: one pass over the postings of all documents.
  const ranked = rankShard(reader, query, terms, {
    ...options,
    k: reader.meta.chunks,
    by: 'chunk',
    documents,
    floor: new SharedFloor(newFloors(1), 0),
  });
  const passages = new Map(documents.map((document): [DocumentId, RankedChunk[]] => [document, []]));
  for (const hit of ranked) {
    const own = passages.get(hit.document)!;
    if (own.length < count) own.push(hit);
  }
  return documents.map((document) => passages.get(document)!);
}
