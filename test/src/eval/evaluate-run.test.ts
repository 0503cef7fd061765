import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  compareEvaluations,
  type Evaluation,
  evaluateRun,
  parseMetrics,
  readQrels,
  readRun,
} from '../../../src/eval/index.ts';
import { temporaryFolder } from '../sources/support.ts';
import { shelfmarkError } from '../support.ts';

async function fileOf(content: string | Buffer, name = 'file'): Promise<string> {
  const file = join(await temporaryFolder(), name);
  await writeFile(file, content);
  return file;
}

async function qrelsOf(content: string): Promise<Record<string, Record<string, number>>> {
  const qrels = await readQrels(await fileOf(content));
  return Object.fromEntries([...qrels].map(([query, grades]) => [query, Object.fromEntries(grades)]));
}

async function runOf(content: string): Promise<Record<string, readonly string[]>> {
  return Object.fromEntries(await readRun(await fileOf(content)));
}

async function evaluate(run: string, qrels: string, metrics: string): Promise<Evaluation> {
  return evaluateRun(await readRun(await fileOf(run)), await readQrels(await fileOf(qrels)), parseMetrics(metrics));
}

describe('readQrels', () => {
  it('reads the form of TREC, spaces or tabs, and the form of BEIR with and without a header alike', async () => {
    const expected = { q1: { d1: 2, d2: 0 }, q2: { d1: -1 } };
    expect(await qrelsOf('q1 0 d1 2\nq1 0  d2 0\n\nq2 0 d1 -1\n')).toEqual(expected);
    expect(await qrelsOf('q1\t0\td1\t2\r\nq1\t0\td2\t0\r\nq2\t0\td1\t-1')).toEqual(expected);
    expect(await qrelsOf('query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq2\td1\t-1\n')).toEqual(expected);
    expect(await qrelsOf('q1\td1\t2\nq1\td2\t0\nq2\td1\t-1\n')).toEqual(expected);
  });

  it('reads compressed files', async () => {
    const qrels = await readQrels(await fileOf(gzipSync('q1 0 d1 1\n'), 'qrels.txt.gz'));
    expect(qrels.get('q1')?.get('d1')).toBe(1);
  });

  it('writes ids apart by tabs as a TREC run has them', async () => {
    expect(await qrelsOf('my query\ta b%20c\t1\n')).toEqual({ 'my%20query': { 'a%20b%2520c': 1 } });
  });

  it.each([
    ['q1 0 d1 1\n\n\r\nq1 d1\n', 'line 4: expected "query 0 document grade", or query, document and grade'],
    ['q1 0 d1 1\nq1 0 d2 yes\n', 'line 2: the grade "yes" is not a whole number'],
    ['q1 0 d1 1\nq1 0 d1 1\n', 'line 2: d1 is judged twice for query q1'],
    ['q1\td1\t0.5\nq1\td2\t1\n', 'line 1: the grade "0.5" is not a whole number'],
    ['\n', 'has no relevance judgements'],
    ['query-id\tcorpus-id\tscore\n', 'has no relevance judgements'],
  ])('refuses %j', async (content, message) => {
    const file = await fileOf(content, 'qrels.txt');
    expect((await shelfmarkError(readQrels(file), 'SHELFMARK_USAGE')).message).toContain(message);
  });

  it('says when there is no such file', async () => {
    await shelfmarkError(readQrels(join(await temporaryFolder(), 'none')), 'SHELFMARK_SOURCE');
  });
});

describe('readRun', () => {
  it('orders a TREC run by score whatever the ranks, and equal scores by descending id, as trec_eval does', async () => {
    const run = 'q Q0 a 1 1.5 t\nq Q0 c 2 1.5 t\nq Q0 b 3 1.5 t\nr Q0 x 1 -2 t\nq Q0 z 9 1e1 t\nr Q0 y 2 0.5 t\n';
    expect(await runOf(run)).toEqual({ q: ['z', 'c', 'b', 'a'], r: ['y', 'x'] });
  });

  it('orders ids of equal scores by their UTF-8 bytes', async () => {
    expect(await runOf('q Q0 \uff5e 1 1 t\nq Q0 \u{1f600} 2 1 t\n')).toEqual({ q: ['\u{1f600}', '\uff5e'] });
  });

  it('takes answers in their order, and of several passages of a document the first', async () => {
    const hits = ['b b', 'a', 'b b', 'c'].map((uri) => ({ uri, score: 1, text: 'x' }));
    expect(await runOf(`${JSON.stringify({ id: 'q 1', hits })}\n{"id":"q2","hits":[]}\n`)).toEqual({
      'q%201': ['b%20b', 'a', 'c'],
      q2: [],
    });
  });

  it.each([
    ['q Q0 a 1 1.5\n', 'line 1: expected "query Q0 document rank score tag", got 5 fields'],
    ['q Q0 a 1 high t\n', 'line 1: the score "high" is not a number'],
    ['q Q0 a 1 2 t\nq Q0 a 2 1 t\n', 'line 2: a comes twice for query q'],
    ['{"id":"q","hits":[]}\n{"id":"q","hits":[]}\n', 'line 2: query q comes twice'],
    ['{"id":"q"}\n', 'line 1: expected an answer with "id" and "hits"'],
    ['{"id":"q","hits":[{"text":"no uri"}]}\n', 'line 1: expected an answer'],
    ['{"id":\n', 'line 1: not valid JSON'],
    ['', 'is empty: there is no run in it'],
  ])('refuses %j', async (content, message) => {
    const file = await fileOf(content, 'run');
    expect((await shelfmarkError(readRun(file), 'SHELFMARK_USAGE')).message).toContain(message);
  });
});

