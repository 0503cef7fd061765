import { beforeAll, describe, expect, it } from 'vitest';
import type { DocumentId, ShardQuery } from '../../shards/index.ts';
import { planWordFilter } from '../../src/search/word-filter.ts';
import type { EvidenceAnswer, EvidenceItem, ShardTarget } from '../../workers/protocol.ts';
import { rankEvidence } from '../../workers/search-shards.ts';
import type { ShardCache } from '../../workers/shard-cache.ts';
import { Model } from '../shards/ranking/model.ts';
import { nowhere, randomCorpus, vocabulary } from '../shards/ranking/random-corpus.ts';
import { ask } from '../shards/ranking/support.ts';
import { buildShard, copyOf, editShard, queryAnalyzer, randomFrom, reopen } from '../shards/support.ts';
import { cacheOf, packedOf, type RankRequest, rankTask, targetOf } from './support.ts';

const seed = Number(process.env.SHELFMARK_SEED ?? Date.now() % 1_000_000);
let targets: ShardTarget[];
let models: Model[];
let queries: ShardQuery[];

beforeAll(async () => {
  const random = randomFrom(seed);
  // The second fills two blocks.
  const shapes = [300, 4_300].map((chunks, index) => ({ seed: seed + index, chunks, hasDuplicates: true }));
  const sealed = [];
  for (const shape of shapes) sealed.push(await buildShard(randomCorpus(shape), { listThreshold: 64 }));
  targets = sealed.map((shard) => targetOf(shard));
  models = sealed.map(({ file }) => reopen(file, (reader) => new Model([reader])));
  const words = [...vocabulary, nowhere!, 'every'];
  queries = Array.from({ length: 9 }, (_, index) => {
    const text = Array.from({ length: 1 + random(4) }, () => words[random(words.length)]).join(' ');
    return ask(text, index % 4 === 3 ? 'and' : 'or', index % 8 === 6 ? ['the the'] : []);
  });
});

/** The best passages of some documents. */
function evidence(
  request: RankRequest,
  items: readonly EvidenceItem[],
  count: number,
  cache: ShardCache,
): EvidenceAnswer {
  const { queries, frequencies, filter, words, scoring, stop } = request;
  const options = { filter, words, scoring, stop, count };
  return rankEvidence({ op: 'evidence', items, ...packedOf(queries, frequencies), ...options }, cache);
}

describe(`evidence (SHELFMARK_SEED=${seed})`, () => {
  it('is the best passages of each document, equal ones in the order of the text', () => {
    const random = randomFrom(seed + 1);
    const cache = cacheOf(targets);
    for (const count of [1, 3, 100]) {
      for (const words of [null, planWordFilter(queryAnalyzer, { prefixes: ['s'], not: ['river', 'the book'] })]) {
        const base = rankTask(targets, queries, { words });
        const ranked = models.map((model) => queries.map((query) => model.rank(query, base)));
        const items = targets.flatMap(({ id }, shard) =>
          queries.map((_, query) => {
            const found = [...new Set(ranked[shard]![query]!.map(({ document }) => document))];
            const documents = found.filter((_, index) => index < 5 || random(40) === 0).reverse();
            return { shard: id, documents, query };
          }),
        );
        const answers = evidence(base, items, count, cache);
        for (const [index, { shard, documents, query }] of items.entries()) {
          const hits = ranked[targets.findIndex(({ id }) => id === shard)]![query]!;
          const value = documents.map((wanted) =>
            hits
              .filter(({ document }) => document === wanted)
              .slice(0, count)
              .map(({ uri: _, shard: __, ...hit }) => hit),
          );
          expect(answers[index]).toEqual({ ok: true, value });
        }
      }
    }
    cache.close();
  });

  it('fails alone in a shard that is damaged', () => {
    const [sound, other] = targets as [ShardTarget, ShardTarget];
    const file = copyOf(other.file);
    editShard(file, (database) => database.exec("DELETE FROM packed WHERE name = 'lengths'"));
    const cache = cacheOf([sound, { ...other, file }]);
    const items = [other, sound].map(({ id }) => ({ shard: id, documents: [1 as DocumentId], query: 0 }));
    const [failed, answered] = evidence(rankTask(targets, [ask('every', 'or')]), items, 3, cache);
    expect(failed).toMatchObject({ ok: false, error: { code: 'SHELFMARK_CORRUPT' } });
    expect(answered).toMatchObject({ ok: true });
    cache.close();
  });
});
