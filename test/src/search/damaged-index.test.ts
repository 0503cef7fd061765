import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type ChunkId, ShardReader } from '../../../shards/index.ts';
import { Catalog } from '../../../src/catalog.ts';
import { Corpus, type Hit, type SearchAnswer, type SearchOptions } from '../../../src/index.ts';
import { editShard, tempFolder } from '../../shards/support.ts';
import { build, randomNumbers, randomWords } from '../support.ts';

let path: string;
/** a shard of which every page of the index is damaged, as the catalog lists them the second */
let damaged: string;
let file: string;
let sound: string;

beforeAll(async () => {
  const folder = tempFolder();
  path = join(tempFolder(), 'corpus');
  const random = randomNumbers(11);
  for (let index = 0; index < 60; index++) {
    const sections = Array.from(
      { length: 1 + (index % 3) },
      (_, part) => `## Part ${part}\n\n${randomWords(random, 30)}\n\n`,
    );
    writeFileSync(join(folder, `r${index}.md`), `# ${index}\n\n${sections.join('')}`);
  }
  await build({ sources: [folder], corpus: path, shardBytes: 8192 });
  const catalog = Catalog.openReadOnly(path);
  damaged = catalog.shards()[1]!.name;
  catalog.close();
  file = join(path, 'shards', `${damaged}.shard`);
  sound = join(tempFolder(), 'sound.shard');
  copyFileSync(file, sound);
  editShard(file, (database) =>
    database.exec('UPDATE fts_data SET block = zeroblob(length(block)) WHERE id >= 1 << 37'),
  );
});

async function search(query: string, options: SearchOptions = {}): Promise<SearchAnswer> {
  const corpus = await Corpus.open(path, { workers: 0 });
  try {
    return await corpus.search(query, { limit: 1000, ...options });
  } finally {
    await corpus.close();
  }
}

function isDamaged({ shelfmark }: Hit): boolean {
  return shelfmark.startsWith(`${damaged}/`);
}

/** Passages of the damaged shard and how many of some words each has, most first. */
function expected(
  words: readonly string[],
  by: 'chunk' | 'document',
  isWanted: (text: string) => boolean,
): [string, number][] {
  const reader = new ShardReader(sound);
  const passages = [...reader.documents()].flatMap(({ id, chunkCount }) =>
    Array.from({ length: chunkCount }, (_, index) => {
      const { lead, body } = reader.chunk((id + index) as ChunkId);
      const text = (lead + body).toLowerCase();
      const score = words.filter((word) => text.includes(word.toLowerCase())).length;
      return { document: id, mark: `${damaged}/${id}/${index + 1}`, text, score };
    }),
  );
  reader.close();
  const ordered = passages.filter(({ score, text }) => score > 0 && isWanted(text)).sort((a, b) => b.score - a.score);
  const seen = new Set<number>();
  const first = ordered.filter(({ document }) => !seen.has(document) && seen.add(document));
  return (by === 'chunk' ? ordered : first).map(({ mark, score }) => [mark, score]);
}

describe('a shard whose index is damaged', () => {
  test.each([
    [{ match: 'any', by: 'chunk' }, () => true],
    [{ match: 'strict', by: 'document' }, () => true],
    [{ match: 'all', by: 'chunk' }, (text: string) => text.includes('walnut')],
    [{ match: 'any', by: 'chunk', not: ['walnut'] }, (text: string) => !text.includes('walnut')],
    [{ match: 'any', by: 'chunk', prefixes: ['waln'] }, (text: string) => text.includes('walnut')],
    [{ match: 'any', by: 'chunk', phrases: ['copper archive'] }, (text: string) => text.includes('copper archive')],
    [{ match: 'any', by: 'chunk', pathPrefixes: ['nowhere'] }, () => false],
  ] as const)('is looked through for the words of the query: %j', async (options, isWanted) => {
    const words = ['Copper', 'WALNUT'];
    const wanted = (text: string): boolean =>
      isWanted(text) && (options.match !== 'all' || words.every((word) => text.includes(word.toLowerCase())));
    const { hits, coverage } = await search(words.join(' '), options);
    const without = await search(words.join(' '), { ...options, scanDamaged: false });
    expect(hits.filter((hit) => !isDamaged(hit))).toEqual(without.hits);
    expect(without.coverage).toMatchObject({ failed: 1, scanned: 0 });
    const { shards } = coverage;
    expect(coverage).toMatchObject({ shards, searched: shards - 1, scanned: 1, failed: 0, timedOut: 0 });
    expect(coverage.failures).toMatchObject([{ shard: damaged, code: 'SHELFMARK_CORRUPT' }]);
    const scanned = hits.slice(without.hits.length);
    expect(scanned.map(({ shelfmark, score }) => [shelfmark, score])).toEqual(expected(words, options.by, wanted));
    for (const hit of scanned) expect(hit.rung).toBe('scan');
  });

  test('is shown with the words of the query and explained as a step', async () => {
    const { hits, explain } = await search('copper walnut', { match: 'any', explain: true, evidence: 3 });
    const scanned = hits.filter(isDamaged);
    expect(scanned.length).toBeGreaterThan(0);
    for (const { highlights, matched, evidence, shelfmark } of scanned) {
      expect(highlights.length).toBeGreaterThan(0);
      expect(matched.length).toBeGreaterThan(0);
      expect(evidence!.map((passage) => passage.shelfmark)).toEqual([shelfmark]);
    }
    expect(explain!.rungs.at(-1)).toMatchObject({ name: 'scan', hits: scanned.length });
  });

  test('is left alone where there are hits enough, and gives the rung when there are no others', async () => {
    const few = await search('archive', { limit: 2 });
    expect(few.coverage).toMatchObject({ scanned: 0, failed: 1 });
    expect(few.hits.map(({ rung }) => rung)).toEqual(['all', 'all']);
    // A part of a word is in no index.
    const part = await search('walnu', { match: 'any' });
    expect(part.rung).toBe('scan');
    expect(part.hits.every(isDamaged)).toBe(true);
    expect(part.hits.length).toBeGreaterThan(0);
  });

  test('has failed when its text is damaged too', async () => {
    const copy = join(tempFolder(), 'kept.shard');
    copyFileSync(file, copy);
    editShard(file, (database) => database.exec('UPDATE block SET raw_length = raw_length + 1'));
    const { hits, coverage } = await search('copper', { match: 'any' });
    copyFileSync(copy, file);
    expect(coverage).toMatchObject({ scanned: 0, failed: 1 });
    expect(hits.some(isDamaged)).toBe(false);
  });

  test('has failed when a row that only shown hits need is damaged', async () => {
    const copy = join(tempFolder(), 'kept.shard');
    copyFileSync(file, copy);
    editShard(file, (database) => database.exec('UPDATE document SET checksum = checksum + 1'));
    const { hits, coverage } = await search('copper', { match: 'any' });
    copyFileSync(copy, file);
    expect(coverage).toMatchObject({ scanned: 0, failed: 1 });
    expect(hits.some(isDamaged)).toBe(false);
  });
});
