import { readdirSync, readlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Corpus, type SearchAnswer, type SearchOptions } from '../../src/index.ts';
import { temporaryFolder } from './sources/support.ts';
import { build, failureOf, randomNumbers, randomWords, shardsOf, shelfmarkError, writeJsonl } from './support.ts';

/** Search threads; 0 searches in the calling thread, and nothing else may differ. */
const workerCounts = [0, 1, 2];

async function makeCorpus(): Promise<string> {
  const folder = await temporaryFolder();
  const random = randomNumbers(7);
  const records = Array.from({ length: 120 }, (_, index) => ({
    _id: `d${index}`,
    kind: index % 3 === 0 ? 'note' : 'mail',
    text: randomWords(random, 60),
  }));
  const made = join(folder, 'corpus');
  await build({ sources: [await writeJsonl(join(folder, 'a.jsonl'), records)], corpus: made, shardBytes: 4096 });
  expect(shardsOf(made).length).toBeGreaterThan(5);
  return made;
}

async function using<Result>(path: string, workers: number, use: (open: Corpus) => Promise<Result>): Promise<Result> {
  const open = await Corpus.open(path, { workers });
  try {
    return await use(open);
  } finally {
    await open.close();
  }
}

/** Without how long it took and what was passed over, which depends on what threads tell each other and when. */
function withoutWork({ tookMs: _, explain, ...answer }: SearchAnswer): object {
  return { ...answer, rungs: explain?.rungs.map(({ name, tokens, hits }) => ({ name, tokens, hits })) };
}

/** Keeps the calling thread busy, as work of the caller does. */
function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe('a corpus searched by 0, 1 or 2 threads', () => {
  test('answers the same, also batches, rankings and verify, and when a shard is missing', async () => {
    const [corpus, damaged] = [await makeCorpus(), await makeCorpus()];
    await rm(join(damaged, 'shards', `${shardsOf(damaged)[2]}.shard`));
    const searches: readonly (readonly [string, SearchOptions])[] = [
      ['archive ledger', {}],
      ['archive ledger', { by: 'chunk', limit: 50, text: true, explain: true }],
      ['archive nowhere pepper', { explain: true }],
      ['quarry river', { match: 'any', kinds: ['note'], snippetLength: 60 }],
      ['nowhere', { match: 'all' }],
    ];
    const queries = searches.map(([text], index) => ({ id: `q${index}`, text }));
    const seen: unknown[] = [];
    for (const workers of workerCounts) {
      const one: unknown[] = [];
      for (const path of [corpus, damaged]) {
        await using(path, workers, async (open) => {
          for (const [text, options] of searches) one.push(withoutWork(await open.search(text, options)));
          for await (const row of open.rank(queries)) one.push(row);
          for await (const { id, hits } of open.batch(queries)) one.push({ id, hits });
          const { shards, ...report } = await open.verify();
          one.push(
            report,
            [...shards].sort((a, b) => (a.shard < b.shard ? -1 : 1)),
          );
        });
      }
      seen.push(one);
    }
    expect(seen[0]).toEqual(seen[1]);
    expect(seen[2]).toEqual(seen[1]);
    expect(JSON.stringify(seen[0])).toContain('SHELFMARK_NOT_FOUND');
  });

  test.each(workerCounts)('stops for a signal with its reason (%i threads)', async (workers) => {
    const corpus = await makeCorpus();
    const reason = new Error('no longer wanted');
    await using(corpus, workers, async (open) => {
      expect(await failureOf(open.search('archive', { signal: AbortSignal.abort(reason) }))).toBe(reason);
      const late = new AbortController();
      const stopped = open.search('archive', { signal: late.signal });
      late.abort(reason);
      expect(await failureOf(stopped)).toBe(reason);

      // A timer that falls due while the search has the thread, or while the caller has it.
      const timed = new AbortController();
      setTimeout(() => timed.abort(reason), 1);
      const search = open.search('archive', { signal: timed.signal });
      block(5);
      expect(await failureOf(search)).toBe(reason);
      expect((await open.search('archive')).coverage.failed).toBe(0);
    });
  });

  test.each(workerCounts)('gives up shards when time is up and says so (%i threads)', async (workers) => {
    const corpus = await makeCorpus();
    await using(corpus, workers, async (open) => {
      const search = open.search('archive', { timeoutMs: 1 });
      block(5);
      const { coverage, hits } = await search;
      const { shards } = coverage;
      expect(coverage).toEqual({ shards, searched: 0, scanned: 0, failed: 0, timedOut: shards, failures: [] });
      expect({ hits, shards }).toEqual({ hits: [], shards: shardsOf(corpus).length });
      expect((await open.search('archive', { timeoutMs: 60_000 })).coverage.searched).toBe(shards);
    });
  });

  test.each(workerCounts)(
    'rejects what waits when it is closed, and leaves no file open (%i threads)',
    async (workers) => {
      const corpus = await makeCorpus();
      const open = await Corpus.open(corpus, { workers });
      await open.search('archive');
      const searches = Array.from({ length: 5 }, () => failureOf(open.search('archive')));
      await open.close();
      for (const error of await Promise.all(searches)) expect(error).toMatchObject({ code: 'SHELFMARK_CLOSED' });
      await shelfmarkError(open.search('archive'), 'SHELFMARK_CLOSED');
      await open.close();
      expect(openFilesBelow(corpus)).toEqual([]);
    },
  );

  test.each(workerCounts)('throws the same typed errors (%i threads)', async (workers) => {
    const corpus = await makeCorpus();
    await using(corpus, workers, async (open) => {
      const errors = [
        await shelfmarkError(open.search(' ?! '), 'SHELFMARK_NO_WORDS'),
        await shelfmarkError(open.search('a', { limit: 0 }), 'SHELFMARK_USAGE'),
        await shelfmarkError(open.show('s0123456789/1/1'), 'SHELFMARK_NOT_FOUND'),
      ];
      expect(errors.map(({ name }) => name)).toEqual(['ShelfmarkError', 'ShelfmarkError', 'ShelfmarkError']);
    });
  });
});

test('with 0 workers no thread is started, and two open corpora do not share their files', async () => {
  const corpus = await makeCorpus();
  let threads = 0;
  const count = (): number => ++threads;
  process.on('worker', count);
  const [one, other] = [await Corpus.open(corpus, { workers: 0 }), await Corpus.open(corpus, { workers: 0 })];
  const before = withoutWork(await one.search('archive ledger'));
  await other.search('archive ledger');
  await other.close();
  expect(openFilesBelow(corpus).length).toBeGreaterThan(0);
  expect(withoutWork(await one.search('archive ledger'))).toEqual(before);
  await one.close();
  expect(threads).toBe(0);
  await using(corpus, 1, (open) => open.search('archive'));
  process.off('worker', count);
  expect(threads).toBe(1);
});

function openFilesBelow(folder: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)].filter((path) => path.startsWith(folder));
    } catch {
      return []; // the one that listed the folder
    }
  });
}
