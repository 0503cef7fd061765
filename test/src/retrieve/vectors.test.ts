import { readdirSync, rmSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { embedCorpus } from '../../../src/embed/embed-corpus.ts';
import { hashEmbedder } from '../../../src/embed/hash-embedder.ts';
import type { Embedder, Hit, SearchOptions } from '../../../src/index.ts';
import { flipByte } from '../../shards/support.ts';
import { temporaryFolder } from '../cli/command-line.ts';
import { answerJson, startEmbeddingServer } from '../embed/embedding-server.ts';
import { shelfmarkError } from '../support.ts';
import { buildCorpusIn, embeddedCorpus, questions, using } from './fixture.ts';

const folder = temporaryFolder();
let bare: string;
let embedded: string;

beforeAll(async () => {
  bare = await buildCorpusIn(folder, 'bare', 4096);
  embedded = await embeddedCorpus(folder, 'embedded', 4096);
});

let copies = 0;

async function copyOf(corpus: string): Promise<string> {
  const copy = join(folder, `copy${copies++}`);
  await cp(corpus, copy, { recursive: true });
  return copy;
}

function search(path: string, query: string, options: SearchOptions) {
  return using(path, (corpus) => corpus.search(query, { match: 'any', ...options }));
}

function vectorFiles(corpus: string): string[] {
  const shards = join(corpus, 'shards');
  return readdirSync(shards)
    .filter((name) => name.endsWith('.vectors'))
    .map((name) => join(shards, name));
}

const nameOf = ({ collection, uri }: Hit): string => `${collection} ${uri}`;

/** The hash embedder by another name. */
function named(model: string): Embedder {
  return { ...hashEmbedder(), model };
}

describe('hybrid hits', () => {
  it.each(['document', 'chunk'] as const)('are both lists joined by reciprocal ranks, by %s', async (by) => {
    for (const question of questions) {
      // The lists as they are at the depth of ten hits.
      const lexical = (await search(embedded, question, { by, limit: 100 })).hits;
      const vector = (await search(embedded, question, { by, limit: 100, retriever: 'vector' })).hits;
      const keyOf = (hit: Hit): string => (by === 'document' ? nameOf(hit) : hit.shelfmark);
      const placeIn = (hits: readonly Hit[], key: string): number => hits.findIndex((hit) => keyOf(hit) === key) + 1;
      const keys = [...new Set([...lexical, ...vector].map(keyOf))];
      const expected = keys
        .map((key) => {
          const [words, vectors] = [placeIn(lexical, key), placeIn(vector, key)];
          const score = (words > 0 ? 1 / (60 + words) : 0) + (vectors > 0 ? 1 / (60 + vectors) : 0);
          const isByWords = words > 0 && (vectors === 0 || words <= vectors);
          const hit = isByWords ? lexical[words - 1]! : vector[vectors - 1]!;
          return { hit, score, retrievers: { lexical: words || null, vector: vectors || null } };
        })
        .sort((a, b) => b.score - a.score || (nameOf(a.hit) < nameOf(b.hit) ? -1 : 1))
        .slice(0, 10);
      const { hits, retrieval } = await search(embedded, question, { by, retriever: 'hybrid' });
      expect(retrieval).toEqual({ retriever: 'hybrid', model: 'hash-256', note: null });
      expect(hits.map(({ score, retrievers }) => ({ score, retrievers }))).toEqual(
        expected.map(({ score, retrievers }) => ({ score, retrievers })),
      );
      expect(new Set(hits.map(({ shelfmark }) => shelfmark))).toEqual(
        new Set(expected.map(({ hit }) => hit.shelfmark)),
      );
    }
  });

  it('without embeddings are those of words, unchanged, and the answer says so', async () => {
    const { hits } = await search(bare, 'archive ledger', {});
    const answer = await search(bare, 'archive ledger', { retriever: 'hybrid' });
    expect(answer.hits).toEqual(hits);
    expect(answer.retrieval).toMatchObject({ retriever: 'hybrid', model: null });
    expect(answer.retrieval!.note).toContain('no embeddings');
  });

  it('without embeddings by the model that was asked for are those of words too', async () => {
    const { hits } = await search(embedded, 'archive ledger', {});
    for (const options of [{ model: 'other' }, { embedder: named('other') }]) {
      const answer = await search(embedded, 'archive ledger', { retriever: 'hybrid', ...options });
      expect(answer.hits).toEqual(hits);
      expect(answer.retrieval!.note).toContain('no embeddings by other, only by hash-256');
    }
  });
});

describe('hits by vectors', () => {
  it('find words that are spelled a little otherwise', async () => {
    const { hits, rung } = await search(embedded, 'harborr', {
      retriever: 'vector',
      text: true,
      by: 'chunk',
      limit: 3,
    });
    expect(rung).toBe('vector');
    expect(hits.every(({ text }) => text!.includes('harbour'))).toBe(true);
    expect((await search(embedded, 'harborr', {})).hits).toEqual([]);
  });

  it('are for phrases alone those for their words', async () => {
    const options = { retriever: 'vector', phrases: ['archive', 'ledger'] } as const;
    const { hits, searched } = await search(embedded, '', options);
    expect(searched).toEqual(['archive', 'ledger']);
    expect(hits.length).toBeGreaterThan(0);
    const placesOf = (found: readonly Hit[]) => found.map(({ shelfmark, score }) => ({ shelfmark, score }));
    expect(placesOf(hits)).toEqual(placesOf((await search(embedded, 'archive ledger', options)).hits));
  });

  it('need embeddings', async () => {
    const { message } = await shelfmarkError(search(bare, 'archive', { retriever: 'vector' }), 'SHELFMARK_NOT_FOUND');
    expect(message).toContain('shelfmark embed');
  });

  it('of a corpus that is embedded in part say which shards have none', async () => {
    const corpus = await copyOf(embedded);
    const [first] = vectorFiles(corpus) as [string];
    rmSync(first);
    const shard = /(s[0-9a-f]{10})\.[0-9a-f]+\.vectors$/.exec(first)![1]!;
    const { hits, coverage, retrieval } = await search(corpus, 'archive', { retriever: 'vector', limit: 1000 });
    expect(coverage).toMatchObject({ failed: 0, withoutVectors: [shard] });
    expect(retrieval!.note).toContain('1 of');
    expect(hits.some(({ shelfmark }) => shelfmark.startsWith(shard))).toBe(false);
  });

  it('of several models need the name of one', async () => {
    const corpus = await copyOf(embedded);
    await embedCorpus({ corpus, embedder: named('another') });
    const { message } = await shelfmarkError(search(corpus, 'archive', { retriever: 'vector' }), 'SHELFMARK_USAGE');
    expect(message).toMatch(/another.*hash-256|hash-256.*another/);
    expect((await search(corpus, 'archive', { retriever: 'vector', model: 'hash-256' })).hits).toHaveLength(10);
    expect((await search(corpus, 'archive', { retriever: 'vector', embedder: named('another') })).hits).toHaveLength(
      10,
    );
  });

  it('need an embedder that gives the model of the vectors', async () => {
    const corpus = await copyOf(bare);
    await embedCorpus({ corpus, embedder: named('small') });
    const failing = [{}, { model: 'small', embedder: 'hash' }];
    for (const options of failing) {
      const { message } = await shelfmarkError(
        search(corpus, 'archive', { retriever: 'vector', ...options }),
        'SHELFMARK_USAGE',
      );
      expect(message).toContain('embedded with small');
    }
  });

  it.each([{ explain: true }, { evidence: 3 }, { match: 'scan' }] as const)(
    'cannot be had with %o',
    async (options) => {
      const { message } = await shelfmarkError(
        search(embedded, 'archive', { retriever: 'hybrid', ...options }),
        'SHELFMARK_USAGE',
      );
      expect(message).toContain(Object.keys(options)[0]);
    },
  );
});

describe('a damaged vectors file', () => {
  it.each(['vector', 'hybrid'] as const)(
    'fails its shard as a whole (%s), and the coverage says so',
    async (retriever) => {
      const corpus = await copyOf(embedded);
      const [first] = vectorFiles(corpus) as [string];
      flipByte(first, 600);
      const { hits, coverage } = await search(corpus, 'archive', { retriever, limit: 1000 });
      expect(coverage.failed).toBe(1);
      expect(coverage.failures[0]).toMatchObject({ code: 'SHELFMARK_CORRUPT' });
      expect(coverage.failures[0]!.message).toContain(first);
      expect(hits.length).toBeGreaterThan(0);
      expect(hits.some(({ shelfmark }) => shelfmark.startsWith(coverage.failures[0]!.shard))).toBe(false);
    },
  );
});

describe('vectors of which none can be read', () => {
  it('fail a search by them, and leave a hybrid one the words, with the reason', async () => {
    const corpus = await copyOf(embedded);
    for (const file of vectorFiles(corpus)) flipByte(file, 30);
    await shelfmarkError(search(corpus, 'archive', { retriever: 'vector' }), 'SHELFMARK_CORRUPT');
    const { hits, retrieval } = await search(corpus, 'archive', { retriever: 'hybrid' });
    expect(hits).toEqual((await search(corpus, 'archive', {})).hits);
    expect(retrieval!.note).toContain('is damaged in its header');
  });
});

describe('an endpoint', () => {
  it('is asked for the model and with the prefix that the corpus was embedded with', async () => {
    const server = await startEmbeddingServer();
    const corpus = await copyOf(bare);
    await embedCorpus({ corpus, embedder: named('small'), queryPrefix: 'query: ', passagePrefix: 'passage: ' });
    const answer = await search(corpus, 'archive ledger', { retriever: 'hybrid', embedder: server.url });
    expect(answer.hits).toHaveLength(10);
    expect(server.requests.map(({ body }) => body)).toMatchObject([
      { model: 'small', input: ['query: archive ledger'] },
    ]);
  });

  it('that fails, fails the search', async () => {
    const server = await startEmbeddingServer((response) => answerJson(response, 401, {}));
    const corpus = await copyOf(bare);
    await embedCorpus({ corpus, embedder: named('small') });
    const options = { retriever: 'hybrid', embedder: server.url } as const;
    await shelfmarkError(search(corpus, 'archive', options), 'SHELFMARK_EMBEDDER');
  });

  it('that gives other dimensions fails the search', async () => {
    const wrong: Embedder = { model: 'hash-256', embed: async (texts) => texts.map(() => [1, 2, 3]) };
    const { message } = await shelfmarkError(
      search(embedded, 'archive', { retriever: 'vector', embedder: wrong }),
      'SHELFMARK_EMBEDDER',
    );
    expect(message).toContain('3 dimensions, expected are 256');
  });

  it('that is too slow counts as shards that were not searched in time', async () => {
    const slow: Embedder = { model: 'hash-256', embed: () => new Promise(() => {}) };
    for (const retriever of ['vector', 'hybrid'] as const) {
      const { coverage, hits } = await search(embedded, 'archive', { retriever, embedder: slow, timeoutMs: 300 });
      expect(coverage.timedOut).toBe(coverage.shards);
      expect(hits.length > 0).toBe(retriever === 'hybrid');
    }
  });
});
