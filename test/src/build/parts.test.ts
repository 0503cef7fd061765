import { existsSync } from 'node:fs';
import { appendFile, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Catalog } from '../../../src/catalog.ts';
import { adoptParts } from '../../../src/index.ts';
import { temporaryFolder } from '../sources/support.ts';
import {
  build,
  contentOf,
  documentsOf,
  randomNumbers,
  randomWords,
  rejectsOf,
  runJob,
  shardsOf,
  shelfmarkError,
  strayFiles,
  urisOf,
  withCorpus,
  withoutShards,
  writeJsonl,
} from '../support.ts';

interface Parts {
  readonly folder: string;
  readonly sources: readonly string[];
  readonly whole: string;
  readonly parts: readonly string[];
}

const shardBytes = 8192;

/** A whole corpus and its three parts; ids repeat, within a part and across parts. */
async function buildParts(): Promise<Parts> {
  const folder = await temporaryFolder();
  const random = randomNumbers(11);
  const records = Array.from({ length: 240 }, (_, index) =>
    index % 40 === 20 ? 'no json' : { _id: `d${index % 50 === 3 ? 0 : index}`, text: randomWords(random, 40) },
  );
  const sources = [
    await writeJsonl(join(folder, 'a.jsonl'), records.slice(0, 150)),
    await writeJsonl(join(folder, 'b.jsonl'), records.slice(150)),
  ];
  const whole = join(folder, 'whole');
  await build({ sources, corpus: whole, shardBytes });
  const parts: string[] = [];
  for (let index = 1; index <= 3; index++) {
    const corpus = join(folder, `part-${index}`);
    await build({ sources, corpus, shardBytes, part: { index, count: 3 } });
    parts.push(corpus);
  }
  return { folder, sources, whole, parts };
}

