import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type BuildReport, Corpus, type Hit, type Passage, type SearchAnswer } from '../../../src/index.ts';
import { type Run, shelfmark, temporaryFolder } from './command-line.ts';
import { writeSources } from './fixture.ts';

const cwd = temporaryFolder();
let built: Run;

async function run(...args: string[]): Promise<Run> {
  return await shelfmark(args, { cwd });
}

async function search(...args: string[]): Promise<SearchAnswer> {
  const { stdout, stderr, code } = await run('search', ...args, '--json');
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  return JSON.parse(stdout) as SearchAnswer;
}

beforeAll(async () => {
  writeSources(cwd);
  built = await run('build', 'records.jsonl', 'notes', '--ignore', 'draft*', '--shard-size', '4KiB', '--label', 'test');
});

describe('build', () => {
  it('ends with counters that add up and the next command to run', () => {
    expect(built).toMatchObject({ code: 0, stderr: '' });
    expect(built.stdout).toMatch(/^Built .*corpus \(.* in .*, .* MB\/s\)\n/);
    expect(built.stdout).toMatch(
      / seen +43 .*\n +indexed +43\n +unchanged +0\n +empty +0\n +duplicate +0\n +skipped +0\n/,
    );
    expect(built.stdout).toMatch(/sources +2 +0 unchanged, 1 file ignored\n/);
    expect(built.stdout).toMatch(/\nNext: shelfmark search "your question" -c corpus\n$/);
  });

  it('prints its report as one JSON object and names rejected records', async () => {
    const input = '{"_id":"a","text":"good"}\nnot json\n{"_id":"a","text":"again"}\n{"_id":"b","text":""}\n';
    const args = ['build', '-', '--format', 'jsonl', '-c', 'from-stdin', '--json'];
    const { stdout, stderr, code } = await shelfmark(args, { cwd, input });
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    const report = JSON.parse(stdout) as BuildReport;
    expect(report).toMatchObject({ seen: 4, indexed: 1, empty: 1, duplicate: 1, skipped: 1, newShards: 1 });
    const rejects = readFileSync(report.rejects ?? '', 'utf8')
      .trimEnd()
      .split('\n');
    expect(rejects.map((line) => (JSON.parse(line) as { byteStart: number }).byteStart)).toEqual([26, 35]);
  });

  it('shows where rejected records are listed, and quotes the corpus for the shell', async () => {
    const { stdout } = await shelfmark(['build', '-', '--format', 'jsonl', '-c', "my 'own"], { cwd, input: 'bad\n' });
    expect(stdout).toContain(`are listed in ${join(cwd, "my 'own", 'rejects.jsonl')}\n`);
    expect(stdout).toContain("-c 'my '\\''own'\n");
  });

  it('passes over unchanged sources', async () => {
    const { stdout } = await run('build', 'records.jsonl', '-c', 'twice', '--json');
    const again = await run('build', 'records.jsonl', '-c', 'twice', '--json');
    const [first, second] = [JSON.parse(stdout), JSON.parse(again.stdout)] as [BuildReport, BuildReport];
    expect(second).toMatchObject({ seen: first.seen, unchanged: first.indexed, unchangedSources: 1, newShards: 0 });
  });
});

describe('adopt', () => {
  it('joins the parts of a job array', async () => {
    for (const part of ['1', '2']) {
      const built = await run(
        'build',
        'records.jsonl',
        '-c',
        `part-${part}`,
        '--part',
        `${part}/2`,
        '--shard-size',
        '4KiB',
      );
      expect(built.code).toBe(0);
    }
    const { stdout, code } = await run('adopt', 'joined', 'part-1', 'part-2');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^Adopted \d+ shards with 42 documents into .*joined; 0 duplicates\.\nNext: shelfmark search /,
    );
    const again = await run('adopt', 'joined', 'part-1', 'part-2', '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({ shards: 0, documents: 0, duplicates: 0, rejects: null });
    const found = await search('otter', '-n', '100', '-c', 'joined');
    expect(found.hits).toHaveLength(10);
  });
});

