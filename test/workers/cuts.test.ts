import { beforeAll, describe, expect, it } from 'vitest';
import { NO_FILTER, type SealedShard, type ShardQuery, termsOf } from '../../shards/index.ts';
import { planWordFilter } from '../../src/search/word-filter.ts';
import { byName, mergeRanked } from '../../workers/merge-ranked.ts';
import type { RankedHit, ShardTarget } from '../../workers/protocol.ts';
import type { ShardCache } from '../../workers/shard-cache.ts';
import { cutHits, Model } from '../shards/ranking/model.ts';
import { collections, kinds, nowhere, randomCorpus, vocabulary } from '../shards/ranking/random-corpus.ts';
import { ask } from '../shards/ranking/support.ts';
import {
  buildShard,
  filterBy,
  newPath,
  queryAnalyzer,
  randomFrom,
  reopen,
  type TestDocument,
  tempFolder,
} from '../shards/support.ts';
import { cacheOf, type RankRequest, rankIn, rankTask, targetOf } from './support.ts';

const seed = Number(process.env.SHELFMARK_SEED ?? Date.now() % 1_000_000);
const folder = tempFolder();

/** The same documents, cut into so many shards. */
const cuts = new Map<number, ShardTarget[]>();
let model: Model;

beforeAll(async () => {
  const random = randomFrom(seed);
  // Half of the documents are copies of others, so that scores tie within shards, across them and across threads.
  const documents = randomCorpus({ seed, chunks: 900, hasDuplicates: true });
  for (const count of [1, 7, 50]) {
    const groups = Array.from({ length: count }, (): TestDocument[] => []);
    for (const [index, document] of documents.entries()) groups[index < count ? index : random(count)]!.push(document);
    const sealed: SealedShard[] = [];
    for (const group of groups) sealed.push(await buildShard(group, { file: newPath(folder), listThreshold: 8 }));
    if (count === 1) model = reopen(sealed[0]!.file, (reader) => new Model([reader]));
    cuts.set(
      count,
      sealed.map((shard) => targetOf(shard)),
    );
  }
});

interface NamedHit {
  readonly uri: string;
  readonly ordinal: number;
  readonly score: number;
}

/** Threads that have an equal share of a cut's shards. */
class Threads {
  readonly #caches: readonly ShardCache[];

  constructor(targets: readonly ShardTarget[], count: number) {
    this.#caches = Array.from({ length: count }, (_, lane) => {
      const share = targets.filter((_, index) => index % count === lane);
      return cacheOf(share, { maxOpen: 64 });
    });
  }

  /** Ranks as the pool does: each thread its shards, then all merged. */
  rank(task: RankRequest): NamedHit[][] {
    const answers = rankIn(this.#caches, task);
    for (const { failed, timedOut } of answers) expect([...failed, ...timedOut]).toEqual([]);
    const compareNames = byName((hit: RankedHit) => hit);
    return task.queries.map((_, query) => {
      const lists = answers.map(({ hits }) => hits[query]!);
      return mergeRanked(lists, task.k, compareNames).map(({ uri, ordinal, score }) => ({ uri, ordinal, score }));
    });
  }

  close(): void {
    for (const cache of this.#caches) cache.close();
  }
}

const words = [...vocabulary, nowhere!, 'every', 'stretch0'];

function randomQueries(random: (below: number) => number): ShardQuery[] {
  return Array.from({ length: 20 }, (_, index) => {
    const text = Array.from({ length: 1 + random(4) }, () => words[random(words.length)]).join(' ');
    return ask(text, index % 2 === 0 ? 'or' : 'and', index % 7 === 6 ? ['the the'] : []);
  });
}

describe(`the same documents as 1, 7 and 50 shards, in one thread or two (SHELFMARK_SEED=${seed})`, () => {
  it('give the same hits in the same order with the same scores to the last bit', () => {
    const queries = randomQueries(randomFrom(seed + 1));
    const task = rankTask(cuts.get(1)!, queries);
    expect(task.frequencies).toEqual(model.frequencies(queries.flatMap(termsOf)));
    const wanted: Pick<RankRequest, 'k' | 'by' | 'filter' | 'words'>[] = [
      { k: 10, by: 'chunk', filter: NO_FILTER, words: null },
      { k: 10_000, by: 'chunk', filter: NO_FILTER, words: null },
      { k: 1, by: 'document', filter: NO_FILTER, words: null },
      { k: 25, by: 'document', filter: NO_FILTER, words: null },
      {
        k: 25,
        by: 'document',
        filter: filterBy({ kind: kinds.slice(0, 1), collection: collections.slice(1) }),
        words: null,
      },
      {
        k: 25,
        by: 'chunk',
        filter: NO_FILTER,
        words: planWordFilter(queryAnalyzer, { prefixes: ['s'], not: ['river'] }),
      },
    ];
    const expected = wanted.map(({ k, by, filter, words }) =>
      queries.map((query) =>
        cutHits(model.rank(query, { ...task, filter, words }), k, by).map(({ uri, ordinal, score }) => {
          return { uri, ordinal, score };
        }),
      ),
    );
    for (const [count, targets] of cuts) {
      // Statistics are counted over the shards, whatever their number.
      const { scoring, frequencies } = rankTask(targets, queries);
      expect(scoring).toEqual(task.scoring);
      expect(frequencies).toEqual(task.frequencies);
      for (const size of [1, 2]) {
        const threads = new Threads(targets, size);
        for (const [index, options] of wanted.entries()) {
          const where = `${count} shards, ${size} threads, ${JSON.stringify(options)}`;
          expect(threads.rank({ ...task, ...options }), where).toEqual(expected[index]);
        }
        threads.close();
      }
    }
  });
});
