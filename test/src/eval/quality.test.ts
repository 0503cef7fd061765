import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readQueries } from '../../../src/batch/read-queries.ts';
import { runBatch } from '../../../src/batch/run-batch.ts';
import {
  evaluateRun,
  type MetricValues,
  parseMetrics,
  type Qrels,
  readQrels,
  readRun,
} from '../../../src/eval/index.ts';
import { type BatchQuery, Corpus, type SearchOptions } from '../../../src/index.ts';
import { findLines } from '../../../src/sources/index.ts';
import { build, writeJsonl } from '../support.ts';
import { generateTopics } from './topics.ts';

// Scores are the same to the last bit everywhere, so a figure moves only when ranking or analysis does. Each floor is a
// little below what is reached; whoever gains on it may raise it, whoever falls below has made answers worse.

const metrics = parseMetrics('ndcg@10,recall@100,mrr@10');
const shared = fileURLToPath(new URL('../../../../shared/', import.meta.url));
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shelfmark-quality-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

/** Means over the judged questions of a corpus. */
async function measure(
  corpus: string,
  queries: Iterable<BatchQuery> | AsyncIterable<BatchQuery>,
  qrels: Qrels,
  search: SearchOptions,
): Promise<MetricValues> {
  const open = await Corpus.open(corpus, { workers: 0 });
  try {
    const run = new Map<string, string[]>();
    for await (const { id, hits } of open.rank(queries, { limit: 100, ...search })) {
      run.set(
        id,
        hits.map(({ uri }) => uri),
      );
    }
    return evaluateRun(run, qrels, metrics).means;
  } finally {
    await open.close();
  }
}

describe('questions about a town, written by hand', () => {
  const fixture = fileURLToPath(new URL('../../fixtures/quality/', import.meta.url));

  beforeAll(async () => {
    await build({ sources: [join(fixture, 'corpus.jsonl')], corpus: join(folder, 'town') });
  });

  it.each([
    [{ match: 'any' }, 0.955, 0.985],
    [{ match: 'strict' }, 0.95, 0.97],
  ] as const)('are answered well enough with %j', async (search, ndcg, recall) => {
    const queries = readQueries(await findLines(join(fixture, 'queries.jsonl'), 'questions'));
    const means = await measure(join(folder, 'town'), queries, await readQrels(join(fixture, 'qrels.tsv')), search);
    expect(means['ndcg@10']).toBeGreaterThan(ndcg);
    expect(means['recall@100']).toBeGreaterThan(recall);
  });
});

describe('generated topics, where everything hangs on the ranking', () => {
  const { documents, queries, qrels } = generateTopics(2);
  const floor = 0.625;

  beforeAll(async () => {
    const source = await writeJsonl(join(folder, 'topics.jsonl'), documents);
    await build({ sources: [source], corpus: join(folder, 'topics') });
  });

  it.each([
    [{ match: 'any' }, floor, 0.75],
    [{ match: 'strict' }, 0.55, 0.63],
  ] as const)('are found well enough with %j', async (search, ndcg, recall) => {
    const means = await measure(join(folder, 'topics'), queries, qrels, search);
    expect(means['ndcg@10']).toBeGreaterThan(ndcg);
    expect(means['recall@100']).toBeGreaterThan(recall);
  });

  it.each([{ k1: 0 }, { b: 0 }])('would show a ranking that is worse: %j', async (scoring) => {
    const means = await measure(join(folder, 'topics'), queries, qrels, { match: 'any', ...scoring });
    expect(means['ndcg@10']).toBeLessThan(floor);
  });
});

describe('cranfield', () => {
  const collection = join(shared, 'data/collections/cranfield');
  const reference = join(shared, 'tools/ndcg.py');

  it('is answered well enough by batch, and an independent program agrees with eval', async (context) => {
    if (!existsSync(collection)) return context.skip('the shared data is not beside the repository');
    const corpus = join(folder, 'cranfield');
    await build({ sources: [join(collection, 'corpus.jsonl.zst')], corpus });
    const qrels = join(collection, 'qrels/test.tsv');
    for (const [match, floor] of [
      ['any', 0.36],
      ['strict', 0.26],
    ] as const) {
      const output = join(folder, `${match}.trec`);
      await runBatch({
        queries: join(collection, 'queries.jsonl'),
        corpus,
        output,
        format: 'trec',
        tag: 'test',
        allowPartial: false,
        workers: 1,
        search: { match, limit: 100 },
      });
      const { means } = evaluateRun(await readRun(output), await readQrels(qrels), metrics);
      expect(means['ndcg@10']).toBeGreaterThan(floor);
      if (!existsSync(reference)) continue;
      const figures = Object.entries(means).map(([name, mean]) => `${mean.toFixed(4)} ${name}`);
      expect(execFileSync('python3', [reference, output, qrels], { encoding: 'utf8' })).toContain(figures.join(' '));
    }
  });
});
