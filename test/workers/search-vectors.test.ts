import { truncateSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { NO_FILTER, type SealedShard } from '../../shards/index.ts';
import { byName, mergeRanked } from '../../workers/merge-ranked.ts';
import type { RankedHit, RankVectorsAnswer, RankVectorsTask } from '../../workers/protocol.ts';
import { answerRankVectors } from '../../workers/search-vectors.ts';
import { collections, kinds, randomCorpus } from '../shards/ranking/random-corpus.ts';
import {
  buildShard,
  filterBy,
  meetsAttributes,
  newPath,
  randomFrom,
  type TestDocument,
  tempFolder,
} from '../shards/support.ts';
import { testKey, vectorsPath, writeVectors } from '../shards/vectors/support.ts';
import { cacheOf, targetOf, unlimited } from './support.ts';

const seed = Number(process.env.SHELFMARK_SEED ?? Date.now() % 1_000_000);
const dimensions = 5;

/** What the plain model knows of a chunk. */
interface ModelChunk {
  readonly uri: string;
  readonly collection: string;
  readonly kind: string;
  readonly ordinal: number;
  readonly vector: readonly number[];
}

interface Cut {
  readonly shards: readonly SealedShard[];
  /** ids of dead documents by shard */
  readonly dead: ReadonlyMap<string, number[]>;
}

const documents = randomCorpus({ seed, chunks: 1500, hasDuplicates: true });
const cuts = new Map<number, Cut>();
const model: ModelChunk[] = [];

beforeAll(async () => {
  const random = randomFrom(seed);
  // Few different vectors, so that scores tie within shards, across them and across threads; some of them are zero.
  const vectorOf = (): number[] => Array.from({ length: dimensions }, () => random(3) - 1);
  const vectors = documents.map(({ chunks }) => chunks.map(vectorOf));
  const isDead = documents.map(() => random(9) === 0);
  for (const [at, { document, chunks }] of documents.entries()) {
    if (isDead[at]) continue;
    for (let index = 0; index < chunks.length; index++) {
      const { uri, collection, kind } = document;
      model.push({ uri, collection, kind, ordinal: index + 1, vector: vectors[at]![index]! });
    }
  }
  for (const count of [1, 5]) {
    const folder = tempFolder();
    const groups = Array.from({ length: count }, (): { document: TestDocument; at: number }[] => []);
    for (const [at, document] of documents.entries()) groups[at < count ? at : random(count)]!.push({ document, at });
    const shards: SealedShard[] = [];
    const dead = new Map<string, number[]>();
    for (const group of groups) {
      const shard = await buildShard(
        group.map(({ document }) => document),
        { file: newPath(folder) },
      );
      const flat = group.flatMap(({ at }) => vectors[at]!);
      await writeVectors(shard, (chunk) => flat[chunk - 1]!);
      shards.push(shard);
      let id = 1;
      const gone: number[] = [];
      for (const { at, document } of group) {
        if (isDead[at]) gone.push(id);
        id += document.chunks.length;
      }
      dead.set(shard.id, gone);
    }
    cuts.set(count, { shards, dead });
  }
});

function taskOf(changes: Partial<RankVectorsTask>): RankVectorsTask {
  return {
    op: 'rankVectors',
    queries: [],
    key: testKey,
    k: 10,
    by: 'chunk',
    filter: NO_FILTER,
    words: null,
    phrases: [],
    ...unlimited,
    ...changes,
  };
}

interface Ranked {
  readonly name: string;
  readonly score: number;
}

/** Ranks in some threads and merges, as the pool does. */
function rank({ shards, dead }: Cut, threads: number, task: RankVectorsTask): Ranked[][] {
  const cache = cacheOf(shards.map((shard) => targetOf(shard, dead.get(shard.id))));
  const answers = Array.from({ length: threads }, (_, lane) => {
    const excluded = shards.filter((_, index) => index % threads !== lane).map(({ id }) => id);
    return answerRankVectors({ ...task, excluded }, cache);
  });
  const merged = task.queries.map((_, query) =>
    mergeRanked(
      answers.map(({ hits }) => hits[query]!),
      task.k,
      byName((hit: RankedHit) => hit),
    ),
  );
  const named = merged.map((hits) =>
    hits.map(({ uri, collection, ordinal, score }) => ({ name: `${collection}/${uri}/${ordinal}`, score })),
  );
  cache.close();
  return named;
}

/** The same by sorting everything. */
function expected(query: ArrayLike<number>, { k, by, filter }: RankVectorsTask): Ranked[] {
  const numbers = codesOf(Array.from(query), 2047);
  const scored = model
    .filter(({ kind, collection }) => meetsAttributes({ kind, collection }, filter))
    .filter(({ vector }) => vector.some((value) => value !== 0))
    .map((chunk) => {
      const codes = codesOf(chunk.vector, 127);
      const dot = codes.reduce((sum, code, index) => sum + code * numbers[index]!, 0);
      return { chunk, score: dot * Math.fround(1 / lengthOf(codes)) * (1 / lengthOf(numbers)) };
    })
    .sort(
      (a, b) =>
        b.score - a.score ||
        order(a.chunk.uri, b.chunk.uri) ||
        order(a.chunk.collection, b.chunk.collection) ||
        a.chunk.ordinal - b.chunk.ordinal,
    );
  const seen = new Set<string>();
  return scored
    .filter(({ chunk: { uri, collection } }) => {
      const name = `${collection}/${uri}`;
      return by === 'chunk' || (!seen.has(name) && seen.add(name));
    })
    .slice(0, k)
    .map(({ chunk: { uri, collection, ordinal }, score }) => ({ name: `${collection}/${uri}/${ordinal}`, score }));
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const lengthOf = (codes: readonly number[]): number => Math.sqrt(codes.reduce((sum, code) => sum + code * code, 0));

function codesOf(vector: readonly number[], limit: number): number[] {
  const largest = Math.max(...vector.map(Math.abs));
  return vector.map((value) => Math.round((value / largest) * limit));
}

describe('search by vectors', () => {
  it(`gives the hits of a plain model, however the corpus is cut and filtered (seed ${seed})`, () => {
    const random = randomFrom(seed + 1);
    const filters = [
      NO_FILTER,
      filterBy({ kind: [kinds[0]] }),
      filterBy({ kind: [kinds[1], kinds[2]], collection: [collections[1]] }),
      filterBy({ kind: ['absent'] }),
    ];
    for (const filter of filters) {
      for (const by of ['chunk', 'document'] as const) {
        for (const k of [1, 10, 10_000]) {
          const queries = Array.from({ length: 3 }, () =>
            Float32Array.from({ length: dimensions }, () => random(201) - 100.5),
          );
          // One that ties with many.
          queries.push(Float32Array.from([1, 0, 0, 0, 0]));
          const task = taskOf({ queries, filter, by, k });
          const wanted = queries.map((query) => expected(query, task));
          for (const [count, cut] of cuts) {
            for (const threads of count === 1 ? [1] : [1, 3]) expect(rank(cut, threads, task)).toEqual(wanted);
          }
        }
      }
    }
  });

  it('finds nothing for a query of zeros', () => {
    expect(rank(cuts.get(5)!, 1, taskOf({ queries: [new Float32Array(dimensions)] }))).toEqual([[]]);
  });

  it('says which shards have no vectors of the model', () => {
    const { shards } = cuts.get(5)!;
    const cache = cacheOf(shards.map((shard) => targetOf(shard)));
    const answer = answerRankVectors(taskOf({ queries: [new Float32Array(dimensions)], key: '0123456789' }), cache);
    cache.close();
    expect(answer).toMatchObject({ hits: [[]], failed: [], timedOut: [] });
    expect([...answer.bare].sort()).toEqual(shards.map(({ id }) => id).sort());
  });

  it('gives up when time is over, and when it is told to stop', () => {
    const { shards } = cuts.get(5)!;
    const ids = shards.map(({ id }) => id);
    const stop = new Int32Array(new SharedArrayBuffer(4)).fill(1);
    for (const limits of [{ deadline: Date.now() - 1 }, { stop }]) {
      const cache = cacheOf(shards.map((shard) => targetOf(shard)));
      const answer = answerRankVectors(taskOf({ queries: [Float32Array.from([1, 2, 3, 4, 5])], ...limits }), cache);
      cache.close();
      expect(answer.timedOut).toEqual(ids);
      expect(answer.hits).toEqual([[]]);
    }
  });
});

describe('a damaged vectors file', () => {
  it('fails its shard alone, with the name of the file', async () => {
    const folder = tempFolder();
    const shards: SealedShard[] = [];
    for (const half of [documents.slice(0, 20), documents.slice(20, 40)]) {
      const shard = await buildShard(half, { file: newPath(folder) });
      await writeVectors(shard, (chunk) => [chunk, 1]);
      shards.push(shard);
    }
    const [damaged, sound] = shards as [SealedShard, SealedShard];
    truncateSync(vectorsPath(damaged), 300);
    const cache = cacheOf(shards.map((shard) => targetOf(shard)));
    const answer: RankVectorsAnswer = answerRankVectors(taskOf({ queries: [Float32Array.from([1, 1])] }), cache);
    cache.close();
    expect(answer.failed).toMatchObject([{ shard: damaged.id, error: { code: 'SHELFMARK_CORRUPT' } }]);
    expect(answer.failed[0]!.error.message).toContain(vectorsPath(damaged));
    expect(new Set(answer.hits[0]!.map(({ shard }) => shard))).toEqual(new Set([sound.id]));
  });
});
