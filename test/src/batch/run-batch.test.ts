import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type BatchRunOptions, runBatch } from '../../../src/batch/run-batch.ts';
import { formatTrecRows } from '../../../src/batch/trec.ts';
import { Corpus } from '../../../src/index.ts';
import { temporaryFolder } from '../sources/support.ts';
import {
  build,
  failureOf,
  jsonLines,
  randomNumbers,
  randomWords,
  runJob,
  shardsOf,
  shelfmarkError,
  smallDisk,
  withCorpus,
  writeJsonl,
} from '../support.ts';

const oddId = 'a b%20\u00a0é\t日本';

/** A corpus of a few shards; its questions have words that occur, words that do not, and none at all. */
async function makeCorpus(): Promise<{ folder: string; corpus: string }> {
  const folder = await temporaryFolder();
  const random = randomNumbers(2);
  const records = Array.from({ length: 120 }, (_, index) => ({
    _id: index === 0 ? oddId : `d${index}`,
    text: randomWords(random, 60),
  }));
  const corpus = join(folder, 'corpus');
  await build({ sources: [await writeJsonl(join(folder, 'a.jsonl'), records)], corpus, shardBytes: 16_384 });
  return { folder, corpus };
}

const questions = ['archive ledger', '?!', 'nowhere found', 'pepper', 'walnut island umbrella', 'harbour copper'];

async function writeQueries(folder: string, count = 40): Promise<string> {
  const queries = Array.from({ length: count }, (_, index) => ({
    _id: `q ${index}`,
    text: questions[index % questions.length],
  }));
  return await writeJsonl(join(folder, 'queries.jsonl'), queries);
}

function optionsFor(folder: string, changes: Partial<BatchRunOptions> = {}): BatchRunOptions {
  return {
    queries: join(folder, 'queries.jsonl'),
    corpus: join(folder, 'corpus'),
    output: join(folder, 'out'),
    format: 'trec',
    tag: 'test run',
    allowPartial: false,
    workers: 1,
    search: { limit: 10, match: 'any' },
    ...changes,
  };
}

describe('a TREC run', () => {
  test('has one line a hit: escaped ids, ranks from 1, scores that fall strictly', async () => {
    const { folder, corpus } = await makeCorpus();
    await writeQueries(folder);
    const report = await runBatch(optionsFor(folder, { search: { limit: 200, match: 'any' } }));
    expect(report).toMatchObject({ queries: 40, answered: 40, withoutWords: 7, resumedAt: 0, alreadyComplete: false });
    const lines = (await readFile(join(folder, 'out'), 'utf8')).trimEnd().split('\n');
    const rows = lines.map((line) => line.split(' '));
    const byQuery = new Map<string, string[][]>();
    for (const row of rows) {
      expect(row).toHaveLength(6);
      expect(row[1]).toBe('Q0');
      expect(row[4]).toMatch(/^-?\d+\.\d{6}$/);
      expect(decodeURIComponent(row[5]!)).toBe('test run');
      byQuery.set(row[0]!, [...(byQuery.get(row[0]!) ?? []), row]);
    }
    const order = [...byQuery.keys()].map((id) => decodeURIComponent(id));
    const withHits = Array.from({ length: 40 }, (_, index) => index).filter((index) => ![1, 2].includes(index % 6));
    expect(order).toEqual(withHits.map((index) => `q ${index}`));
    await withCorpus(corpus, async (open) => {
      for (const [id, found] of byQuery) {
        const question = questions[Number(decodeURIComponent(id).slice(2)) % questions.length]!;
        const { hits } = await open.search(question, { limit: 200, match: 'any' });
        expect(found.map((row) => decodeURIComponent(row[2]!))).toEqual(hits.map(({ uri }) => uri));
        expect(found.map((row) => Number(row[3]))).toEqual(hits.map(({ rank }) => rank));
        let previous = Number.POSITIVE_INFINITY;
        for (const [index, row] of found.entries()) {
          expect(Number(row[4])).toBeLessThan(previous);
          expect(Math.abs(Number(row[4]) - hits[index]!.score)).toBeLessThan(2e-4);
          previous = Number(row[4]);
        }
      }
    });
    expect(rows.some((row) => decodeURIComponent(row[2]!) === oddId)).toBe(true);
    expect((await readdir(folder)).filter((name) => name.startsWith('out')).sort()).toEqual(['out', 'out.run.json']);
  });

  test('has scores that fall strictly in single precision too, which is how trec_eval 9 reads them', () => {
    const hit = { shelfmark: 's0000000000/1/1', ordinal: 1 };
    for (const score of [0.5, 17.083518, 123.4, 2048]) {
      const scores = [score + 1, ...Array.from({ length: 200 }, (_, index) => score - 1e-7 * index)];
      const hits = scores.map((score, index) => ({ ...hit, rank: index + 1, uri: `d${index}`, score }));
      const printed = formatTrecRows({ id: 'q', hits }, 'document', 't').trimEnd().split('\n');
      const read = printed.map((line) => Math.fround(Number(line.split(' ')[4])));
      for (const [index, value] of read.entries()) expect(value).toBeLessThan(read[index - 1] ?? Infinity);
      expect(read[200]).toBeCloseTo(score, 1);
    }
  });

  test('prints tied scores as falling ones, and by chunk names the chunk', () => {
    const hit = { shelfmark: 's0000000000/1/1', score: 1.5, ordinal: 3 };
    const hits = ['a', 'b\u2028', 'c'].map((uri, index) => ({ ...hit, rank: index + 1, uri }));
    expect(formatTrecRows({ id: 'q', hits }, 'chunk', 't')).toBe(
      'q Q0 a#3 1 1.500000 t\nq Q0 b%E2%80%A8#3 2 1.499999 t\nq Q0 c#3 3 1.499998 t\n',
    );
  });
});