describe('the parts of a job array', () => {
  test('are disjoint and complete, and joined are the whole', async () => {
    const { folder, sources, whole, parts } = await buildParts();
    const expected = withoutShards(documentsOf(whole));
    const places = parts.map((part) => documentsOf(part).map(({ source }) => `${source.path}:${source.byteStart}`));
    expect(places.every((list) => list.length > 20)).toBe(true);
    expect(new Set(places.flat()).size).toBe(places.flat().length);

    const joined = join(folder, 'joined');
    const report = await adoptParts(joined, parts);
    const across = places.flat().length - expected.length;
    expect(across).toBeGreaterThan(0);
    expect(report).toMatchObject({
      corpus: joined,
      shards: parts.flatMap(shardsOf).length,
      documents: expected.length,
      duplicates: across,
      rejects: join(joined, 'rejects.jsonl'),
    });
    expect(urisOf(joined)).toEqual(urisOf(whole));
    const rejects = (rows: Awaited<ReturnType<typeof rejectsOf>>): string[] => rows.map(({ kind }) => kind).sort();
    expect(rejects(await rejectsOf(joined))).toEqual(rejects(await rejectsOf(whole)));
    const twice = (await rejectsOf(joined)).filter(({ reason }) => reason.includes('another part'));
    expect(twice.map(({ uri }) => uri)).toEqual(Array.from({ length: across }, () => 'd0'));
    for (const { source, byteStart, byteEnd } of twice) {
      const record = (await readFile(source)).subarray(byteStart, byteEnd!);
      expect(JSON.parse(record.toString())).toMatchObject({ _id: 'd0' });
    }

    await withCorpus(joined, async (corpus) => {
      const { hits } = await corpus.search('archive', { limit: 1000, match: 'any' });
      expect(new Set(hits.map(({ uri }) => uri)).size).toBe(hits.length);
      expect(await corpus.verify({ deep: true })).toMatchObject({ ok: true, strays: [], catalog: { ok: true } });
    });

    const content = await contentOf(joined, ['archive', 'pepper walnut']);
    expect(await adoptParts(joined, parts)).toMatchObject({ shards: 0, documents: 0, duplicates: 0 });
    expect(await contentOf(joined, ['archive', 'pepper walnut'])).toEqual(content);

    // Building the whole into the joined corpus finds everything there.
    const rebuilt = await build({ sources, corpus: joined, shardBytes });
    expect(rebuilt).toMatchObject({ indexed: 0, unchanged: expected.length, newShards: 0, removed: 0 });
    expect(rebuilt.seen).toBe(240);
    await writeJsonl(sources[1]!, [{ _id: 'only', text: 'left' }]);
    const shrunk = await build({ sources, corpus: joined, shardBytes });
    expect(shrunk.removed).toBeGreaterThan(0);
    expect(urisOf(joined).length).toBe(shrunk.indexed + shrunk.unchanged);
    expect(await strayFiles(joined)).toEqual([]);
  });

  test('are joined as well by a run that is killed and run again', async () => {
    const { folder, parts } = await buildParts();
    const unbroken = join(folder, 'unbroken');
    await runJob('adopt', { corpus: unbroken, parts });
    const joined = join(folder, 'joined');
    const random = randomNumbers(Date.now());
    let kills = 0;
    for (let done = false; !done; ) {
      const { killed, stderr } = await runJob(
        'adopt',
        { corpus: joined, parts },
        kills < 6 ? random() * 60 : undefined,
      );
      if (killed) kills++;
      else expect(stderr).toBe('');
      done = !killed;
    }
    expect(documentsOf(joined)).toEqual(documentsOf(unbroken));
    expect(await rejectsOf(joined)).toEqual(await rejectsOf(unbroken));
    expect(await strayFiles(joined)).toEqual([]);
  });

  test('are refused when one is unfinished, damaged, incomplete or the corpus itself, and nothing of it is taken', async () => {
    const { folder, parts } = await buildParts();
    const joined = join(folder, 'joined');
    const [first = '', second = '', third = ''] = parts;
    expect((await shelfmarkError(adoptParts(joined, [first, joined]), 'SHELFMARK_USAGE')).message).toContain('itself');
    await shelfmarkError(adoptParts(joined, [join(folder, 'nowhere')]), 'SHELFMARK_NOT_FOUND');

    const catalog = Catalog.openWritable(third);
    const unfinished = catalog.addBuild('an interrupted command', 1);
    catalog.close();
    const refusal = await shelfmarkError(adoptParts(joined, parts), 'SHELFMARK_USAGE');
    expect(refusal.message).toContain(third);
    expect(existsSync(joined)).toBe(false);
    const mended = Catalog.openWritable(third);
    mended.finishBuild(unfinished);
    mended.close();

    const [, damaged = ''] = (await readdir(join(second, 'shards'))).sort();
    const file = join(second, 'shards', damaged);
    const bytes = await readFile(file);
    bytes[bytes.length >> 1]! ^= 1;
    await writeFile(file, bytes);
    expect((await shelfmarkError(adoptParts(joined, parts), 'SHELFMARK_CORRUPT')).message).toContain(file);
    expect(shardsOf(joined)).toEqual(shardsOf(first));
    expect(await strayFiles(joined)).toEqual([]);

    await rm(file);
    const missing = await shelfmarkError(adoptParts(joined, parts), 'SHELFMARK_CORRUPT');
    expect(missing.message).toContain(`${file} is missing`);
    bytes[bytes.length >> 1]! ^= 1;
    await writeFile(file, bytes);
    expect((await adoptParts(joined, parts)).shards).toBe([second, third].flatMap(shardsOf).length);
    const linked = await stat(join(joined, 'shards', `${shardsOf(first)[0]}.shard`));
    expect(linked.nlink).toBe(2);
  });

  test('are refused when documents of one were replaced after it was adopted', async () => {
    const { folder, sources, parts } = await buildParts();
    const joined = join(folder, 'joined');
    await adoptParts(joined, parts);
    await writeJsonl(sources[0]!, [{ _id: 'd0', text: 'replaced' }]);
    await build({ sources, corpus: parts[0]!, shardBytes, part: { index: 1, count: 3 } });
    const error = await shelfmarkError(adoptParts(joined, parts), 'SHELFMARK_USAGE');
    expect(error.message).toContain('into a new corpus');
  });

  test('built into one corpus leave each other alone when they are built again', async () => {
    // A part that read its file again used to retire the documents of the other parts, which it had not met.
    const folder = await temporaryFolder();
    const random = randomNumbers(4);
    const records = Array.from({ length: 40 }, (_, index) => ({ _id: `d${index}`, text: randomWords(random, 50) }));
    const file = await writeJsonl(join(folder, 'a.jsonl'), records);
    const options = { sources: [file], corpus: join(folder, 'corpus'), shardBytes: 4096 };
    for (const index of [1, 2]) await build({ ...options, part: { index, count: 2 } });
    expect(urisOf(options.corpus)).toHaveLength(40);
    await appendFile(file, '{"_id":"new","text":"appended"}\n');
    expect(await build({ ...options, part: { index: 1, count: 2 } })).toMatchObject({ removed: 0 });
    expect(await build({ ...options, part: { index: 2, count: 2 } })).toMatchObject({ removed: 0 });
    expect(urisOf(options.corpus)).toHaveLength(41);
  });

  test('that hold nothing but rejects bring their rejects along', async () => {
    const folder = await temporaryFolder();
    const part = join(folder, 'part');
    const joined = join(folder, 'joined');
    await build({ sources: [await writeJsonl(join(folder, 'a.jsonl'), ['no json'])], corpus: part });
    for (let round = 0; round < 2; round++) {
      await adoptParts(joined, [part]);
      expect(await rejectsOf(joined)).toEqual(await rejectsOf(part));
    }
  });
});
