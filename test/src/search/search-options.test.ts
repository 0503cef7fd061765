import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { fillSearchOptions } from '../../../src/search/options.ts';
import type { SynonymRule } from '../../../src/search/synonyms.ts';
import { tempFolder } from '../../shards/support.ts';
import { build, search, shelfmarkError, withCorpus, writeJsonl } from '../support.ts';

let corpus: string;

beforeAll(async () => {
  const folder = tempFolder();
  corpus = join(folder, 'corpus');
  const records = [
    { _id: 'phrase', text: 'The reading room is closed.' },
    { _id: 'words', text: 'A room for reading, closed.' },
    { _id: 'often', text: 'quince quince quince quince' },
    { _id: 'long', text: `quince ${'filler '.repeat(40)}` },
    { _id: 'short', text: 'quince' },
  ];
  await build({ sources: [await writeJsonl(join(folder, 'a.jsonl'), records)], corpus });
});

async function found(query: string, options: Parameters<typeof search>[2]): Promise<string[]> {
  return (await search(corpus, query, options)).map(({ uri }) => uri);
}

describe('phrases', () => {
  test('must be in every hit, beside the words of the query or alone', async () => {
    expect((await found('closed', {})).sort()).toEqual(['phrase', 'words']);
    expect(await found('closed', { phrases: ['reading room'] })).toEqual(['phrase']);
    expect(await found('quince', { phrases: ['reading room'], match: 'all' })).toEqual([]);
    await withCorpus(corpus, async (open) => {
      const answer = await open.search('', { phrases: ['Reading ROOMS', 'is closed'] });
      expect(answer).toMatchObject({ rung: 'phrase', hits: [{ uri: 'phrase', missing: [] }] });
      expect(answer.hits[0]!.matched).toEqual(['Reading', 'ROOMS', 'is', 'closed']);
    });
  });

  test('and a query without any word are refused', async () => {
    await withCorpus(corpus, async (open) => {
      await shelfmarkError(open.search('', {}), 'SHELFMARK_NO_WORDS');
      await shelfmarkError(open.search('closed', { phrases: ['?!'] }), 'SHELFMARK_NO_WORDS');
      await shelfmarkError(open.search('?!', { phrases: ['reading room'] }), 'SHELFMARK_NO_WORDS');
    });
  });
});

describe('k1 and b', () => {
  test('say how much it counts that a word comes often, and that a passage is long', async () => {
    expect(await found('quince', {})).toEqual(['often', 'short', 'long']);
    // Neither occurrences nor length count: all the same, by uri.
    expect(await found('quince', { k1: 0 })).toEqual(['long', 'often', 'short']);
    expect(await found('quince', { b: 0 })).toEqual(['often', 'long', 'short']);
  });

  test.each([
    [{ k1: -0.1 }, 'k1'],
    // With a larger one, sums of many words would not be exact any more.
    [{ k1: 3.1 }, 'k1'],
    [{ k1: Number.NaN }, 'k1'],
    [{ k1: '1' as unknown as number }, 'k1'],
    [{ b: 1.01 }, 'b'],
    [{ b: -1 }, 'b'],
    [{ phrases: 'reading room' as unknown as string[] }, 'phrases'],
    [{ phrases: [1] as unknown as string[] }, 'phrases'],
    [{ fallback: 'shortest' as 'longest' }, 'fallback'],
    [{ synonyms: [{ words: ['a'] }] as unknown as SynonymRule[] }, 'synonyms'],
    [{ synonyms: 'file.txt' as unknown as SynonymRule[] }, 'synonyms'],
  ])('and other options are refused when they are not what they should be: %j', (options, option) => {
    expect(() => fillSearchOptions(options)).toThrow(
      expect.objectContaining({ code: 'SHELFMARK_USAGE', facts: expect.objectContaining({ option }) }),
    );
  });
});

describe('an explanation', () => {
  test('accounts for every score and for the work of every step', async () => {
    await withCorpus(corpus, async (open) => {
      const options = { match: 'strict', explain: true, k1: 1.2, b: 0.5 } as const;
      const { hits, explain } = await open.search('quince absent', options);
      expect(hits).toHaveLength(3);
      for (const { score, explain } of hits) {
        expect(explain!.terms).toMatchObject([{ term: 'quinc', df: 3 }]);
        expect(explain!.terms.reduce((sum, { contribution }) => sum + contribution, 0)).toBe(score);
      }
      expect(explain!.scoring).toMatchObject({ k1: 1.2, b: 0.5, columnWeights: [2, 1.5, 1], chunks: 5 });
      expect(explain!.rungs).toMatchObject([
        { name: 'all', hits: 0, work: { shards: 0, candidates: 0 } },
        { name: 'top5', hits: 3, work: { shards: 1, blocks: 1, candidates: 3 } },
      ]);
      // The terms are known now, so nobody is asked for them.
      expect((await open.search('absent quince', options)).explain!.countMs).toBe(0);
    });
  });

  test('is not there when it was not asked for', async () => {
    const [hit] = await search(corpus, 'quince');
    expect(hit).not.toHaveProperty('explain');
  });
});