describe('a JSON run', () => {
  test('has the hits of single searches, in the order of the input, whatever the queries are written in', async () => {
    const { folder, corpus } = await makeCorpus();
    const texts = ['archive ledger', '...', 'pepper', 'nowhere found'];
    const queries = {
      'a.jsonl': texts.map((text, index) => JSON.stringify({ qid: index + 1, question: text })).join('\r\n'),
      'b.tsv': texts.map((text, index) => `${index + 1}\t${text}\n`).join(''),
      'c.txt': `\n${texts.join('\n\n')}`,
      'd.queries': texts.map((text, index) => `${index + 1}\t${text}\n`).join(''),
    };
    const expected = await withCorpus(corpus, async (open) => {
      const rows = [];
      for (const [index, query] of texts.entries()) {
        const options = { limit: 5, text: true };
        const answer = query === '...' ? null : await open.search(query, options);
        rows.push({
          id: String(index + 1),
          query,
          match: 'strict',
          rung: answer?.rung ?? 'top5',
          tokens: answer?.tokens ?? [],
          searched: answer?.searched ?? [],
          hits: answer?.hits ?? [],
          coverage: {
            shards: shardsOf(corpus).length,
            searched: shardsOf(corpus).length,
            scanned: 0,
            failed: 0,
            timedOut: 0,
            failures: [],
          },
        });
      }
      return rows;
    });
    for (const [name, text] of Object.entries(queries)) {
      const packed = name.startsWith('b');
      const file = join(folder, packed ? `${name}.gz` : name);
      await writeFile(file, packed ? gzipSync(text) : text);
      const output = join(folder, `${name}.out`);
      const options = optionsFor(folder, { queries: file, output, format: 'jsonl', search: { limit: 5, text: true } });
      expect(await runBatch(options)).toMatchObject({ queries: 4, withoutWords: 1, withoutHits: 2 });
      expect(jsonLines(await readFile(output, 'utf8'))).toEqual(expected);
    }
  });
});

describe('a run of any format', () => {
  test.each(['trec', 'jsonl', 'contexts'] as const)(
    'says how hits were found although its last query has no words (%s)',
    async (format) => {
      const { folder } = await makeCorpus();
      await writeQueries(folder, 2);
      const search = { limit: 5, retriever: 'hybrid' } as const;
      const { retrieval, withoutWords } = await runBatch(optionsFor(folder, { format, search }));
      expect(withoutWords).toBe(1);
      expect(retrieval).toMatchObject({ retriever: 'hybrid', model: null });
      expect(retrieval!.note).toContain('no embeddings');
    },
  );

  test.each(['trec', 'jsonl', 'contexts'] as const)(
    'counts no query as one without words that has phrases (%s)',
    async (format) => {
      const { folder } = await makeCorpus();
      await writeJsonl(join(folder, 'queries.jsonl'), [{ _id: '1', text: '' }]);
      const search = { phrases: ['archive'] };
      expect(await runBatch(optionsFor(folder, { format, search }))).toMatchObject({ withoutWords: 0, withoutHits: 0 });
    },
  );
});

