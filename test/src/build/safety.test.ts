import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, open, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Corpus } from '../../../src/index.ts';
import { FileLock } from '../../../src/lock.ts';
import { temporaryFolder } from '../sources/support.ts';
import {
  build,
  contentOf,
  documentsOf,
  failureOf,
  randomNumbers,
  randomWords,
  runJob,
  shardHashes,
  shardsOf,
  shelfmarkError,
  smallDisk,
  strayFiles,
  urisOf,
  withCorpus,
  writeJsonl,
} from '../support.ts';

const queries = ['archive ledger', 'pepper walnut'];

async function writeRecords(file: string, count: number, words = 60): Promise<string> {
  const random = randomNumbers(count);
  return await writeJsonl(
    file,
    Array.from({ length: count }, (_, index) => ({ _id: `d${index}`, text: randomWords(random, words) })),
  );
}

describe('an abort', () => {
  test('rejects with its reason, leaves what is sealed and nothing else, and the build goes on from there', async () => {
    const folder = await temporaryFolder();
    const sources = [await writeRecords(join(folder, 'a.jsonl'), 200)];
    const options = { sources, corpus: join(folder, 'corpus'), shardBytes: 4096, workers: 2 };
    await shelfmarkError(build({ ...options, sources: [] }), 'SHELFMARK_USAGE');
    const early = build({ ...options, signal: AbortSignal.abort(new Error('too early')) });
    expect(await failureOf(early)).toMatchObject({ message: 'too early' });
    expect(existsSync(options.corpus)).toBe(false);

    const controller = new AbortController();
    const reason = new Error('enough');
    const stopped = build({
      ...options,
      signal: controller.signal,
      onProgress: ({ shards, phase }) => {
        if (shards > 0 && phase === 'build') controller.abort(reason);
      },
    });
    // A fast machine may be done before it looks for the first time; then there is nothing to abort.
    const outcome = await stopped.then(
      () => 'done',
      (error: unknown) => error,
    );
    expect(['done', reason]).toContain(outcome);
    expect(await strayFiles(options.corpus)).toEqual([]);
    const report = await build(options);
    expect(report.seen).toBe(200);
    const whole = { ...options, corpus: join(folder, 'whole') };
    await build(whole);
    expect(await shardHashes(options.corpus)).toEqual(await shardHashes(whole.corpus));
  });
});

describe('a source whose tail is still in the open batch when all before it is sealed', () => {
  test('is not taken for complete by the run after a kill', async () => {
    // It used to be marked complete as soon as everything handed out was sealed; its tail was never read again.
    const folder = await temporaryFolder();
    const file = await writeRecords(join(folder, 'a.jsonl'), 12);
    const pipe = join(folder, 'pipe.jsonl');
    if (spawnSync('mkfifo', [pipe]).status !== 0) throw new Error('mkfifo failed');
    const options = { sources: [file, pipe], corpus: join(folder, 'corpus'), shardBytes: 4096, workers: 1 };
    // Nobody writes to the pipe, so the build waits there until it is killed.
    const end = await runJob('build', options, { corpus: options.corpus, shards: 1 });
    expect(end.killed).toBe(true);
    const sealed = urisOf(options.corpus).length;
    expect(sealed).toBeGreaterThan(0);
    expect(sealed).toBeLessThan(12);

    const again = runJob('build', options);
    const writer = await open(pipe, 'w');
    await writer.writeFile('{"_id":"piped","text":"through the pipe"}\n');
    await writer.close();
    expect((await again).report).toMatchObject({ seen: 13, indexed: 13 });
    expect(urisOf(options.corpus)).toHaveLength(13);
  });
});

describe('a catalog whose writer died inside a transaction', () => {
  test('can be read at once, and is as it was before the transaction', async () => {
    // A read-only connection cannot roll a journal back: searching failed until the next build.
    const folder = await temporaryFolder();
    const corpus = join(folder, 'corpus');
    await build({ sources: [await writeRecords(join(folder, 'a.jsonl'), 30)], corpus });
    const content = await contentOf(corpus, queries);
    const script = `
      import Database from 'better-sqlite3';
      const db = new Database(${JSON.stringify(join(corpus, 'catalog.db'))});
      db.pragma('cache_size=1');
      db.exec("BEGIN; DELETE FROM entry");
      db.exec("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) INSERT INTO tombstone SELECT 1, i FROM n");
      process.kill(process.pid, 'SIGKILL');
    `;
    const cwd = fileURLToPath(new URL('../../..', import.meta.url));
    const { signal } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { cwd });
    expect(signal).toBe('SIGKILL');
    expect((await stat(join(corpus, 'catalog.db-journal'))).size).toBeGreaterThan(512);
    expect(await contentOf(corpus, queries)).toEqual(content);
    expect(existsSync(join(corpus, 'catalog.db-journal'))).toBe(false);
    expect(await withCorpus(corpus, (open) => open.verify())).toMatchObject({ ok: true });
  });

  test('or before it wrote anything is no corpus yet, and the next build makes it one', async () => {
    const folder = await temporaryFolder();
    const corpus = join(folder, 'corpus');
    await mkdir(corpus);
    await writeFile(join(corpus, 'catalog.db'), '');
    await shelfmarkError(Corpus.open(corpus), 'SHELFMARK_NOT_FOUND');
    await build({ sources: [await writeRecords(join(folder, 'a.jsonl'), 3)], corpus });
    expect(urisOf(corpus)).toEqual(['d0', 'd1', 'd2']);
  });
});

