import { spawnSync } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ShardReader, ShelfmarkError } from '../../shards/index.ts';
import { Corpus, type SearchAnswer } from '../../src/index.ts';
import { temporaryFolder } from './sources/support.ts';
import {
  build,
  failureOf,
  randomNumbers,
  randomWords,
  shardsOf,
  shelfmarkError,
  withCorpus,
  writeJsonl,
} from './support.ts';

async function makeCorpus(records: readonly object[], shardBytes = 4096): Promise<string> {
  const folder = await temporaryFolder();
  const corpus = join(folder, 'corpus');
  await build({ sources: [await writeJsonl(join(folder, 'a.jsonl'), records)], corpus, shardBytes });
  return corpus;
}

function randomRecords(count: number, words = 60): object[] {
  const random = randomNumbers(count);
  return Array.from({ length: count }, (_, index) => ({ _id: `d${index}`, text: randomWords(random, words) }));
}

function urisOfAnswer({ hits }: SearchAnswer): string[] {
  return hits.map(({ uri }) => uri);
}

describe('search', () => {
  test('strict falls back only when no chunk of the whole corpus has every word; any and all do as they say', async () => {
    const filler = 'lorem '.repeat(700);
    const corpus = await makeCorpus([
      { _id: 'red', text: `red ${filler}` },
      { _id: 'blue', text: `blue ${filler}` },
      { _id: 'both', text: `red blue ${filler}` },
    ]);
    expect(shardsOf(corpus).length).toBeGreaterThan(1);
    await withCorpus(corpus, async (open) => {
      const answer = await open.search('red blue');
      expect(answer).toMatchObject({ rung: 'all', tokens: ['red', 'blue'], match: 'strict' });
      expect(urisOfAnswer(answer)).toEqual(['both']);
      const fallback = await open.search('red blue absent');
      expect(fallback.rung).toBe('top5');
      expect(urisOfAnswer(fallback).sort()).toEqual(['blue', 'both', 'red']);
      expect(fallback.hits.find(({ uri }) => uri === 'red')).toMatchObject({
        matched: ['red'],
        missing: ['blue', 'absent'],
      });
      expect(urisOfAnswer(await open.search('red blue absent', { match: 'all' }))).toEqual([]);
      expect(urisOfAnswer(await open.search('red blue', { match: 'any' })).sort()).toEqual(['blue', 'both', 'red']);
      expect(urisOfAnswer(await open.search('absent', { also: ['blue'] })).sort()).toEqual(['blue', 'both']);
      await shelfmarkError(open.search(' ?! '), 'SHELFMARK_NO_WORDS');
      await shelfmarkError(open.search('red', { limit: 0 }), 'SHELFMARK_USAGE');
    });
  });

  test('breaks ties by uri, then by chunk, and gives whole chunks or the best one of each document', async () => {
    const sections = Array.from({ length: 3 }, () => '# Same\n\nquince\n').join('\n');
    const records = ['c', 'a', 'b'].map((id) => ({ _id: `${id}.md`, text: sections }));
    const corpus = await makeCorpus(records, 256 * 1024);
    await withCorpus(corpus, async (open) => {
      const byChunk = (await open.search('quince', { by: 'chunk', text: true })).hits;
      expect(byChunk.map(({ uri, ordinal }) => `${uri}${ordinal}`)).toEqual(
        ['a', 'b', 'c'].flatMap((id) => [1, 2, 3].map((ordinal) => `${id}.md${ordinal}`)),
      );
      expect(byChunk.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
      expect(byChunk[0]!.text).toContain('quince');
      const byDocument = (await open.search('quince', { limit: 2 })).hits;
      expect(byDocument.map(({ uri, ordinal }) => `${uri}${ordinal}`)).toEqual(['a.md1', 'b.md1']);
    });
  });

  test('leaves out documents of other kinds and collections', async () => {
    const corpus = await makeCorpus(
      ['mail', 'note'].flatMap((kind) =>
        ['x', 'y'].map((collection) => ({ _id: `${kind}-${collection}`, kind, collection, text: 'quince' })),
      ),
    );
    await withCorpus(corpus, async (open) => {
      const found = async (options: object): Promise<string[]> => urisOfAnswer(await open.search('quince', options));
      expect(await found({ kinds: ['mail'] })).toEqual(['mail-x', 'mail-y']);
      expect(await found({ collections: ['y'] })).toEqual(['mail-y', 'note-y']);
      expect(await found({ kinds: ['note'], collections: ['x'] })).toEqual(['note-x']);
    });
  });

  test('stops for a signal and for a limit of time, and answers two at once as one after the other', async () => {
    const corpus = await makeCorpus(randomRecords(150));
    const open = await Corpus.open(corpus, { workers: 2 });
    const reason = new Error('no longer wanted');
    expect(await failureOf(open.search('archive', { signal: AbortSignal.abort(reason) }))).toBe(reason);
    const late = new AbortController();
    const stopped = open.search('archive', { signal: late.signal });
    late.abort(reason);
    expect(await failureOf(stopped)).toBe(reason);

    const cold = await Corpus.open(corpus, { workers: 1 });
    // Starting a thread alone takes longer than a millisecond.
    const { coverage, hits } = await cold.search('archive', { timeoutMs: 1 });
    await cold.close();
    expect(coverage).toEqual({
      shards: shardsOf(corpus).length,
      searched: 0,
      scanned: 0,
      failed: 0,
      timedOut: coverage.shards,
      failures: [],
    });
    expect(hits).toEqual([]);

    const [first, second] = await Promise.all([open.search('archive ledger'), open.search('pepper walnut')]);
    const alone = [await open.search('archive ledger'), await open.search('pepper walnut')];
    const withoutTime = ({ tookMs: _, ...answer }: SearchAnswer): object => answer;
    expect([first!, second!].map(withoutTime)).toEqual(alone.map(withoutTime));
    await open.close();
    await shelfmarkError(open.search('archive'), 'SHELFMARK_CLOSED');
  });
});

describe('a corpus with a damaged shard', () => {
  test('whose file is missing answers from the others and says which one failed', async () => {
    const corpus = await makeCorpus(randomRecords(100));
    const whole = await withCorpus(corpus, (open) => open.search('archive', { limit: 200, by: 'chunk' }));
    const [, lost = ''] = shardsOf(corpus);
    await rm(join(corpus, 'shards', `${lost}.shard`));
    await withCorpus(corpus, async (open) => {
      const { coverage, hits } = await open.search('archive', { limit: 200, by: 'chunk' });
      expect(coverage).toMatchObject({
        shards: whole.coverage.shards,
        searched: whole.coverage.shards - 1,
        failed: 1,
        failures: [{ shard: lost, code: 'SHELFMARK_NOT_FOUND', message: expect.stringContaining(lost) }],
      });
      const marks = whole.hits.map(({ shelfmark }) => shelfmark);
      expect(hits.map(({ shelfmark }) => shelfmark)).toEqual(marks.filter((mark) => !mark.startsWith(lost)));
      expect(hits.length).toBeLessThan(whole.hits.length);
      const report = await open.verify();
      expect(report).toMatchObject({ ok: false, catalog: { ok: true } });
      expect(report.shards.filter(({ ok }) => !ok).map(({ shard }) => shard)).toEqual([lost]);
    });
  });

  test('whose text is damaged counts as failed as a whole, and other hits fill up', async () => {
    const corpus = await makeCorpus(randomRecords(100));
    const options = { limit: 5, by: 'chunk' } as const;
    const whole = await withCorpus(corpus, (open) => open.search('archive', { limit: 200, by: 'chunk' }));
    const damaged = whole.hits[0]!.shelfmark.split('/')[0]!;
    await damageText(join(corpus, 'shards', `${damaged}.shard`));
    await withCorpus(corpus, async (open) => {
      const { coverage, hits } = await open.search('archive', options);
      expect(coverage).toMatchObject({ failed: 1, failures: [{ shard: damaged, code: 'SHELFMARK_CORRUPT' }] });
      const others = whole.hits.filter(({ shelfmark }) => !shelfmark.startsWith(damaged)).slice(0, 5);
      expect(hits.map(({ shelfmark }) => shelfmark)).toEqual(others.map(({ shelfmark }) => shelfmark));
      expect(hits.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5]);
      await shelfmarkError(open.show(whole.hits[0]!.shelfmark), 'SHELFMARK_CORRUPT');
      expect((await open.verify()).shards.filter(({ ok }) => !ok).map(({ shard }) => shard)).toEqual([damaged]);
    });
  });
});