describe('evaluateRun', () => {
  it('averages over all judged queries as trec_eval -c does, and counts what is missing', async () => {
    // q1 finds its document first, q2 second, q3 is not answered, q4 has none to find, q5 is not judged.
    const run = 'q1 Q0 a 1 2 t\nq2 Q0 x 1 2 t\nq2 Q0 b 2 1 t\nq4 Q0 a 1 1 t\nq5 Q0 a 1 1 t\n';
    const qrels = 'q1 0 a 1\nq2 0 b 1\nq2 0 y 0\nq3 0 c 1\nq4 0 a 0\n';
    const evaluation = await evaluate(run, qrels, 'mrr,success@1');
    expect(evaluation).toEqual({
      means: { mrr: (1 + 0.5) / 4, 'success@1': 1 / 4 },
      queries: [
        { id: 'q1', values: { mrr: 1, 'success@1': 1 } },
        { id: 'q2', values: { mrr: 0.5, 'success@1': 0 } },
        { id: 'q3', values: { mrr: 0, 'success@1': 0 } },
        { id: 'q4', values: { mrr: 0, 'success@1': 0 } },
      ],
      withoutHits: 1,
      withoutRelevant: 1,
      notJudged: 1,
    });
  });

  it('takes a negative grade for not relevant', async () => {
    const { means } = await evaluate('q Q0 a 1 2 t\nq Q0 b 2 1 t\n', 'q 0 a -1\nq 0 b 1\n', 'ndcg@10,map,recall@1');
    expect(means).toEqual({ 'ndcg@10': 1 / Math.log2(3), map: 0.5, 'recall@1': 0 });
  });
});

describe('compareEvaluations', () => {
  /** An evaluation of one metric with these values. */
  function evaluationOf(values: readonly number[]): Evaluation {
    const queries = values.map((value, index) => ({ id: `q${index}`, values: { map: value } }));
    const means = { map: values.reduce((sum, value) => sum + value, 0) / values.length };
    return { means, queries, withoutHits: 0, withoutRelevant: 0, notJudged: 0 };
  }

  it('counts wins, ties and losses and tests the difference', () => {
    // The differences .1 -.05 .2 0 .3 .02 -.1 .15 have mean .0775 and deviation .13488, so t is 1.62516 with 7 degrees
    // of freedom; scipy 1.17 stats.ttest_1samp gives p 0.148155906.
    const values = [0.5, 0.3, 0.7, 0.4, 0.8, 0.42, 0.2, 0.65];
    const others = [0.4, 0.35, 0.5, 0.4, 0.5, 0.4, 0.3, 0.5];
    const { map } = compareEvaluations(evaluationOf(values), evaluationOf(others));
    expect(map).toMatchObject({ wins: 5, ties: 1, losses: 2 });
    expect(map!.difference).toBeCloseTo(0.0775, 12);
    expect(map!.mean - map!.otherMean).toBeCloseTo(0.0775, 12);
    expect(map!.p).toBeCloseTo(0.148155906, 7);
  });

  it('has the same p whichever run comes first', () => {
    const [one, other] = [evaluationOf([0.1, 0.9, 0.4]), evaluationOf([0.2, 0.5, 0.4])];
    const [there, back] = [compareEvaluations(one, other).map!, compareEvaluations(other, one).map!];
    expect(back.p).toBeCloseTo(there.p!, 12);
    expect(back).toMatchObject({ wins: there.losses, losses: there.wins, difference: -there.difference });
  });

  it('has no p where there is nothing to test', () => {
    const evaluation = evaluationOf([0.1, 0.2]);
    expect(compareEvaluations(evaluation, evaluation).map).toMatchObject({ ties: 2, difference: 0, p: null });
    expect(compareEvaluations(evaluationOf([0.5]), evaluationOf([0.25])).map).toMatchObject({ wins: 1, p: null });
  });
});
