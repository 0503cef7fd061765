import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { SearchAnswer } from '../../../src/index.ts';
import { type Run, shelfmark, temporaryFolder } from './command-line.ts';

const cwd = temporaryFolder();

async function run(...args: string[]): Promise<Run> {
  return await shelfmark(args, { cwd });
}

beforeAll(async () => {
  const records = [
    {
      _id: 'notes/a.md',
      modified_at: '2026-01-01',
      text: '---\ntags: [birds]\nsure: true\n---\nheron, see `notes/b.md`',
    },
    { _id: 'mail/1', kind: 'mail', metadata: { '\u001b[31mred': '\u001b[31m' }, text: 'heron' },
  ];
  writeFileSync(join(cwd, 'a.jsonl'), records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  await run('build', 'a.jsonl', '--label', 'test');
});

describe('search and batch', () => {
  it.each([
    [['--path-prefix', 'notes/']],
    [['--file-type', '.md', '--label', 'test']],
    [['--mentions', 'notes/b.md']],
    [['--topic', 'birds', '--where', 'sure=true']],
    [['--topic', 'birds', '--where', 'sure=true', '--where', 'sure=false']],
    [['--modified-since', '2026-01-01', '--modified-before', '2026-01-02']],
  ])('take %j', async (args) => {
    const { stdout, stderr, code } = await run('search', 'heron', ...args, '--json');
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    const { hits } = JSON.parse(stdout) as SearchAnswer;
    expect(hits.map(({ uri }) => uri)).toEqual(['notes/a.md']);
  });

  it('leave out all that do not meet every condition', async () => {
    writeFileSync(join(cwd, 'q.tsv'), '1\theron\n');
    const batch = await run('batch', 'q.tsv', '-o', 'run.trec', '--topic', 'birds', '--file-type', 'txt', '--json');
    expect(batch).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(batch.stdout)).toMatchObject({ queries: 1, withoutHits: 1 });
  });

  it.each([
    [['--kind', 'mial'], 'Unknown kind "mial". Known: "mail", "document".'],
    [['--where', 'sore=true'], 'Unknown metadata key "sore". Known: "sure", "tags", "red".'],
    [['--where', 'sure'], '--where: expected key=value, got "sure".'],
    [
      ['--modified-since', 'now'],
      '--modified-since: expected a time such as 2026-11-30 or 2026-11-30T12:00:00Z, got "now".',
    ],
  ])('refuse %j with exit code 2', async (args, message) => {
    expect(await run('search', 'heron', ...args)).toEqual({ code: 2, stdout: '', stderr: `shelfmark: ${message}\n` });
  });
});