describe('one process at a time changes a corpus', () => {
  test('a second build is refused, and searching goes on beside the first', async () => {
    const folder = await temporaryFolder();
    const corpus = join(folder, 'corpus');
    const first = await writeRecords(join(folder, 'a.jsonl'), 40);
    await build({ sources: [first], corpus });
    const before = await contentOf(corpus, queries);
    const pipe = join(folder, 'pipe.jsonl');
    if (spawnSync('mkfifo', [pipe]).status !== 0) throw new Error('mkfifo failed');
    const opened = await Corpus.open(corpus, { workers: 1 });
    onTestFinished(() => opened.close());

    const second = await writeJsonl(join(folder, 'b.jsonl'), [
      { _id: 'new', text: `newcomer ${'archive '.repeat(800)}` },
      { _id: 'd1', text: 'another d1' },
    ]);
    const options = { sources: [second, first, pipe], corpus, shardBytes: 4096, workers: 1 };
    const running = runJob('build', options);
    while (shardsOf(corpus).length < 2) await new Promise((resolve) => setTimeout(resolve, 10));

    const busy = await shelfmarkError(build({ sources: [first], corpus }), 'SHELFMARK_BUSY');
    expect(busy.message).toContain(join(corpus, 'build.lock'));
    expect((await opened.search('archive ledger', { limit: 20, by: 'chunk' })).hits).toEqual(
      (before as { answers: { hits: unknown }[] }).answers[0]!.hits,
    );
    expect((await withCorpus(corpus, (open) => open.search('newcomer'))).hits.map(({ uri }) => uri)).toEqual(['new']);

    const writer = await open(pipe, 'w');
    await writer.writeFile('{"_id":"piped","text":"through the pipe"}\n');
    await writer.close();
    expect((await running).report).toMatchObject({ indexed: 2, duplicate: 1, unchanged: 40 });
    expect(await strayFiles(corpus)).toEqual([]);
  });

  test('the lock goes with the process that held it, and only another holder is called busy', async () => {
    const folder = await temporaryFolder();
    const file = join(folder, 'build.lock');
    const lock = new FileLock(file, 'it');
    expect(() => new FileLock(file, 'it')).toThrow(expect.objectContaining({ code: 'SHELFMARK_BUSY' }));
    lock.release();
    new FileLock(file, 'it').release();
    await writeFile(file, 'this is not an SQLite file, and that is not the same as busy'.repeat(100));
    expect(() => new FileLock(file, 'it')).toThrow(
      expect.objectContaining({ code: expect.not.stringContaining('BUSY') }),
    );
  });
});

describe('a full disk', () => {
  test('ends the build with a clear error; what is sealed can be searched, and with more room it goes on', async (context) => {
    const folder = await temporaryFolder();
    const disk = await smallDisk(folder, '900k');
    if (disk === undefined) return context.skip('mounting a tmpfs needs root');
    const random = randomNumbers(1);
    const records = Array.from({ length: 600 }, (_, index) => {
      const noise = Array.from({ length: 120 }, () => random().toString(36).slice(2, 12));
      return { _id: `d${index}`, text: `archive ${noise.join(' ')}` };
    });
    const sources = [await writeJsonl(join(folder, 'a.jsonl'), records)];
    const options = { sources, corpus: join(disk.path, 'corpus'), shardBytes: 50_000, workers: 2 };
    const error = await shelfmarkError(build(options), 'SHELFMARK_IO');
    expect(error.message).toContain(options.corpus);
    expect(error.message).toContain('disk is full');
    expect(error.message).toContain('run the same command again');
    expect(error.facts).toMatchObject({ target: options.corpus, full: true });

    expect(await strayFiles(options.corpus)).toEqual([]);
    const sealed = documentsOf(options.corpus).length;
    expect(sealed).toBeGreaterThan(0);
    await withCorpus(options.corpus, async (corpus) => {
      expect((await corpus.search('archive')).hits.length).toBeGreaterThan(0);
      expect(await corpus.verify({ deep: true })).toMatchObject({ ok: true });
    });
    await shelfmarkError(build(options), 'SHELFMARK_IO');

    disk.resize('50m');
    const report = await build(options);
    expect(report).toMatchObject({ resumed: true, indexed: 600, seen: 600 });
    const whole = { ...options, corpus: join(folder, 'whole') };
    await build(whole);
    expect(await shardHashes(options.corpus)).toEqual(await shardHashes(whole.corpus));
    expect(await contentOf(options.corpus, queries)).toEqual(await contentOf(whole.corpus, queries));
  });
});

describe('a corpus that cannot be written', () => {
  test('is an error that names it', async () => {
    const folder = await temporaryFolder();
    const source = await writeRecords(join(folder, 'a.jsonl'), 3);
    const error = await failureOf(build({ sources: [source], corpus: join(source, 'corpus') }));
    expect(String(error)).toContain(join(source, 'corpus'));
    const corpus = join(folder, 'corpus');
    await mkdir(corpus);
    await writeFile(join(corpus, 'catalog.db'), 'no database at all'.repeat(300));
    await shelfmarkError(build({ sources: [source], corpus }), 'SHELFMARK_CORRUPT');
    await shelfmarkError(
      build({ sources: [join(folder, 'nothing.jsonl')], corpus: join(folder, 'c') }),
      'SHELFMARK_SOURCE',
    );
    expect(existsSync(join(folder, 'c'))).toBe(false);
  });
});
