/**
 * `npm run bench:scale`: builds corpora of 1, 2, 4, 8 and 16 times a base, one after another, and measures each. A run that
 * was stopped goes on with the sizes that its result file has not. bench/README.md says what is measured how.
 */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import yargs from 'yargs';
import { type Command, progress, runChild, runStage, typeScript } from '../measure/child.ts';
import {
  type BenchResult,
  describeMachine,
  describeProject,
  type MeasurementName,
  Measurements,
  projectFolder,
  readResult,
  resultsFolder,
  today,
} from '../measure/results.ts';
import { median, summarize } from '../measure/summary.ts';
import { toText } from '../measure/table.ts';
import { installPackages } from '../rivals/engines.ts';
import { saveResult } from '../rivals/save-result.ts';
import { type CopySize, copyFolder, scaleQuestions } from './copies.ts';
import { toReport } from './report.ts';
import type { ScaleBuild, ScaleQuestions } from './stage.ts';

const options = await yargs(process.argv.slice(2))
  .usage('npm run bench:scale -- [options]: measures Shelfmark as the text grows, works below bench-work/scale')
  .option('sizes', { type: 'string', default: '1,2,4,8,16', describe: 'multiples of the base, smallest first' })
  .option('documents', { type: 'number', default: 250_000, describe: 'documents of the base, about 1 KB each' })
  .option('repetitions', { type: 'number', default: 3, describe: 'how often the questions are measured' })
  .option('keep', { type: 'boolean', default: false, describe: 'leave texts and corpora where they are' })
  .option('name', { type: 'string', default: `scale-${today()}`, describe: 'name of the files in bench/results' })
  .strict()
  .parse();

/** Processes of `shelfmark search`, after one that does not count. */
const oneShots = 11;

const sizes = options.sizes
  .split(',')
  .map(Number)
  .sort((a, b) => a - b);
if (!sizes.every((size) => Number.isInteger(size) && size >= 1))
  throw new Error('--sizes: expected numbers like 1,2,4');

const settings = { documents: options.documents, repetitions: options.repetitions };
const known = await unfinished();
const measured = new Measurements();
for (const { value: _, repetitions, ...name } of known?.measurements ?? []) {
  for (const value of repetitions) measured.add(name, value);
}
const inputs: Record<string, Readonly<Record<string, number>>> = { ...known?.inputs };

installPackages();
for (const size of sizes) {
  if (inputs[inputOf(size)] !== undefined) progress(`${inputOf(size)}: measured before`);
  else await measureSize(size);
}
if (!options.keep) await rm(copyFolder(options.documents), { recursive: true, force: true });

/** The result of this name, when it is one of the same base. */
async function unfinished(): Promise<BenchResult | undefined> {
  const file = join(resultsFolder, `${options.name}.json`);
  if (!existsSync(file)) return undefined;
  const result = await readResult(file);
  if (JSON.stringify(result.settings) === JSON.stringify(settings)) return result;
  throw new Error(`${options.name}.json has other settings: choose another --name, or remove it`);
}

async function measureSize(size: number): Promise<void> {
  const input = inputOf(size);
  const text = await generate(size);
  const megabytes = text.textBytes / 1e6;
  progress(`${input}: ${toText(text.documents)} documents, ${toText(megabytes)} MB of text`);

  const corpus = join(copyFolder(options.documents), `corpus-${size}`);
  const built = await runStage<ScaleBuild>(stage('build', corpus, size, options.documents));
  const addBuild = adder(input, 'build');
  addBuild('time', 's', 'lower', built.seconds);
  addBuild('speed', 'MB/s', 'higher', megabytes / built.seconds);
  addBuild('peak memory', 'MB', 'lower', built.peakMB);
  addBuild('index/text', '', 'lower', built.indexBytes / text.textBytes);
  addBuild('everything/text', '', 'lower', built.corpusBytes / text.textBytes);
  progress(
    `${input}: built in ${toText(built.seconds)} s, ${toText(megabytes / built.seconds)} MB/s, ${built.shards} shards`,
  );

  for (let repetition = 0; repetition < options.repetitions; repetition++) {
    const { ms, memoryMB, processMB } = await runStage<ScaleQuestions>(stage('questions', corpus));
    const add = adder(input, 'questions-any');
    const times = summarize(ms);
    for (const [measure, value] of Object.entries(times)) add(measure, 'ms', 'lower', value);
    add('memory', 'MB', 'lower', memoryMB);
    add('process memory', 'MB', 'lower', processMB);
    progress(`${input}: p50 ${toText(times.p50)} ms, p99 ${toText(times.p99)} ms, ${toText(memoryMB)} MB`);
  }

  const worker = await runStage<ScaleQuestions>(stage('worker', corpus));
  adder(input, 'worker')('memory', 'MB', 'lower', worker.memoryMB);
  progress(`${input}: a worker of the default pool has ${toText(worker.memoryMB)} MB`);

  const walls = await oneShotTimes(corpus);
  const addShot = adder(input, 'one-shot');
  for (const ms of walls) addShot('p50', 'ms', 'lower', ms);
  progress(`${input}: one \`shelfmark search\` ${toText(median(walls))} ms`);

  inputs[input] = { ...text, corpusBytes: built.corpusBytes, shards: built.shards };
  await save();
  if (!options.keep) await rm(corpus, { recursive: true, force: true });
}

async function generate(size: number): Promise<CopySize> {
  const total = { documents: 0, textBytes: 0 };
  for (let copy = 1; copy <= size; copy++) {
    const { documents, textBytes } = await runStage<CopySize>(stage('generate', copy, options.documents));
    total.documents += documents;
    total.textBytes += textBytes;
  }
  return total;
}

/** Wall time of whole processes, from start to exit. */
async function oneShotTimes(corpus: string): Promise<number[]> {
  const walls: number[] = [];
  for (const question of scaleQuestions().slice(0, oneShots + 1)) {
    const args = [join(projectFolder, 'dist/src/cli.js'), 'search', question, '-c', corpus, '--match', 'any', '--json'];
    const startedAt = performance.now();
    await runChild({ command: process.execPath, args });
    walls.push(performance.now() - startedAt);
  }
  return walls.slice(1);
}

function stage(...args: readonly (string | number)[]): Command {
  return typeScript(new URL('stage.ts', import.meta.url), args);
}

function adder(
  input: string,
  name: string,
): (measure: string, unit: string, better: MeasurementName['better'], value: number) => void {
  return (measure, unit, better, value) => {
    measured.add({ input, case: name, engine: 'shelfmark', measure, unit, better }, value);
  };
}

function inputOf(size: number): string {
  return `${size}x`;
}

async function save(): Promise<void> {
  const result: BenchResult = {
    kind: 'scale',
    date: new Date().toISOString(),
    machine: describeMachine(),
    versions: { node: process.version, shelfmark: await describeProject() },
    settings,
    inputs,
    measurements: measured.list(),
    notes: [],
  };
  const files = await saveResult(options.name, result, toReport(result, `${options.name}.svg`));
  progress(`written: ${files.join(', ')}`);
}