describe('search', () => {
  it('gives the hits of the library in its order, as text, JSON and JSON lines', async () => {
    const corpus = await Corpus.open(join(cwd, 'corpus'));
    const expected = await corpus
      .search('the otter near the river', { limit: 7, by: 'chunk' })
      .finally(() => corpus.close());
    expect(expected.hits).toHaveLength(7);
    const args = ['the', 'otter', 'near', 'the river', '-n', '7', '--by', 'chunk'];

    const answer = await search(...args);
    expect({ ...answer, tookMs: 0 }).toEqual({ ...expected, tookMs: 0 });

    const lines = (await run('search', ...args, '--jsonl')).stdout.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as Hit)).toEqual(expected.hits);

    const { stdout } = await run('search', ...args);
    expect([...stdout.matchAll(/ \| (s[0-9a-f]{10}\/\d+\/\d+) \| /g)].map(([, shelfmark]) => shelfmark)).toEqual(
      expected.hits.map(({ shelfmark }) => shelfmark),
    );
  });

  it('prints rank, score, title, heading path, snippet, uri, shelfmark, label and place', async () => {
    const { stdout, stderr, code } = await run('search', 'badger');
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    const lines = stdout.split('\n');
    expect(lines[0]).toMatch(/^1 hit \| all \(every word\) of: badger \| (\d+)\/\1 shards? \| \d+ ms$/);
    expect(lines.slice(2)).toEqual([
      expect.stringMatching(/^1\. Guide {2}\(\d\.\d+\)$/),
      '   Guide > Badgers',
      '   The <b>badger</b> digs.',
      expect.stringMatching(/^ {3}notes\/guide\.md \| s[0-9a-f]{10}\/\d+\/\d+ \| test$/),
      `   ${join(cwd, 'notes', 'guide.md')} bytes 0-64`,
      '',
    ]);
  });

  it('marks highlighted words as asked', async () => {
    expect((await run('search', 'badger', '--mark', '[', ']')).stdout).toContain('The [badger] digs.');
    expect((await run('search', 'badger', '--no-mark')).stdout).toContain('The badger digs.');
    expect((await run('search', 'badger', '--mark', '[')).code).toBe(2);
    expect((await run('search', 'badger', '--mark', '[', ']', '--no-mark')).code).toBe(2);
  });

  it('falls back as --match says and tells how', async () => {
    const fallback = await run('search', 'badger', 'zyzzyva', '--explain');
    expect(fallback.stdout).toContain('1 hit | top5 (any of five words) of: badger, zyzzyva');
    expect(fallback.stdout).toMatch(/\n {2}all: 0 hits in .*\n {4}.*\n {4}.*\n {2}top5: 1 hit in .*; badger=/);
    expect(fallback.stdout).toContain('\n   without: zyzzyva\n');

    const strict = await run('search', 'badger', 'zyzzyva', '--match', 'all');
    expect(strict).toMatchObject({ code: 0, stderr: '' });
    expect(strict.stdout).toMatch(/^0 hits .*\nNothing found\. Try --match any/);

    const also = await search('zyzzyva', '--match', 'any', '--also', 'badger', 'fox', '--by', 'chunk');
    expect(also).toMatchObject({ rung: 'any', tokens: ['zyzzyva'] });
    expect(also.hits.map(({ heading }) => heading.at(-1)).sort()).toEqual(['Badgers', 'Foxes']);
  });

  it('fills up from the next step, and says which hits are from there', async () => {
    const { stdout } = await run('search', 'otter', 'river', '--fill', '-n', '12');
    expect(stdout).toMatch(/^12 hits \| all \(every word\), then top5 \(any of five words\) of: otter, river \|/);
    expect(stdout.match(/^\d+\. .*, top5\)$/gm)).toHaveLength(2);
  });

  it('shows further passages of a document', async () => {
    const args = ['badger', 'fox', '--match', 'any', '--evidence', '2'];
    const { stdout } = await run('search', ...args, '--no-mark');
    expect(stdout).toMatch(
      /^1 hit .*\n\n1\. Guide .*\n {3}Guide > (Badgers|Foxes)\n(.*\n)+ {3}\+ Guide > (Badgers|Foxes) \(/,
    );
    const { hits } = await search(...args);
    expect(hits[0]!.evidence!.map(({ heading }) => heading.at(-1)).sort()).toEqual(['Badgers', 'Foxes']);
  });

  it('finds the very text, as the library does', async () => {
    const text = 'pair a:b, C++ code, near(';
    const { stdout, stderr } = await run('search', text, '--match', 'scan', '--ignore-case', '--mark', '[', ']');
    expect(stderr).toBe('');
    expect(stdout).toContain(`1 hit | scan (the text itself) of: ${text} |`);
    expect(stdout).toContain('[pair a:b, C++ code, NEAR(] it.');
    expect((await run('search', text, '--match', 'scan')).stdout).toContain('0 hits |');
    const typed = await search(text, '--match', 'scan', '--ignore-case', '--workers', '0');
    const corpus = await Corpus.open(join(cwd, 'corpus'), { workers: 0 });
    const asked = await corpus.search(text, { match: 'scan', ignoreCase: true });
    await corpus.close();
    expect(typed.hits).toEqual(asked.hits);
  });

  it('filters by kind and collection, which may be repeated', async () => {
    const kinds = async (...args: string[]): Promise<string[]> => {
      const { hits } = await search('heron', '-n', '100', ...args);
      return [...new Set(hits.map(({ kind }) => kind))].sort();
    };
    expect(await kinds('--kind', 'even')).toEqual(['even']);
    expect(await kinds('--kind', 'even', '--kind', 'odd')).toEqual(['even', 'odd']);
    expect(await kinds('--kind', 'even', '--collection', 'default')).toEqual(['even']);
  });

  it('gives whole passages and shorter snippets on request', async () => {
    const { hits } = await search('heron', '--text', '--snippet-length', '40', '-n', '1');
    expect(hits[0]?.text).toContain('a clerk notes every loan by hand');
    expect(hits[0]?.snippet.length).toBeLessThan(90);
    expect((await run('search', 'badger', '--text')).stdout).toContain('\n   | The badger digs.\n');
  });

  it('takes the corpus from SHELFMARK_CORPUS, which -c overrides', async () => {
    const env = { SHELFMARK_CORPUS: 'from-stdin' };
    const args = ['search', 'good', '--jsonl'];
    expect(JSON.parse((await shelfmark(args, { cwd, env })).stdout)).toMatchObject({ uri: 'a' });
    expect((await shelfmark([...args, '-c', 'corpus'], { cwd, env })).stdout).toBe('');
  });

  it('takes query words as typed, numbers, operators and dashes too', async () => {
    const { tokens, query, hits } = await search(
      '--match',
      'any',
      '1e3',
      '1.10',
      '0x10',
      'a:b',
      'C++',
      'AND',
      'OR',
      'NEAR(',
      '*',
    );
    expect(query).toBe('1e3 1.10 0x10 a:b C++ AND OR NEAR( *');
    expect(tokens).toEqual(['1e3', '1.10', '0x10', 'a:b', 'C++', 'AND', 'OR', 'NEAR']);
    expect(hits[0]?.uri).toBe('odd-words');

    const dashes = await run('search', '--json', '1e3', '--', '-foo', '--', '--json', '"');
    expect(JSON.parse(dashes.stdout)).toMatchObject({ query: '1e3 -foo -- --json "', tokens: ['1e3', 'foo', 'json'] });
  });

  it('says where to put words that begin with a dash', async () => {
    const { stderr, code, stdout } = await run('search', '-foo');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('Put "--" before words that begin with a dash');
  });
});