describe('a run that is killed', () => {
  test.each(['trec', 'jsonl', 'contexts'] as const)(
    'and run again leaves the same bytes as one that was not (%s)',
    { timeout: 120_000 },
    async (format) => {
      const { folder } = await makeCorpus();
      await writeQueries(folder, format === 'trec' ? 1000 : 300);
      const whole = join(folder, 'whole');
      const startedAt = performance.now();
      expect((await runJob('batch', optionsFor(folder, { format, output: whole }))).report).not.toBeNull();
      const duration = performance.now() - startedAt;
      const seed = Date.now() % 1_000_000;
      const random = randomNumbers(seed);
      for (let kills = 0, done = false; !done; kills++) {
        const killAt = kills < 3 ? random() * duration * 0.6 : undefined;
        const { killed, stderr } = await runJob('batch', optionsFor(folder, { format }), killAt);
        if (!killed) expect(stderr).toBe('');
        done = !killed;
      }
      const same = (await readFile(join(folder, 'out'))).equals(await readFile(whole));
      expect(same, `seed ${seed}`).toBe(true);
      expect(existsSync(join(folder, 'out.partial'))).toBe(false);
    },
  );

  test('goes on after the last noted query, not after what was half written', async () => {
    const { folder } = await makeCorpus();
    await writeQueries(folder);
    const options = optionsFor(folder);
    await runBatch({ ...options, output: join(folder, 'whole') });
    const controller = new AbortController();
    const reason = new Error('enough');
    const stop = { signal: controller.signal, onProgress: () => controller.abort(reason) };
    expect(await failureOf(runBatch({ ...options, ...stop }))).toBe(reason);
    const whole = await readFile(join(folder, 'whole'));
    const sidecar = JSON.parse(await readFile(join(folder, 'out.run.json'), 'utf8')) as Record<string, unknown>;
    const text = whole.toString();
    const bytes = text.indexOf('q%206 ');
    await writeFile(join(folder, 'out.run.json'), JSON.stringify({ ...sidecar, done: 6, bytes }));
    await writeFile(join(folder, 'out.partial'), `${text.slice(0, bytes)}q%206 Q0 half a li`);
    expect(await runBatch(options)).toMatchObject({ resumedAt: 6, answered: 34, queries: 40 });
    expect(await readFile(join(folder, 'out'))).toEqual(whole);
  });
});

describe('a run on a full disk', () => {
  test('says so, keeps what it has, and goes on when there is room', async (context) => {
    const { folder } = await makeCorpus();
    const disk = await smallDisk(folder, '96k');
    if (disk === undefined) return context.skip('mounting a tmpfs needs root');
    await writeQueries(folder, 300);
    const options = optionsFor(folder, { output: join(disk.path, 'out'), format: 'jsonl' });
    const error = await shelfmarkError(runBatch(options), 'SHELFMARK_IO');
    expect(error.message).toContain(`The disk is full: ${options.output} cannot be written`);
    disk.resize('50m');
    expect(await runBatch(options)).toMatchObject({ queries: 300, alreadyComplete: false });
    await runBatch({ ...options, output: join(folder, 'whole') });
    expect((await readFile(options.output)).equals(await readFile(join(folder, 'whole')))).toBe(true);
  });
});

describe('a run killed at its very end', () => {
  test('only has its file named by the next one', async () => {
    // It was once begun anew: the note of completion came after the renaming.
    const { folder } = await makeCorpus();
    const options = optionsFor(folder);
    await writeQueries(folder);
    await runBatch(options);
    const done = await readFile(options.output);
    await rename(options.output, `${options.output}.partial`);
    expect(await runBatch(options)).toMatchObject({ alreadyComplete: true, answered: 0 });
    expect((await readFile(options.output)).equals(done)).toBe(true);
  });
});

