import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatTrecRows } from '../../../src/batch/trec.ts';
import { Corpus, type Hit, type RankedRow, type SearchOptions } from '../../../src/index.ts';
import { editShard, tempFolder } from '../../shards/support.ts';
import { build, randomNumbers, randomWords, search, withCorpus, writeJsonl } from '../support.ts';

let corpus: Corpus;

beforeAll(async () => {
  const folder = tempFolder();
  const path = join(tempFolder(), 'corpus');
  const random = randomNumbers(5);
  const text = (): string => `${randomWords(random, 1 + Math.floor(random() * 25))}.`;
  for (let index = 0; index < 300; index++) {
    const sections = Array.from({ length: 1 + (index % 3) }, (_, part) => `## Part ${part}\n\n${text()}\n\n`);
    writeFileSync(join(folder, `r${index}.md`), `# ${index}\n\n${sections.join('')}`);
  }
  await build({ sources: [folder], corpus: path, shardBytes: 8192 });
  corpus = await Corpus.open(path, { workers: 2 });
});

afterAll(() => corpus.close());

const queries = fc
  .uniqueArray(fc.constantFrom('archive', 'ledger', 'copper', 'walnut', 'oyster', 'pepper', 'absent'), {
    minLength: 1,
    maxLength: 5,
  })
  .map((words) => words.join(' '));

function placesOf(hits: readonly Hit[]): string[] {
  return hits.map(({ shelfmark, score, rung }) => `${shelfmark} ${score} ${rung}`);
}

describe('filling up', () => {
  test('gives the hits of each step in its order below those of the step before, none twice', async () => {
    const wanted = fc.record({
      query: queries,
      limit: fc.integer({ min: 1, max: 200 }),
      by: fc.constantFrom('document' as const, 'chunk' as const),
    });
    await fc.assert(
      fc.asyncProperty(wanted, async ({ query, limit, by }) => {
        const filled = await corpus.search(query, { limit, by, fill: true });
        const all = (await corpus.search(query, { limit, by, match: 'all' })).hits;
        // Of five words at most the fallback takes all, as `any` does.
        const any = (await corpus.search(query, { limit: 10_000, by, match: 'any' })).hits;
        const keyOf = ({ shelfmark, uri }: Hit): string => (by === 'chunk' ? shelfmark : uri);
        const seen = new Set(all.map(keyOf));
        const rest = any.filter((hit) => !seen.has(keyOf(hit))).map((hit): Hit => ({ ...hit, rung: 'top5' }));
        expect(placesOf(filled.hits)).toEqual(placesOf([...all, ...rest].slice(0, limit)));
        expect(filled.hits.map(({ rank }) => rank)).toEqual(filled.hits.map((_, index) => index + 1));
        expect(filled.rung).toBe(all.length > 0 ? 'all' : 'top5');
      }),
      { numRuns: 25 },
    );
  });

  test('does nothing where there are enough, and nothing unless it is asked for', async () => {
    const few = await corpus.search('archive ledger', { limit: 3, explain: true, fill: true });
    expect(few.explain!.rungs.map(({ name }) => name)).toEqual(['all']);
    const { hits } = await corpus.search('archive walnut oyster', { limit: 200 });
    expect(hits.length).toBeLessThan(200);
    expect(new Set(hits.map(({ rung }) => rung))).toEqual(new Set(['all']));
  });

  test('accounts for the score of each hit by the words of its own step', async () => {
    const { hits } = await corpus.search('archive ledger walnut', {
      limit: 250,
      also: ['pepper'],
      fill: true,
      explain: true,
    });
    expect(new Set(hits.map(({ rung }) => rung))).toEqual(new Set(['all', 'top5']));
    for (const { rung, score, explain, matched, missing } of hits) {
      expect(explain!.terms.reduce((sum, { contribution }) => sum + contribution, 0)).toBe(score);
      expect([...matched, ...missing].includes('pepper')).toBe(rung === 'top5');
    }
  });

  test('prints falling scores in a TREC run, where a later step scored higher', async () => {
    const options = { limit: 250, also: ['oyster', 'pepper'], fill: true };
    const rows: RankedRow[] = [];
    for await (const row of corpus.rank([{ id: 'q', text: 'archive ledger' }], options)) rows.push(row);
    const [row] = rows;
    const scores = row!.hits.map(({ score }) => score);
    expect(scores.some((score, index) => index > 0 && score > scores[index - 1]!)).toBe(true);
    const printed = formatTrecRows(row!, 'document', 'tag')
      .trimEnd()
      .split('\n')
      .map((line) => Number(line.split(' ')[4]));
    expect(printed.every((score, index) => index === 0 || score < printed[index - 1]!)).toBe(true);
  });

  test('drops the hits of a shard that fails in a later step', async () => {
    const folder = tempFolder();
    const path = join(folder, 'corpus');
    const records = Array.from({ length: 600 }, (_, index) => ({
      _id: `r${index}`,
      text: `common ${index % 300 === 7 ? 'quince medlar' : ''}`,
    }));
    await build({ sources: [await writeJsonl(join(folder, 'a.jsonl'), records)], corpus: path, shardBytes: 12_000 });
    const options = { limit: 600, also: ['common'], scanDamaged: false };
    const shardOf = ({ shelfmark }: Hit): string => shelfmark.split('/')[0]!;
    const [strict] = await search(path, 'quince medlar', options);
    const damaged = shardOf(strict!);
    editShard(join(path, 'shards', `${damaged}.shard`), (database) =>
      database.exec('UPDATE list_segment SET raw_length = raw_length + 1'),
    );
    await withCorpus(path, async (open) => {
      // Rare words have no list, so the step that finds them notices nothing.
      expect((await open.search('quince medlar', options)).hits.map(shardOf)).toContain(damaged);
      const { hits, coverage } = await open.search('quince medlar', { ...options, fill: true });
      expect(coverage).toMatchObject({ shards: 2, failed: 1 });
      expect(hits.map(shardOf)).not.toContain(damaged);
      expect(hits.map(({ rung }) => rung)).toContain('top5');
    });
  });

  test('drops the hits of a shard that fails in a later step of another query', async () => {
    const folder = tempFolder();
    const path = join(folder, 'corpus');
    const records = Array.from({ length: 300 }, (_, index) => ({
      _id: `r${index}`,
      text: `common ${index === 7 ? 'quince' : ''}`,
    }));
    await build({ sources: [await writeJsonl(join(folder, 'a.jsonl'), records)], corpus: path });
    const [{ shelfmark }] = (await search(path, 'quince')) as [Hit];
    editShard(join(path, 'shards', `${shelfmark.split('/')[0]}.shard`), (database) =>
      database.exec('UPDATE list_segment SET raw_length = raw_length + 1'),
    );
    const both = [
      { id: 'done', text: 'quince' },
      { id: 'goes on', text: 'common absent' },
    ];
    const hitsOf = (options: SearchOptions): Promise<string[]> =>
      withCorpus(path, async (open) => {
        for await (const { hits } of open.batch(both, options)) return hits.map(({ uri, rung }) => `${uri} ${rung}`);
        return [];
      });
    expect(await hitsOf({ scanDamaged: false })).toEqual([]);
    expect(await hitsOf({})).toEqual(['r7 scan']);
  });
});
