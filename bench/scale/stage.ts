/** Stages of a scale run, one a process: `stage.ts generate COPY DOCUMENTS`, `build CORPUS SIZE DOCUMENTS`, `questions CORPUS`, `worker CORPUS`. */
import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { buildCorpus } from '../../dist/src/index.js';
import { partsOf, planTokens, WorkerView } from '../rivals/shelfmark-driver.ts';
import { type LatencyAnswer, measureLatency, peakMB } from '../rivals/stages.ts';
import { type CopySize, copyFile, generateCopy, scaleQuestions } from './copies.ts';

/** Answer to `build`. */
export interface ScaleBuild {
  readonly seconds: number;
  readonly corpusBytes: number;
  readonly indexBytes: number;
  readonly shards: number;
  readonly peakMB: number;
}

/** Answer to `questions`. */
export interface ScaleQuestions {
  readonly ms: readonly number[];
  /** what the process has more than before it opened the corpus */
  readonly memoryMB: number;
  readonly processMB: number;
}

const [stage, first, ...rest] = process.argv.slice(2) as [string, string, ...string[]];

switch (stage) {
  case 'generate':
    answer(generateCopy(Number(first), Number(rest[0])));
    break;
  case 'build':
    answer(await build(first, Number(rest[0]), Number(rest[1])));
    break;
  case 'questions':
    answer(questions(first, 1));
    break;
  case 'worker':
    answer(questions(first, Math.min(8, availableParallelism())));
    break;
  default:
    throw new Error(`unknown stage ${stage}`);
}

async function build(corpus: string, size: number, documents: number): Promise<ScaleBuild> {
  rmSync(corpus, { recursive: true, force: true });
  const sources = Array.from({ length: size }, (_, index) => copyFile(index + 1, documents));
  const report = await buildCorpus({ sources, corpus });
  const { shards, indexBytes, totalBytes } = partsOf(corpus);
  return { seconds: report.elapsedMs / 1000, corpusBytes: totalBytes, indexBytes, shards, peakMB: peakMB() };
}

/** One of so many threads that share the shards; several rounds, so that what can be kept in memory is there. */
function questions(corpus: string, threads: number): ScaleQuestions {
  const texts = scaleQuestions().filter((text) => planTokens(text, 'all').length > 1);
  const before = process.memoryUsage().rss;
  const view = new WorkerView(corpus, threads);
  const queries = texts.map((text) => ({ class: 'questions-any', run: view.prepare(text, 'or') }));
  const measured: LatencyAnswer = measureLatency(queries, { warmups: 5, rounds: 1, budgetSeconds: 120 });
  const after = process.memoryUsage().rss;
  return {
    ms: measured.classes['questions-any']!.ms,
    memoryMB: (after - before) / 1e6,
    processMB: after / 1e6,
  };
}

function answer(value: CopySize | ScaleBuild | ScaleQuestions): void {
  console.log(JSON.stringify(value));
}
