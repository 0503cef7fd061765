import { spawnSync } from 'node:child_process';
import { appendFile, copyFile, mkdir, readFile, rename, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { BuildOptions } from '../../../src/index.ts';
import { temporaryFolder } from '../sources/support.ts';
import {
  build,
  documentsOf,
  failureOf,
  randomNumbers,
  randomWords,
  rejectsOf,
  runJob,
  search,
  shardsOf,
  strayFiles,
  urisOf,
  withCorpus,
  withoutShards,
  writeJsonl,
} from '../support.ts';

/** A folder with one JSON Lines file and the options to build it. */
async function oneFile(records: readonly object[]): Promise<{ file: string; folder: string; options: BuildOptions }> {
  const folder = await temporaryFolder();
  const file = await writeJsonl(join(folder, 'a.jsonl'), records);
  return { folder, file, options: { sources: [file], corpus: join(folder, 'corpus') } };
}

async function expectSound(corpus: string): Promise<void> {
  const report = await withCorpus(corpus, (open) => open.verify({ deep: true }));
  expect(report.catalog).toMatchObject({ ok: true });
  expect(report).toMatchObject({ ok: true, strays: [] });
  expect(await strayFiles(corpus)).toEqual([]);
}

const animals = [
  { _id: 'cat', text: 'the cat purrs' },
  { _id: 'dog', text: 'the dog barks' },
  { _id: 'cat', text: 'a second cat' },
  { _id: 'owl', text: 'the owl hoots' },
];

describe('the same command again', () => {
  test('skips a source of the same size and time, and recognises the records of one that was only touched', async () => {
    const { file, options } = await oneFile(animals);
    expect(await build(options)).toMatchObject({ indexed: 3, duplicate: 1, newShards: 1 });
    const shards = shardsOf(options.corpus);
    expect(await build(options)).toMatchObject({
      unchangedSources: 1,
      unchanged: 3,
      duplicate: 1,
      newShards: 0,
      seen: 4,
    });
    await utimes(file, new Date(1e12), new Date(1e12));
    expect(await build(options)).toMatchObject({
      unchangedSources: 0,
      unchanged: 3,
      duplicate: 1,
      newShards: 0,
      seen: 4,
    });
    expect(await build(options)).toMatchObject({ unchangedSources: 1, unchanged: 3 });
    expect(shardsOf(options.corpus)).toEqual(shards);
  });

  test('replaces changed records, retires removed ones and adds new ones', async () => {
    const { file, options } = await oneFile(animals);
    await build(options);
    await writeJsonl(file, [
      { _id: 'cat', text: 'the cat purrs' },
      { _id: 'dog', text: 'the dog growls' },
      { _id: 'cat', text: 'a second cat' },
      { _id: 'bee', text: 'the bee hums' },
    ]);
    const report = await build(options);
    expect(report).toMatchObject({ unchanged: 1, indexed: 2, duplicate: 1, removed: 1, seen: 4, newShards: 1 });
    await withCorpus(options.corpus, async (corpus) => {
      const found = async (query: string): Promise<string[]> =>
        (await corpus.search(query, { match: 'all' })).hits.map(({ uri }) => uri);
      expect(await found('barks')).toEqual([]);
      expect(await found('hoots')).toEqual([]);
      expect(await found('growls')).toEqual(['dog']);
      expect(await found('hums')).toEqual(['bee']);
      expect(await found('purrs')).toEqual(['cat']);
      expect(await found('second')).toEqual([]);
      expect(corpus.stats()).toMatchObject({ documents: 3, replacedDocuments: 2 });
    });
    await expectSound(options.corpus);
  });

  test('indexes only what was appended', async () => {
    const { file, options } = await oneFile(animals);
    await build(options);
    await appendFile(file, '{"_id":"bee","text":"the bee hums"}\n');
    expect(await build(options)).toMatchObject({ unchanged: 3, indexed: 1, duplicate: 1, removed: 0, newShards: 1 });
    expect(urisOf(options.corpus)).toEqual(['bee', 'cat', 'dog', 'owl']);
  });

  test('with another label indexes everything anew', async () => {
    const { options } = await oneFile(animals);
    await build(options);
    expect(await build({ ...options, label: 'checked' })).toMatchObject({ indexed: 3, duplicate: 1, unchanged: 0 });
    expect(documentsOf(options.corpus).map(({ label }) => label)).toEqual(['checked', 'checked', 'checked']);
    expect((await search(options.corpus, 'owl')).map(({ label }) => label)).toEqual(['checked']);
    await expectSound(options.corpus);
  });
});

describe('records that move between sources', () => {
  test('are not lost when their file is renamed', async () => {
    const { file, folder, options } = await oneFile(animals);
    await build(options);
    const renamed = join(folder, 'b.jsonl');
    await rename(file, renamed);
    expect(await build({ ...options, sources: [renamed] })).toMatchObject({ indexed: 3, duplicate: 1 });
    expect(new Set(documentsOf(options.corpus).map(({ source }) => source.path))).toEqual(new Set([renamed]));
    await expectSound(options.corpus);
  });

  test('are not lost when the file that had them first drops them and the other one did not change', async () => {
    // The file that had them as duplicates used to be skipped as unchanged.
    const { file, folder, options } = await oneFile(animals);
    const other = await writeJsonl(join(folder, 'b.jsonl'), [{ _id: 'dog', text: 'another dog' }]);
    const both = { ...options, sources: [file, other] };
    expect(await build(both)).toMatchObject({ indexed: 3, duplicate: 2 });
    await writeJsonl(file, [{ _id: 'cat', text: 'the cat purrs' }]);
    expect(await build(both)).toMatchObject({ unchanged: 1, indexed: 1, duplicate: 0, removed: 1 });
    expect(urisOf(options.corpus)).toEqual(['cat', 'dog']);
    expect(documentsOf(options.corpus).find(({ uri }) => uri === 'dog')?.text).toBe('another dog');
    await expectSound(options.corpus);
  });

  test('move to the file that has them now, and stay duplicates where they came second', async () => {
    const { file, folder, options } = await oneFile(animals);
    const other = await writeJsonl(join(folder, 'b.jsonl'), [{ _id: 'bee', text: 'the bee hums' }]);
    const both = { ...options, sources: [file, other] };
    await build(both);
    await rm(file);
    await writeJsonl(other, [animals[1]!, animals[0]!, { _id: 'bee', text: 'the bee hums' }, animals[0]!]);
    expect(await build({ ...both, sources: [other] })).toMatchObject({ indexed: 3, duplicate: 1, removed: 0 });
    // Nobody said that the owl is gone: its file was not read.
    expect(urisOf(options.corpus)).toEqual(['bee', 'cat', 'dog', 'owl']);
    await expectSound(options.corpus);
  });

  test('are added, not replaced, by a second source that has the same ids', async () => {
    const { folder, options } = await oneFile(animals);
    const other = await writeJsonl(join(folder, 'b.jsonl'), [
      { _id: 'dog', text: 'another dog' },
      { _id: 'ape', text: 'the ape swings' },
    ]);
    await build(options);
    expect(await build({ ...options, sources: [other] })).toMatchObject({ indexed: 1, duplicate: 1, removed: 0 });
    expect(documentsOf(options.corpus).find(({ uri }) => uri === 'dog')?.text).toBe('the dog barks');
  });
});

describe('an interrupted build', () => {
  test('whose source is edited before it goes on has the edited records, not those sealed before', async () => {
    // Records sealed before the interruption used to count as the first of their id: the edited ones were duplicates.
    const random = randomNumbers(5);
    const records = Array.from({ length: 60 }, (_, index) => ({ _id: `d${index}`, text: randomWords(random, 60) }));
    const { file, options } = await oneFile(records);
    const small = { ...options, shardBytes: 4096 };
    const controller = new AbortController();
    const onProgress = (): void => controller.abort(new Error('enough'));
    const stopped = build({ ...small, signal: controller.signal, onProgress });
    expect(await failureOf(stopped)).toMatchObject({ message: 'enough' });
    await runJobUntilShards(small, 3);
    const sealed = documentsOf(options.corpus).length;
    expect(sealed).toBeGreaterThan(0);
    expect(sealed).toBeLessThan(60);

    const edited = records.slice(1).map((record) => ({ ...record, text: `edited ${record.text}` }));
    await writeJsonl(file, edited);
    const report = await build(small);
    expect(report).toMatchObject({ resumed: true, indexed: 59, duplicate: 0, removed: 1, seen: 59 });
    const fresh = { ...small, corpus: `${options.corpus}-fresh` };
    await build(fresh);
    expect(withoutShards(documentsOf(options.corpus))).toEqual(withoutShards(documentsOf(fresh.corpus)));
    await expectSound(options.corpus);
  });

  test('is over when another command has read its sources', async () => {
    const random = randomNumbers(5);
    const records = Array.from({ length: 60 }, (_, index) => ({ _id: `d${index}`, text: randomWords(random, 60) }));
    const { options } = await oneFile(records);
    await runJobUntilShards({ ...options, shardBytes: 4096 }, 2);
    const before = await withCorpus(options.corpus, async (corpus) => corpus.stats());
    expect(before.unfinishedBuilds).toBe(1);
    const report = await build({ ...options, shardBytes: 1024 * 1024 });
    expect(report).toMatchObject({ resumed: false, seen: 60 });
    expect(report.unchanged).toBe(before.documents);
    const after = await withCorpus(options.corpus, async (corpus) => corpus.stats());
    expect(after).toMatchObject({ unfinishedBuilds: 0, documents: 60 });
    await expectSound(options.corpus);
  });
});

/** Builds in another process and kills it when it has sealed so many shards. */
async function runJobUntilShards(options: BuildOptions, shards: number): Promise<void> {
  const end = await runJob('build', options, { shards, corpus: options.corpus });
  expect(end.killed).toBe(true);
}

describe('a source that changes while it is read', () => {
  test('is read again by the next run', async () => {
    const random = randomNumbers(9);
    const records = Array.from({ length: 400 }, (_, index) => ({ _id: `d${index}`, text: randomWords(random, 200) }));
    const { file, options } = await oneFile(records);
    const grow = { _id: 'late', text: 'latecomer' };
    let grown = false;
    const small = { ...options, shardBytes: 16_384 };
    await build({
      ...small,
      onProgress: ({ phase }) => {
        if (grown || phase !== 'build') return;
        grown = true;
        void appendFile(file, `${JSON.stringify(grow)}\n`);
      },
    });
    expect(grown).toBe(true);
    const report = await build(small);
    expect(report).toMatchObject({ unchangedSources: 0, seen: 401, duplicate: 0 });
    expect(report.indexed + report.unchanged).toBe(401);
    expect(await build(small)).toMatchObject({ unchangedSources: 1, unchanged: 401 });
    expect((await search(options.corpus, 'latecomer')).length).toBe(1);
  });

  test('that breaks off keeps what it had, names the damage once, and is read again', async () => {
    const { file, folder, options } = await oneFile(animals);
    const packed = join(folder, 'c.jsonl.gz');
    await writeFile(packed, gzipSync(await readFile(file)));
    const whole = join(folder, 'whole.gz');
    await copyFile(packed, whole);
    await truncate(packed, (await stat(packed)).size - 12);
    const broken = { ...options, sources: [packed] };
    const first = await build(broken);
    expect(first).toMatchObject({ skipped: 1 });
    const again = await build(broken);
    expect(again).toMatchObject({ skipped: 1, unchanged: first.indexed, unchangedSources: 0 });
    expect((await rejectsOf(options.corpus)).filter(({ kind }) => kind === 'skipped')).toHaveLength(1);
    await copyFile(whole, packed);
    expect(await build(broken)).toMatchObject({ skipped: 0, seen: 4, duplicate: 1, rejects: expect.any(String) });
    expect(urisOf(options.corpus)).toEqual(['cat', 'dog', 'owl']);
    await expectSound(options.corpus);
  });
});

describe('standard input', () => {
  test('adds to what came through it before, replaces what comes again, and retires nothing', async () => {
    const folder = await temporaryFolder();
    const corpus = join(folder, 'corpus');
    const pipe = (records: readonly object[]): unknown => {
      const program = fileURLToPath(new URL('../job.mjs', import.meta.url));
      const options = JSON.stringify({ sources: ['-'], corpus, workers: 1 });
      const input = records.map((record) => JSON.stringify(record)).join('\n');
      const { stdout } = spawnSync(process.execPath, [program, 'build', options], { input, encoding: 'utf8' });
      return JSON.parse(stdout.trimEnd().split('\n').at(-1)!);
    };
    expect(
      pipe([
        { _id: 'a', text: 'alpha' },
        { _id: 'b', text: 'beta' },
      ]),
    ).toMatchObject({ indexed: 2, seen: 2 });
    const second = pipe([
      { _id: 'c', text: 'gamma' },
      { _id: 'b', text: 'beta two' },
    ]);
    expect(second).toMatchObject({ indexed: 2, duplicate: 0, removed: 0 });
    expect(documentsOf(corpus).map(({ uri, text }) => [uri, text])).toEqual([
      ['a', 'alpha'],
      ['b', 'beta two'],
      ['c', 'gamma'],
    ]);
    const [hit] = await search(corpus, 'gamma');
    const citation = await withCorpus(corpus, (open) => open.cite(hit!.shelfmark));
    expect(citation).toMatchObject({ status: 'missing', detail: 'the source was standard input' });
    await expectSound(corpus);
  });
});

describe('a folder', () => {
  test('is looked through again: new, changed and unchanged files', async () => {
    const folder = await temporaryFolder();
    const notes = join(folder, 'notes');
    await mkdir(join(notes, 'deep'), { recursive: true });
    await writeFile(join(notes, 'a.md'), '# A\n\nalpha');
    await writeFile(join(notes, 'deep', 'b.md'), '# B\n\nbeta');
    const options = { sources: [notes], corpus: join(folder, 'corpus') };
    expect(await build(options)).toMatchObject({ indexed: 2, sources: 2 });
    await writeFile(join(notes, 'a.md'), '# A\n\nalpha two');
    await writeFile(join(notes, 'c.md'), '# C\n\ngamma');
    expect(await build(options)).toMatchObject({
      indexed: 2,
      unchanged: 1,
      unchangedSources: 1,
      sources: 3,
      removed: 0,
    });
    expect(documentsOf(options.corpus).map(({ text }) => text.split('\n').at(-1))).toEqual([
      'alpha two',
      'gamma',
      'beta',
    ]);
  });
});