describe('batch', () => {
  it('writes a TREC run and says what it did', async () => {
    const { stdout, stderr, code } = await run('batch', 'queries.tsv', '-o', 'run.trec', '-n', '3', '--tag', 'mine');
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    expect(stdout).toMatch(/^Wrote .*run\.trec\n\n +questions +4\n +answered +4 .* questions\/s\n/);
    expect(stdout).toMatch(/without words +1 /);
    const ids = readFileSync(join(cwd, 'run.trec'), 'utf8').trimEnd().split('\n');
    expect(ids.map((line) => line.split(' ')[0])).toEqual(['q1', 'q1', 'q1', 'q2']);
    expect(ids.every((line) => line.endsWith(' mine'))).toBe(true);
    expect((await run('batch', 'queries.tsv', '-o', 'run.trec', '-n', '3', '--tag', 'mine')).stdout).toContain(
      'complete already',
    );
  });

  it('writes answers as JSON lines and its report as JSON', async () => {
    const { stdout } = await run('batch', 'queries.tsv', '-o', 'run.jsonl', '--format', 'jsonl', '--json', '--text');
    expect(JSON.parse(stdout)).toMatchObject({ queries: 4, answered: 4, resumedAt: 0, alreadyComplete: false });
    const rows = readFileSync(join(cwd, 'run.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as SearchAnswer);
    expect(rows.map(({ hits }) => hits.length)).toEqual([10, 1, 0, 0]);
    expect(rows[1]?.hits[0]?.text).toContain('The badger digs.');
  });
});

describe('show and cite', () => {
  it('shows a passage, its neighbours or its document, with provenance', async () => {
    const { hits } = await search('badger');
    const shelfmarkOfHit = hits[0]?.shelfmark ?? '';
    const { stdout } = await run('show', shelfmarkOfHit);
    expect(stdout).toMatch(
      /^Guide\nuri +notes\/guide\.md\nkind +document\ncollection +default\nlabel +test\nsource +.*guide\.md bytes 0-64\nsha256 +[0-9a-f]{64}\n/,
    );
    expect(stdout).toMatch(
      /\n\n--- s.* \| passage 1 of 2 \| bytes .* \| Guide > Badgers ---\n# Guide\n\n## Badgers\n\nThe badger digs\.\n$/,
    );
    const around = await run('show', shelfmarkOfHit, '--around', '1', '--json');
    const document = await run('show', shelfmarkOfHit, '--document', '--json');
    expect((JSON.parse(around.stdout) as Passage[]).map(({ ordinal }) => ordinal)).toEqual([1, 2]);
    expect(document.stdout).toBe(around.stdout);
  });

  it('verifies citations', async () => {
    const { hits } = await search('otter', '-n', '2');
    const marks = hits.map(({ shelfmark }) => shelfmark);
    const { stdout, code } = await run('cite', ...marks);
    expect(code).toBe(0);
    expect(stdout.split('\n').map((line) => line.split(/ +/).slice(0, 2))).toEqual([
      ...marks.map((mark) => ['verified', mark]),
      [''],
    ]);
    const json = await run('cite', ...marks, '--json');
    expect(JSON.parse(json.stdout)).toMatchObject(marks.map((mark) => ({ shelfmark: mark, status: 'verified' })));
  });
});

describe('stats and verify', () => {
  it('says what the corpus holds', async () => {
    const { stdout } = await run('stats');
    expect(stdout).toMatch(/\n +documents +43\n/);
    const stats = JSON.parse((await run('stats', '--json')).stdout) as { documents: number; shards: number };
    expect(stats.documents).toBe(43);
    expect(stats.shards).toBeGreaterThan(3);
  });

  it('checks every part of every shard', async () => {
    const { stdout, stderr, code } = await run('verify', '--deep');
    expect({ stderr, code, stdout }).toMatchObject({ stderr: '', code: 0 });
    expect(stdout).toMatch(/^s[0-9a-f]{10} {2}ok\n {2}hash +ok +SHA-256/);
    expect(stdout).toMatch(/\ncatalog {2}ok .*\n\d+ shards ok \(every posting compared\)\n$/);
    const report = JSON.parse((await run('verify', '--json')).stdout) as { ok: boolean; depth: string };
    expect(report).toMatchObject({ ok: true, depth: 'sample' });
  });
});

describe('help', () => {
  it('shows examples for every command, and the exit codes', async () => {
    for (const name of ['build', 'adopt', 'search', 'batch', 'show', 'cite', 'stats', 'verify']) {
      const { stdout, code } = await run(name, '--help');
      expect(code).toBe(0);
      expect(stdout).toMatch(new RegExp(`^shelfmark ${name} `));
      expect(stdout).toMatch(new RegExp(`Examples:\\n +shelfmark ${name}`));
      expect(stdout).toContain('Exit codes:');
    }
  });

  it('knows its version', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    expect((await run('--version')).stdout).toBe(`${version}\n`);
  });
});
