import { rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { adoptParts } from '../../../src/index.ts';
import { temporaryFolder } from '../sources/support.ts';
import {
  build,
  documentsOf,
  randomNumbers,
  randomWords,
  shardsOf,
  shelfmarkError,
  withCorpus,
  withoutShards,
  writeJsonl,
} from '../support.ts';

/** A corpus of several shards made from one file. */
async function severalShards() {
  const folder = await temporaryFolder();
  const random = randomNumbers(5);
  const records = Array.from({ length: 120 }, (_, index) => ({ _id: `d${index}`, text: randomWords(random, 40) }));
  const sources = [await writeJsonl(join(folder, 'a.jsonl'), records)];
  const options = { sources, corpus: join(folder, 'corpus'), shardBytes: 8192 };
  await build(options);
  return { folder, options, fileOf: (id: string) => join(options.corpus, 'shards', `${id}.shard`) };
}

describe('a shard whose file is lost', () => {
  test('is noticed by stats and by the next build, which names it and the ways out', async () => {
    // The build once found every source unchanged and said nothing of the hole.
    const { options, fileOf } = await severalShards();
    const [first = '', second = ''] = shardsOf(options.corpus);
    await rm(fileOf(first));
    await truncate(fileOf(second), 4096);
    expect(await withCorpus(options.corpus, async (corpus) => corpus.stats().lostShards)).toBe(2);
    const error = await shelfmarkError(build(options), 'SHELFMARK_CORRUPT');
    expect(error.message).toMatch(
      new RegExp(`(${first}|${second}).shard is missing or cut off, and 1 more.*--rebuild-lost`),
    );
  });

  test('is rebuilt when asked for: only its documents are indexed, and the corpus is whole again', async () => {
    const { options, fileOf } = await severalShards();
    const documents = documentsOf(options.corpus);
    const [first = '', second = ''] = shardsOf(options.corpus);
    const lost = documents.filter(({ shard }) => shard === first || shard === second).length;
    await rm(fileOf(first));
    await truncate(fileOf(second), 4096);
    const report = await build({ ...options, rebuildLost: true });
    expect(report).toMatchObject({ indexed: lost, unchanged: 120 - lost, duplicate: 0, skipped: 0 });
    expect(withoutShards(documentsOf(options.corpus))).toEqual(withoutShards(documents));
    const verified = await withCorpus(options.corpus, (corpus) => corpus.verify({ deep: true }));
    expect(verified).toMatchObject({ ok: true, strays: [] });
    expect(await build(options)).toMatchObject({ indexed: 0, unchanged: 120, newShards: 0 });
  });

  test('comes back when the part that has it is adopted again', async () => {
    const { folder, options } = await severalShards();
    const joined = join(folder, 'joined');
    await adoptParts(joined, [options.corpus]);
    const [first = ''] = shardsOf(joined);
    await rm(join(joined, 'shards', `${first}.shard`));
    expect(await adoptParts(joined, [options.corpus])).toMatchObject({ shards: 0, documents: 0, duplicates: 0 });
    const verified = await withCorpus(joined, (corpus) => corpus.verify());
    expect(verified).toMatchObject({ ok: true });
  });
});