/** Flips a bit in the middle of the largest block of a shard. */
async function damageText(file: string): Promise<void> {
  const reader = new ShardReader(file);
  const [[data] = []] = [...reader.inspect('SELECT data FROM block ORDER BY length(data) DESC LIMIT 1')];
  reader.close();
  const block = data as Buffer;
  const bytes = await readFile(file);
  const piece = block.subarray(100, 132);
  const at = bytes.indexOf(piece);
  expect(at).toBeGreaterThan(0);
  bytes[at]! ^= 0x10;
  await writeFile(file, bytes);
}

async function collect<Row>(rows: AsyncIterable<Row>): Promise<Row[]> {
  const all: Row[] = [];
  for await (const row of rows) all.push(row);
  return all;
}

describe('a corpus', () => {
  test('shows passages with their neighbours, and says what it holds', async () => {
    const long = { _id: 'long', title: 'Long', metadata: { n: 1 }, text: randomWords(randomNumbers(1), 1500) };
    const corpus = await makeCorpus([long, ...randomRecords(5)], 256 * 1024);
    await withCorpus(corpus, async (open) => {
      const hit = (await open.search('archive', { by: 'chunk', limit: 50 })).hits.find(({ ordinal }) => ordinal === 3)!;
      const [passage] = await open.show(hit.shelfmark);
      expect(passage).toMatchObject({ uri: 'long', title: 'Long', ordinal: 3, metadata: { n: 1 }, source: hit.source });
      const around = await open.show(hit.shelfmark, { around: 1 });
      expect(around.map(({ ordinal }) => ordinal)).toEqual([2, 3, 4]);
      const all = await open.show(hit.shelfmark, { document: true });
      expect(all.map(({ text }) => text).join('')).toBe(long.text);
      expect(all.map(({ textStart }) => textStart)).toEqual([0, ...all.slice(0, -1).map(({ textEnd }) => textEnd)]);
      for (const mark of [
        's0123456789/1/1',
        hit.shelfmark.replace(/\d+$/, '99'),
        hit.shelfmark.replace(/\/\d+\//, '/9999/'),
      ]) {
        await shelfmarkError(open.show(mark), 'SHELFMARK_NOT_FOUND');
      }
      expect(open.stats()).toMatchObject({
        shards: 1,
        documents: 6,
        replacedDocuments: 0,
        sources: 1,
        unfinishedBuilds: 0,
      });
      expect(open.stats().chunks).toBe(all.length + 5);
    });
    await shelfmarkError(Corpus.open(join(corpus, 'none')), 'SHELFMARK_NOT_FOUND');
  });

  test('answers a batch and ranks it as it answers single queries', async () => {
    const corpus = await makeCorpus(randomRecords(100));
    const queries = ['archive ledger', '??', 'needle', 'nowhere'].map((text, index) => ({ id: `q${index}`, text }));
    await withCorpus(corpus, async (open) => {
      const rows = await collect(open.batch(queries));
      const ranked = await collect(open.rank(queries));
      expect(rows.map(({ id }) => id)).toEqual(['q0', 'q1', 'q2', 'q3']);
      for (const [index, { text }] of queries.entries()) {
        const hits = text === '??' ? [] : (await open.search(text)).hits;
        expect(rows[index]!.hits).toEqual(hits);
        expect(ranked[index]!.hits).toEqual(
          hits.map(({ rank, score, uri, ordinal, shelfmark }) => ({ rank, score, uri, ordinal, shelfmark })),
        );
      }
    });
  });

  test('that is closed leaves no file open, and a script that closed it ends by itself', async () => {
    const corpus = await makeCorpus(randomRecords(60));
    for (let round = 0; round < 3; round++) await withCorpus(corpus, (open) => open.search('archive'));
    const open = readdirSync('/proc/self/fd').flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/self/fd/${fd}`)];
      } catch {
        return []; // the one that listed the folder
      }
    });
    expect(open.filter((path) => path.startsWith(corpus))).toEqual([]);

    const script = `
      import { Corpus } from ${JSON.stringify(new URL('../../dist/src/index.js', import.meta.url).href)};
      const corpus = await Corpus.open(${JSON.stringify(corpus)});
      const { hits } = await corpus.search('archive');
      await corpus.close();
      console.log(hits.length);
    `;
    const options = { encoding: 'utf8', timeout: 30_000 } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], options);
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '10\n', stderr: '' });
  });

  test('takes one listener of a signal, however many searches it serves', async () => {
    const warnings: string[] = [];
    const onWarning = (warning: Error): unknown => warnings.push(warning.name);
    process.on('warning', onWarning);
    const { signal } = new AbortController();
    await withCorpus(await makeCorpus(randomRecords(60)), (open) =>
      Promise.all(Array.from({ length: 30 }, () => open.search('archive', { signal }))),
    );
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });

  test('bounds the work of a compound of thousands of parts', async () => {
    const open = await Corpus.open(await makeCorpus(randomRecords(60)), { workers: 1 });
    const compound = Array.from({ length: 50_000 }, (_, index) => `q${index}`).join('-');
    const { tokens, droppedTokens } = await open.search(compound, { match: 'any' });
    await open.close();
    expect(tokens.length).toBeLessThan(20);
    expect(droppedTokens).toBeGreaterThan(200);
  });

  test('refuses arguments of the wrong kind with a typed error', async () => {
    const corpus = await makeCorpus(randomRecords(60));
    await shelfmarkError(Corpus.open(corpus, { workers: -1 }), 'SHELFMARK_USAGE');
    await shelfmarkError(Corpus.open(''), 'SHELFMARK_USAGE');
    await withCorpus(corpus, async (open) => {
      await shelfmarkError(open.search(undefined as unknown as string), 'SHELFMARK_USAGE');
      await shelfmarkError(open.search('a', { also: 'b' as unknown as string[] }), 'SHELFMARK_USAGE');
    });
  });

  test('that is closed while it searches ends those searches with a typed error and does not crash', async () => {
    // The pool once threw out of an event handler when an answer came after it was destroyed.
    const open = await Corpus.open(await makeCorpus(randomRecords(60)));
    const searches = Array.from({ length: 20 }, () => open.search('archive', { match: 'any' }).then(() => 'answered'));
    const outcomes = Promise.all(
      searches.map((search) =>
        search.catch((error: unknown) => (error instanceof ShelfmarkError ? error.code : error)),
      ),
    );
    await open.close();
    const seen = new Set<unknown>(await outcomes);
    seen.delete('answered');
    expect([...seen]).toEqual(['SHELFMARK_CLOSED']);
  });

  test('without documents answers with no hits', async () => {
    const corpus = await makeCorpus([{ _id: 'blank', text: ' ' }]);
    await withCorpus(corpus, async (open) => {
      expect(await open.search('anything')).toMatchObject({
        hits: [],
        coverage: { shards: 0, searched: 0, failed: 0 },
      });
      expect(await open.verify()).toMatchObject({ ok: true, shards: [] });
    });
  });
});
