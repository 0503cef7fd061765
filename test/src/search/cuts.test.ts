import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Corpus, type SearchOptions } from '../../../src/index.ts';
import { temporaryFolder } from '../sources/support.ts';
import { build, randomNumbers, randomWords, shardsOf, writeJsonl } from '../support.ts';

const queries = ['archive ledger', 'saffron', 'copper lantern meadow orchard', 'needle absent', 'wi-fi pepper'];

const ways: readonly SearchOptions[] = [
  { match: 'any', by: 'chunk', limit: 40 },
  { match: 'any', limit: 7 },
  { match: 'strict', limit: 1_000 },
  { match: 'all', by: 'chunk', limit: 3, k1: 1.5, b: 1 },
  { match: 'any', limit: 20, kinds: ['note'], phrases: ['archive archive'] },
  { match: 'any', also: ['falcon'], limit: 10_000, by: 'chunk' },
];

/** What a corpus answers, without what names shards or says how long it took. */
async function answersOf(path: string, workers: number): Promise<unknown> {
  const corpus = await Corpus.open(path, { workers });
  try {
    const answers = [];
    for (const way of ways) {
      for (const query of queries) {
        const { rung, hits, coverage } = await corpus.search(query, { ...way, explain: true });
        expect(coverage).toMatchObject({ failed: 0, timedOut: 0, searched: coverage.shards });
        answers.push({ query, way, rung, hits: hits.map(({ shelfmark: _, source: __, ...hit }) => hit) });
      }
    }
    return answers;
  } finally {
    await corpus.close();
  }
}

test('a corpus answers the same to the last bit however it is cut into shards and spread over threads', async () => {
  const folder = await temporaryFolder();
  const random = randomNumbers(11);
  let text = '';
  const records = Array.from({ length: 400 }, (_, index) => {
    // Every other document is a copy, so that scores tie across shards and threads.
    if (index % 2 === 0) text = `${randomWords(random, 20 + Math.floor(random() * 40))} wi-fi`;
    return { _id: `d${(index * 37) % 400}`, text, kind: index % 3 === 0 ? 'note' : 'mail' };
  });
  const source = await writeJsonl(join(folder, 'a.jsonl'), records);
  const [whole, cut] = [join(folder, 'whole'), join(folder, 'cut')];
  await build({ sources: [source], corpus: whole });
  await build({ sources: [source], corpus: cut, shardBytes: 4096 });
  expect(shardsOf(whole)).toHaveLength(1);
  expect(shardsOf(cut).length).toBeGreaterThan(25);
  const expected = await answersOf(whole, 1);
  expect(await answersOf(cut, 1)).toEqual(expected);
  expect(await answersOf(cut, 2)).toEqual(expected);
});
