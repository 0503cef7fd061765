import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Corpus, type Hit } from '../../../src/index.ts';
import { editShard, tempFolder } from '../../shards/support.ts';
import { build, randomNumbers, randomWords, shelfmarkError } from '../support.ts';

let path: string;
let corpus: Corpus;

beforeAll(async () => {
  const folder = tempFolder();
  path = join(tempFolder(), 'corpus');
  const random = randomNumbers(8);
  const section = (index: number): string => `## Part ${index}\n\n${randomWords(random, 12)}\n\n`;
  for (let index = 0; index < 60; index++) {
    const sections = Array.from({ length: 1 + (index % 6) }, (_, part) => section(part));
    writeFileSync(join(folder, `r${index}.md`), `# Ledger ${index}\n\n${sections.join('')}`);
  }
  await build({ sources: [folder], corpus: path, shardBytes: 8192 });
  corpus = await Corpus.open(path, { workers: 0 });
});

afterAll(() => corpus.close());

describe('evidence', () => {
  test.each(['any', 'strict'] as const)(
    'is what a search by chunk finds in the document, with --match %s',
    async (match) => {
      const sizes: number[] = [];
      for (const query of ['archive walnut', 'copper ledger river', 'pepper']) {
        const plain = await corpus.search(query, { match, limit: 20 });
        const { hits } = await corpus.search(query, { match, limit: 20, evidence: 3, text: true });
        const chunks = await corpus.search(query, { match, limit: 10_000, by: 'chunk', text: true });
        expect(hits.map(({ evidence: _, text: __, textStart: ___, ...hit }) => hit)).toEqual(plain.hits);
        for (const { uri, shelfmark, evidence } of hits) {
          expect(evidence![0]).toMatchObject({ shelfmark });
          expect(evidence).toEqual(
            chunks.hits
              .filter((hit) => hit.uri === uri)
              .slice(0, 3)
              .map(evidenceOf),
          );
        }
        sizes.push(...hits.map(({ evidence }) => evidence!.length));
      }
      expect(new Set(sizes)).toEqual(new Set([1, 2, 3]));
    },
  );

  test('of filled hits is found by the step of each, and accounts for its scores', async () => {
    const options = { evidence: 5, fill: true, explain: true, limit: 60 };
    const { hits } = await corpus.search('archive walnut', options);
    expect(new Set(hits.map(({ rung }) => rung)).size).toBe(2);
    for (const { rung, evidence } of hits) {
      for (const { score, missing, explain } of evidence!) {
        expect(explain!.terms.reduce((sum, { contribution }) => sum + contribution, 0)).toBe(score);
        if (rung === 'all') expect(missing).toEqual([]);
      }
    }
  });

  test('of one is the hit itself, of none is not there, and by chunk is refused', async () => {
    const { hits } = await corpus.search('archive', { evidence: 1 });
    for (const hit of hits) expect(hit.evidence).toEqual([evidenceOf(hit)]);
    expect((await corpus.search('archive')).hits[0]).not.toHaveProperty('evidence');
    await shelfmarkError(corpus.search('archive', { evidence: 1, by: 'chunk' }), 'SHELFMARK_USAGE');
    await shelfmarkError(corpus.search('archive', { evidence: 101 }), 'SHELFMARK_USAGE');
  });

  test('whose text is damaged makes its shard fail, and others move up', async () => {
    const { hits } = await corpus.search('ledger', { evidence: 6 });
    const shard = hits[0]!.shelfmark.split('/')[0]!;
    const file = join(path, 'shards', `${shard}.shard`);
    editShard(file, (database) => database.exec('UPDATE block SET raw_length = raw_length + 1'));
    const damaged = await Corpus.open(path, { workers: 0 });
    const answer = await damaged.search('ledger', { evidence: 6 });
    await damaged.close();
    expect(answer.coverage).toMatchObject({ failed: 1, failures: [{ shard }] });
    expect(answer.hits).toHaveLength(10);
    expect(answer.hits.every(({ shelfmark }) => !shelfmark.startsWith(shard))).toBe(true);
  });
});

function evidenceOf({
  rank,
  uri,
  title,
  rung,
  label,
  kind,
  collection,
  language,
  modified_at,
  source,
  evidence,
  ...own
}: Hit) {
  return own;
}
