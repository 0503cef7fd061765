import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ChunkOrder, TopK } from '../../../shards/ranking/top-k.ts';
import { floorAt } from './support.ts';

/** Chunks numbered from 1 in documents of so many, and the place of each document. */
function orderOf(chunksPerDocument: number, places: readonly number[]): ChunkOrder {
  return {
    documentOf: (chunk) => Math.floor((chunk - 1) / chunksPerDocument),
    rankOf: (document) => places[document]!,
  };
}

const offers = fc
  .record({
    scores: fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 120 }),
    chunksPerDocument: fc.integer({ min: 1, max: 5 }),
    shuffle: fc.array(fc.nat(), { minLength: 120, maxLength: 120 }),
    k: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constant(200)),
    by: fc.constantFrom<'chunk' | 'document'>('chunk', 'document'),
    floor: fc.constantFrom(0, 1, 6),
  })
  .map(({ scores, shuffle, ...rest }) => {
    const chunks = [...scores.keys()].map((index) => index + 1);
    const documents = chunks.map((_, index) => index);
    return {
      ...rest,
      scores,
      // The order in which chunks are offered, and the places of documents.
      offered: chunks.sort((a, b) => shuffle[a - 1]! - shuffle[b - 1]!),
      places: documents.sort((a, b) => (shuffle[a]! % 7) - (shuffle[b]! % 7)),
    };
  });

describe('the best k', () => {
  it('are those of sorting all by score, place of the document and chunk, in whatever order they are offered', () => {
    fc.assert(
      fc.property(offers, ({ scores, offered, places, chunksPerDocument, k, by, floor }) => {
        const order = orderOf(chunksPerDocument, places);
        const top = new TopK(k, by, order, floorAt(floor));
        for (const chunk of offered) top.offer(chunk, scores[chunk - 1]!);
        const sorted = offered
          .map((chunk) => ({ chunk, score: scores[chunk - 1]! }))
          .filter(({ score }) => score >= floor)
          .sort(
            (a, b) =>
              b.score - a.score ||
              order.rankOf(order.documentOf(a.chunk)) - order.rankOf(order.documentOf(b.chunk)) ||
              a.chunk - b.chunk,
          );
        const seen = new Set<number>();
        const isFirst = ({ chunk }: { chunk: number }): boolean => {
          const document = order.documentOf(chunk);
          if (seen.has(document)) return false;
          seen.add(document);
          return true;
        };
        const expected = (by === 'chunk' ? sorted : sorted.filter(isFirst)).slice(0, k);
        expect(top.take()).toEqual(expected);
        // What scores less than the threshold could not have been among them.
        expect(top.threshold).toBe(expected.length < k ? floor : expected.at(-1)!.score);
      }),
      { numRuns: 2_000 },
    );
  });

  it('are found with more chunks of one document than k', () => {
    const top = new TopK(2, 'document', orderOf(1_000, [1, 0]), floorAt(0));
    for (let chunk = 1; chunk <= 1_000; chunk++) top.offer(chunk, 1 + (chunk % 7));
    expect(top.threshold).toBe(0);
    top.offer(1_500, 3);
    expect(top.take()).toEqual([
      { chunk: 6, score: 7 },
      { chunk: 1_500, score: 3 },
    ]);
    expect(top.threshold).toBe(3);
  });
});
