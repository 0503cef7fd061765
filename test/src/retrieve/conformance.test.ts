import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Corpus, type Hit, type RetrieverName, type SearchOptions } from '../../../src/index.ts';
import { temporaryFolder } from '../cli/command-line.ts';
import { failureOf, shelfmarkError } from '../support.ts';
import { documentCount, embeddedCorpus, questions, replacedStart } from './fixture.ts';

const folder = temporaryFolder();
let whole: Corpus;
let cut: Corpus;
let threaded: Corpus;

beforeAll(async () => {
  whole = await Corpus.open(await embeddedCorpus(folder, 'whole', 10_000_000), { workers: 0 });
  const path = await embeddedCorpus(folder, 'cut', 4096);
  cut = await Corpus.open(path, { workers: 0 });
  threaded = await Corpus.open(path, { workers: 2 });
});

afterAll(async () => {
  for (const corpus of [whole, cut, threaded]) await corpus.close();
});

async function ask(corpus: Corpus, options: SearchOptions): Promise<Hit[][]> {
  const answers: Hit[][] = [];
  for (const question of questions) {
    answers.push([...(await corpus.search(question, { match: 'any', ...options })).hits]);
  }
  return answers;
}

/** What of a hit does not depend on how the corpus is cut. */
function describeHit({ uri, collection, ordinal, score, rank, rung, retrievers }: Hit): unknown {
  return { uri, collection, ordinal, score, rank, rung, retrievers };
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Whatever finds hits has to pass these. */
describe.each(['lexical', 'vector', 'hybrid'] satisfies RetrieverName[])('the retriever %s', (retriever) => {
  it('gives each document once, or each passage, best first, and as many as are wanted', async () => {
    for (const by of ['document', 'chunk'] as const) {
      for (const limit of [1, 7, 10_000]) {
        for (const hits of await ask(cut, { retriever, by, limit })) {
          const keys = hits.map(
            ({ uri, collection, ordinal }) => `${collection} ${uri} ${by === 'chunk' ? ordinal : ''}`,
          );
          expect(new Set(keys).size).toBe(hits.length);
          expect(hits.length).toBeGreaterThan(0);
          expect(hits.length).toBeLessThanOrEqual(limit);
          expect(hits.map(({ rank }) => rank)).toEqual(hits.map((_, index) => index + 1));
          const scores = hits.map(({ score }) => score);
          expect(scores).toEqual([...scores].sort((a, b) => b - a));
          if (by === 'document') expect(hits.length).toBeLessThanOrEqual(documentCount);
        }
      }
    }
  });

  it('orders hits with equal scores by name', async () => {
    let ties = 0;
    for (const hits of await ask(cut, { retriever, by: 'chunk', limit: 1000 })) {
      for (const [index, hit] of hits.entries()) {
        const next = hits[index + 1];
        if (next === undefined || next.score !== hit.score) continue;
        ties++;
        const order = [hit, next].map(({ uri, collection, ordinal }) => [uri, collection, ordinal] as const);
        expect(order).toEqual([...order].sort(([a, x, m], [b, y, n]) => compare(a, b) || compare(x, y) || m - n));
      }
    }
    expect(ties).toBeGreaterThan(0);
  });

  it('begins a longer list with the shorter one', async () => {
    const long = await ask(cut, { retriever, limit: 10 });
    const short = await ask(cut, { retriever, limit: 4 });
    expect(short.map((hits) => hits.map(describeHit))).toEqual(long.map((hits) => hits.slice(0, 4).map(describeHit)));
  });

  it('gives the same hits however the corpus is cut and however many threads search', async () => {
    for (const by of ['document', 'chunk'] as const) {
      const lists: unknown[] = [];
      for (const corpus of [whole, cut, threaded]) {
        lists.push((await ask(corpus, { retriever, by, limit: 40 })).map((hits) => hits.map(describeHit)));
      }
      expect(lists[1]).toEqual(lists[0]);
      expect(lists[2]).toEqual(lists[0]);
    }
  });

  it('keeps to filters, phrases, prefixes and exclusions, and leaves out what was replaced', async () => {
    const every = (await ask(cut, { retriever, limit: 10_000, text: true })).flat();
    expect(every.some(({ text }) => text!.startsWith(replacedStart))).toBe(false);
    const narrowed: [SearchOptions, (hit: Hit) => boolean][] = [
      [{ kinds: ['note'] }, ({ kind }) => kind === 'note'],
      [{ kinds: ['note'], collections: ['x'] }, ({ kind, collection }) => kind === 'note' && collection === 'x'],
      [{ pathPrefixes: ['d1'], fileTypes: ['md'] }, ({ uri }) => uri.startsWith('d1')],
      [{ phrases: ['harbour copper'] }, ({ text }) => text!.includes('harbour copper')],
      [{ prefixes: ['orch'] }, ({ text }) => text!.includes('orchard')],
      [{ not: ['meadow'] }, ({ text }) => !text!.includes('meadow')],
      [{ not: ['archive ledger'] }, ({ text }) => !text!.includes('archive ledger')],
    ];
    for (const [options, isWanted] of narrowed) {
      const hits = (await ask(cut, { retriever, limit: 10_000, by: 'chunk', text: true, ...options })).flat();
      expect(hits.length).toBeGreaterThan(0);
      expect(hits.every(isWanted)).toBe(true);
    }
  });

  it('refuses a filter by what no document has, and names what there is', async () => {
    const { message } = await shelfmarkError(cut.search('archive', { retriever, kinds: ['poem'] }), 'SHELFMARK_USAGE');
    expect(message).toContain('Known: "note", "letter"');
  });

  it('gives a batch the hits of single questions, with text and without', async () => {
    const queries = questions.map((text, index) => ({ id: String(index), text }));
    const options = { retriever, match: 'any', limit: 5 } as const;
    const single = await ask(cut, options);
    for await (const { id, hits } of cut.batch(queries, options)) expect(hits).toEqual(single[Number(id)]);
    for await (const { id, hits } of cut.rank(queries, options)) {
      const wanted = single[Number(id)]!.map(({ rank, score, uri, ordinal, shelfmark }) => {
        return { rank, score, uri, ordinal, shelfmark };
      });
      expect(hits).toEqual(wanted);
    }
  });

  it('answers a batch row without words with no hits', async () => {
    for await (const row of cut.rank([{ id: 'a', text: '?!' }], { retriever })) {
      expect(row).toMatchObject({ rung: null, hits: [] });
    }
  });

  it('stops when it is told to', async () => {
    const reason = new Error('enough');
    expect(await failureOf(cut.search('archive', { retriever, signal: AbortSignal.abort(reason) }))).toBe(reason);
  });
});
