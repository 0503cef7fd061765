/** Stages of Shelfmark, one a process: `shelfmark-stage.ts STAGE CORPUS INPUT …`. The other drivers take the same arguments. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildCorpus, Corpus } from '../../dist/src/index.js';
import { partsOf, type QueryMode, WorkerView } from './shelfmark-driver.ts';
import {
  answer,
  type BatchAnswer,
  type BuildAnswer,
  batchClassesOf,
  type LibraryAnswer,
  measureLatency,
  parseRounds,
  peakMB,
  queriesOf,
  type Rounds,
} from './stages.ts';

const [stage, corpus, folder, ...rest] = process.argv.slice(2) as [string, string, string, ...string[]];

switch (stage) {
  case 'build':
    answer(await build(Number(rest[0])));
    break;
  case 'latency':
    answer(latency(parseRounds(rest)));
    break;
  case 'batch':
    answer(await batch(Number(rest[0]), Number(rest[1])));
    break;
  case 'library':
    answer(await library(Number(rest[0])));
    break;
  default:
    throw new Error(`unknown stage ${stage}`);
}

/** The whole build as a user has it: reading JSON lines, chunking, analysis, index, compressed text, verified shards. */
async function build(workers: number): Promise<BuildAnswer> {
  rmSync(corpus, { recursive: true, force: true });
  const report = await buildCorpus({ sources: [join(folder, 'corpus.jsonl')], corpus, workers });
  const { indexBytes, totalBytes, chunks } = partsOf(corpus);
  if (chunks !== report.indexed) throw new Error(`${report.indexed} documents became ${chunks} chunks`);
  return { seconds: report.elapsedMs / 1000, mergeSeconds: 0, indexBytes, totalBytes, peakMB: peakMB() };
}

/** What one worker does when all shards are its own: the engine's time, without planning, messages and text. */
function latency(rounds: Rounds): ReturnType<typeof measureLatency> {
  const view = new WorkerView(corpus);
  const queries = queriesOf(folder).map(({ class: name, mode, text }) => ({
    class: name,
    run: view.prepare(text, mode),
  }));
  const measured = measureLatency(queries, rounds);
  view.close();
  return measured;
}

/** `Corpus.rank` over a stream of queries: planning, messages and merging included. */
async function batch(workers: number, seconds: number): Promise<BatchAnswer> {
  const opened = await Corpus.open(corpus, { workers });
  const rates: Record<string, number> = {};
  for (const [name, queries] of batchClassesOf(folder)) {
    const texts = queries.map(({ text }) => text);
    await rateOf(opened, texts, queries[0]!.mode, seconds);
    rates[name] = await rateOf(opened, texts, queries[0]!.mode, seconds);
  }
  await opened.close();
  return rates;
}

async function rateOf(opened: Corpus, texts: readonly string[], mode: QueryMode, seconds: number): Promise<number> {
  const startedAt = performance.now();
  function* passes(): Generator<{ readonly id: string; readonly text: string }> {
    do for (const [id, text] of texts.entries()) yield { id: String(id), text };
    while (performance.now() - startedAt < seconds * 1000);
  }
  let answered = 0;
  for await (const _ of opened.rank(passes(), { match: matchOf(mode), by: 'chunk', limit: 10 })) answered++;
  return (answered * 1000) / (performance.now() - startedAt);
}

/** One query at a time through the library, beside the worker's share of the same query. */
async function library(rounds: number): Promise<LibraryAnswer> {
  const view = new WorkerView(corpus);
  const one = await Corpus.open(corpus, { workers: 1 });
  const whole = await Corpus.open(corpus);
  const questions = queriesOf(folder).filter(({ class: name }) => /^(questions-any|mixed-or)/.test(name));
  let times: { worker: number[]; rank: number[]; search: number[] } | undefined;
  for (let round = 0; round < rounds + 1; round++) {
    times = { worker: [], rank: [], search: [] };
    for (const { text, mode } of questions) {
      const options = { match: matchOf(mode), by: 'chunk', limit: 10 } as const;
      const run = view.prepare(text, mode);
      times.worker.push(await timeOf(async () => run()));
      times.rank.push(await timeOf(async () => await one.rank([{ id: '1', text }], options).next()));
      times.search.push(await timeOf(async () => await whole.search(text, options)));
    }
  }
  await Promise.all([one.close(), whole.close()]);
  view.close();
  return times!;
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

function matchOf(mode: QueryMode): 'any' | 'all' {
  return mode === 'or' ? 'any' : 'all';
}