describe('a run refuses', () => {
  test('to continue the file of another run, and names what differs; its own complete one is left alone', async () => {
    const { folder } = await makeCorpus();
    const options = optionsFor(folder);
    await writeQueries(folder);
    await runBatch(options);
    const done = await readFile(options.output);
    expect(await runBatch(options)).toMatchObject({ alreadyComplete: true, answered: 0, resumedAt: 40 });
    const differing: [Partial<BatchRunOptions>, string][] = [
      [{ format: 'jsonl' }, 'format'],
      [{ tag: 'other' }, 'tag'],
      [{ search: { limit: 11, match: 'any' } }, 'limit'],
      [{ search: { limit: 10, match: 'all' } }, 'match'],
      [{ search: { limit: 10, match: 'any', kinds: ['mail'] } }, 'kinds'],
    ];
    for (const [change, name] of differing) {
      const error = await shelfmarkError(runBatch({ ...options, ...change }), 'SHELFMARK_MISMATCH');
      expect(error.message).toContain(`with other ${name}.`);
      expect(error.message).toContain(options.output);
    }
    await writeQueries(folder, 41);
    expect((await shelfmarkError(runBatch(options), 'SHELFMARK_MISMATCH')).message).toContain('with other queries.');
    expect(await readFile(options.output)).toEqual(done);
  });

  test('to overwrite a file that no run wrote', async () => {
    const { folder } = await makeCorpus();
    const options = optionsFor(folder);
    await writeQueries(folder);
    const output = join(folder, 'precious');
    await writeFile(output, 'precious');
    expect((await shelfmarkError(runBatch({ ...options, output }), 'SHELFMARK_MISMATCH')).message).toContain(
      'no batch wrote it',
    );
    expect(await readFile(output, 'utf8')).toBe('precious');
  });

  test('an output that cannot be written, and says which', async () => {
    const { folder } = await makeCorpus();
    await writeQueries(folder);
    const output = join(folder, 'no', 'such', 'folder');
    const error = await shelfmarkError(runBatch(optionsFor(folder, { output })), 'SHELFMARK_IO');
    expect(error.message).toContain(`${output} cannot be written`);
  });

  test('an output that another process writes, at once', async () => {
    // Two runs once wrote the same file and the second failed at its end.
    const { folder } = await makeCorpus();
    const options = optionsFor(folder);
    await writeQueries(folder);
    const first = runBatch(options);
    await shelfmarkError(runBatch(options), 'SHELFMARK_BUSY');
    expect(await first).toMatchObject({ answered: 40 });
    expect(await runBatch(options)).toMatchObject({ alreadyComplete: true });
    expect((await readdir(folder)).filter((name) => name.endsWith('.lock'))).toEqual([]);
  });

  test('queries that cannot be read, before it begins, and says where they are', async () => {
    const { folder } = await makeCorpus();
    const options = optionsFor(folder);
    const bad: [string, string, RegExp][] = [
      ['bad.jsonl', '{"_id":"a","text":"x"}\n\n{"_id":"b"}\n', /bad\.jsonl, query 2: "text" must be a string/],
      ['worse.jsonl', '{"_id":"a","text":"x"}\nno json\n', /worse\.jsonl, query 2: not valid JSON/],
      ['list.jsonl', '[1]\n', /list\.jsonl, query 1: /],
      ['id.jsonl', '{"_id":1.5,"text":"x"}\n', /id\.jsonl, query 1: "_id"/],
      ['bad.tsv', 'a\tx\nno tab\n', /bad\.tsv, query 2: expected an id, a tab/],
      ['twice.tsv', 'a\tx\nb\ty\na\tz\n', /twice\.tsv: the query id "a" comes twice/],
    ];
    for (const [name, text, message] of bad) {
      const queries = join(folder, name);
      await writeFile(queries, text);
      const output = join(folder, `${name}.out`);
      expect((await shelfmarkError(runBatch({ ...options, queries, output }), 'SHELFMARK_USAGE')).message).toMatch(
        message,
      );
      expect(existsSync(`${output}.partial`)).toBe(false);
    }
    await shelfmarkError(runBatch({ ...options, queries: '-' }), 'SHELFMARK_USAGE');
    const notes = join(folder, 'notes');
    await mkdir(notes);
    await shelfmarkError(runBatch({ ...options, queries: notes }), 'SHELFMARK_USAGE');
  });
});

describe('a run over a corpus with a damaged shard', () => {
  test('stops and says how far it came, unless partial answers are allowed', async () => {
    const { folder, corpus } = await makeCorpus();
    await writeQueries(folder);
    const [, lost = ''] = shardsOf(corpus);
    await rm(join(corpus, 'shards', `${lost}.shard`));
    for (const format of ['trec', 'jsonl'] as const) {
      const options = optionsFor(folder, { format, output: join(folder, format) });
      const error = await shelfmarkError(runBatch(options), 'SHELFMARK_PARTIAL');
      expect(error.message).toContain(lost);
      expect(error.facts).toMatchObject({ shards: shardsOf(corpus).length, searched: shardsOf(corpus).length - 1 });
      const report = await runBatch({ ...options, allowPartial: true });
      expect(report).toMatchObject({ queries: 40, coverage: { failed: 1 } });
      expect((await readFile(options.output)).length).toBeGreaterThan(1000);
    }
  });
});

describe('a long run', () => {
  test('of 20,000 queries does not keep them all', { timeout: 120_000 }, async () => {
    const { corpus } = await makeCorpus();
    const open = await Corpus.open(corpus, { workers: 1 });
    let given = 0;
    let taken = 0;
    let ahead = 0;
    function* queries(): Generator<{ id: string; text: string }> {
      for (; given < 20_000; given++) {
        ahead = Math.max(ahead, given - taken);
        yield { id: String(given), text: 'xyzzy nothing' };
      }
    }
    for await (const row of open.rank(queries(), { match: 'all' })) {
      expect(row.id === String(taken)).toBe(true);
      taken++;
    }
    await open.close();
    expect(taken).toBe(20_000);
    expect(ahead).toBeLessThan(512);
  });
});
