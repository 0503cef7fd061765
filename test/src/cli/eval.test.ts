import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Run, shelfmark, temporaryFolder } from './command-line.ts';

const cwd = temporaryFolder();

async function run(...args: string[]): Promise<Run> {
  return await shelfmark(['eval', ...args], { cwd });
}

beforeAll(() => {
  writeFileSync(join(cwd, 'qrels.tsv'), 'query-id\tcorpus-id\tscore\nq1\ta\t1\nq2\tb\t1\nq3\tc\t1\n');
  writeFileSync(join(cwd, 'new.trec'), 'q1 Q0 a 1 2 t\nq2 Q0 x 1 2 t\nq2 Q0 b 2 1 t\nq9 Q0 a 1 1 t\n');
  writeFileSync(join(cwd, 'old.trec'), 'q1 Q0 x 1 2 t\nq1 Q0 a 2 1 t\nq2 Q0 x 1 2 t\nq2 Q0 b 2 1 t\n');
});

describe('eval', () => {
  it('prints the counts, a line with a bar for each metric, and what was left out', async () => {
    const { code, stdout, stderr } = await run('new.trec', '--qrels', 'qrels.tsv', '--metrics', 'mrr,recall@10');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n')).toEqual([
      'new.trec: 3 judged questions, 1 of them without hits',
      '',
      `  mrr        0.5000  ${'█'.repeat(20)}`,
      `  recall@10  0.6667  ${'█'.repeat(27)}`,
      '',
      '1 question of the run without judgements, left out.',
      '',
    ]);
  });

  it('wonders about ids when nothing is right', async () => {
    writeFileSync(join(cwd, 'chunks.trec'), 'q1 Q0 a#1 1 2 t\n');
    const { stdout } = await run('chunks.trec', '--qrels', 'qrels.tsv');
    expect(stdout).toContain(
      '\nNothing right was found. Do the run and the file it is measured against use the same ids?\n',
    );
  });

  it('prints the default metrics', async () => {
    const { stdout } = await run('new.trec', '--qrels', 'qrels.tsv', '--json');
    expect(JSON.parse(stdout)).toEqual({
      run: 'new.trec',
      judged: 3,
      withoutHits: 1,
      withoutRelevant: 0,
      notJudged: 1,
      means: {
        'ndcg@10': (1 + 1 / Math.log2(3)) / 3,
        'recall@100': 2 / 3,
        map: 0.5,
        'mrr@10': 0.5,
        'p@10': 0.2 / 3,
        'success@5': 2 / 3,
      },
    });
  });

  it('compares with another run, question by question', async () => {
    const args = ['new.trec', '--qrels', 'qrels.tsv', '--compare', 'old.trec', '--metrics', 'mrr', '--per-query'];
    const { code, stdout } = await run(...args);
    expect(code).toBe(0);
    expect(stdout.split('\n')).toEqual([
      '  question     mrr   other',
      '  q1        1.0000  0.5000',
      '  q2        0.5000  0.5000',
      '  q3        0.0000  0.0000',
      '',
      'new.trec: 3 judged questions, 1 of them without hits',
      'old.trec: 3 judged questions, 1 of them without hits',
      '',
      '       new.trec  old.trec  difference  wins  ties  losses       p',
      // Differences .5 0 0: t is 1 with 2 degrees of freedom, whose p is 1 - 1/sqrt(3)
      '  mrr    0.5000    0.3333     +0.1667     1     2       0  0.4226',
      '',
      `  mrr  new.trec  ${'█'.repeat(20)}`,
      `       old.trec  ${'█'.repeat(13)}`,
      '',
      '1 question of the run without judgements, left out.',
      'Wins: questions that new.trec answers better. p: paired t-test, two-sided.',
      '',
    ]);
    const report = JSON.parse((await run(...args, '--json')).stdout) as Record<string, unknown>;
    expect(report).toMatchObject({
      queries: [{ id: 'q1', values: { mrr: 1 } }, { id: 'q2' }, { id: 'q3' }],
      compared: {
        run: 'old.trec',
        queries: [{ id: 'q1', values: { mrr: 0.5 } }, { id: 'q2' }, { id: 'q3' }],
        metrics: { mrr: { wins: 1, ties: 2, losses: 0 } },
      },
    });
  });

  it('measures against right answers', async () => {
    writeFileSync(
      join(cwd, 'gold.jsonl'),
      '{"_id":"q1","text":"who?","answers":["Ada"]}\n{"_id":"q2","answer":"noon"}\n',
    );
    writeFileSync(join(cwd, 'run.jsonl'), '{"id":"q1","hits":[{"uri":"a","text":"x"},{"uri":"b","text":"by ada"}]}\n');
    const { code, stdout, stderr } = await run('run.jsonl', '--answers', 'gold.jsonl');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n')).toEqual([
      'run.jsonl: 2 judged questions, 1 of them without hits',
      '',
      '  success@1    0.0000',
      ...['5', '20', '100'].map((k) => `  success@${k.padEnd(3)}  0.5000  ${'█'.repeat(20)}`),
      '',
    ]);
  });

  it('draws charts with names escaped', async () => {
    writeFileSync(join(cwd, 'a<b>.trec'), readFileSync(join(cwd, 'old.trec')));
    for (const file of ['chart.svg', 'chart.html']) {
      const args = ['new.trec', '--qrels', 'qrels.tsv', '--compare', 'a<b>.trec', '--metrics', 'mrr', '--chart', file];
      expect((await run(...args)).code).toBe(0);
      const drawn = readFileSync(join(cwd, file), 'utf8');
      expect(drawn.match(/<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/g)).toHaveLength(1);
      expect(drawn).toContain('a&lt;b&gt;.trec</text>');
      // 0.5 and 1/3 of 480
      expect([...drawn.matchAll(/width="([\d.]+)" height="14"/g)].map(([, width]) => width)).toEqual([
        '240.0',
        '160.0',
      ]);
    }
    expect(readFileSync(join(cwd, 'chart.html'), 'utf8')).toContain('<td>mrr</td><td>0.5000</td><td>0.3333</td>');
  });

  it.each([
    [2, ['new.trec'], 'eval: expected --qrels with relevance judgements, or --answers'],
    [2, ['new.trec', '--qrels', 'qrels.tsv', '--answers', 'x'], 'mutually exclusive'],
    [2, ['--qrels', 'qrels.tsv'], 'Too few words'],
    [2, ['new.trec', '--qrels', 'qrels.tsv', '--metrics', 'good@10'], 'metrics: "good@10" is not one'],
    [2, ['new.trec', '--qrels', 'qrels.tsv', '--chart', 'x.png'], 'ends in .svg or .html, got "x.png"'],
    [2, ['qrels.tsv', '--qrels', 'qrels.tsv'], 'qrels.tsv, line 1: expected "query Q0 document rank score tag"'],
    [2, ['new.trec', '--qrels', '.'], '. is not a file of relevance judgements'],
    [8, ['none.trec', '--qrels', 'qrels.tsv'], 'cannot read none.trec: no such file or folder'],
    [
      8,
      ['new.trec', '--qrels', 'qrels.tsv', '--chart', 'none/x.svg'],
      'none/x.svg cannot be written: no such file or folder',
    ],
  ])('exit code %i for %j', async (code, args, message) => {
    const failed = await run(...args);
    expect({ code: failed.code, stdout: failed.stdout }).toEqual({ code, stdout: '' });
    expect(failed.stderr).toContain(message);
  });
});
