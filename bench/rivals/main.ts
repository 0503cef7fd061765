/**
 * `npm run bench:rivals`: builds the same text, analysed the same, in Shelfmark and its rivals, puts the same queries to
 * all, and writes JSON, a table and a chart to bench/results. bench/README.md says what is measured how.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import yargs from 'yargs';
import { workFolder } from '../corpora.ts';
import { ChildError, progress, runStage, typeScript } from '../measure/child.ts';
import { type BenchResult, describeMachine, type MeasurementName, Measurements, today } from '../measure/results.ts';
import { meanOverlap, median, summarize } from '../measure/summary.ts';
import { toText } from '../measure/table.ts';
import { type Engine, engines, installPackages } from './engines.ts';
import { type InputName, inputNames, missingFor, type PreparedInput } from './inputs.ts';
import { toReport } from './report.ts';
import { saveResult } from './save-result.ts';
import type { BatchAnswer, BuildAnswer, LatencyAnswer, LibraryAnswer } from './stages.ts';

const options = await yargs(process.argv.slice(2))
  .usage('npm run bench:rivals -- [options]: measures Shelfmark beside other engines, works below bench-work/')
  .option('documents', { type: 'number', describe: 'most documents of each input; by default each has its own number' })
  .option('only', { type: 'string', describe: `comma-separated: ${engines.map(({ name }) => name).join(', ')}` })
  .option('inputs', { type: 'string', describe: `comma-separated, all by default: ${inputNames.join(', ')}` })
  .option('rounds', { type: 'number', default: 3, describe: 'rounds after warming up; the last one counts' })
  .option('repetitions', {
    type: 'number',
    default: 3,
    describe: 'how often each engine has its turn; medians are shown',
  })
  .option('seconds', {
    type: 'number',
    default: 3,
    describe: 'time for the batch of one class, and as much to warm up',
  })
  .option('quick', { type: 'boolean', default: false, describe: 'little of everything: to see that it runs' })
  .option('name', { type: 'string', default: `rivals-${today()}`, describe: 'name of the files in bench/results' })
  .strict()
  .parse();

const settings = {
  documents: options.documents ?? (options.quick ? 3_000 : null),
  rounds: options.quick ? 1 : options.rounds,
  repetitions: options.quick ? 1 : options.repetitions,
  seconds: options.quick ? 0.2 : options.seconds,
  /** a slow engine begins no further round after this */
  budgetSeconds: options.quick ? 3 : 90,
};

const notes: string[] = [];
const versions: Record<string, string> = {};
const measured = new Measurements();
const inputs: Record<string, Record<string, number>> = {};

installPackages();
await mkdir(join(workFolder, 'rivals'), { recursive: true });
const usable = await usableEngines();
for (const name of wantedInputs()) {
  const missing = missingFor(name);
  if (missing !== undefined) note(missing);
  else {
    await measureInput(name);
    // After each, so that a run that is stopped leaves what it has.
    await save();
  }
}
if (Object.keys(inputs).length === 0) throw new Error('no input could be prepared');

function wantedInputs(): readonly InputName[] {
  if (options.inputs !== undefined) return listOf(options.inputs, inputNames, 'input');
  // The engines of `real` are all in `small`, too.
  return options.quick ? ['zipf', 'small'] : inputNames;
}

/** Engines that are wanted and whose parts are here; what is missing is said and noted. */
async function usableEngines(): Promise<Engine[]> {
  const names = engines.map(({ name }) => name);
  const wanted = options.only === undefined ? names : listOf(options.only, names, 'engine');
  const found: Engine[] = [];
  for (const engine of engines.filter(({ name }) => wanted.includes(name))) {
    const missing = engine.missing();
    if (missing !== undefined) {
      note(`${engine.title} left out: ${missing}`);
      continue;
    }
    Object.assign(versions, await engine.prepare());
    found.push(engine);
  }
  return found;
}

async function measureInput(name: InputName): Promise<void> {
  const here = usable.filter((engine) => engine.inputs.includes(name));
  progress(`${name}: preparing`);
  const prepare = typeScript(new URL('prepare.ts', import.meta.url), [name, settings.documents ?? 'all']);
  const input = await runStage<PreparedInput>(prepare);
  const { documents, textBytes, tokenBytes } = input;
  inputs[name] = { documents, textBytes, tokenBytes, ...input.classes };
  progress(`${name}: ${toText(documents)} documents, ${toText(textBytes / 1e6)} MB of text`);

  const built: Engine[] = [];
  for (const engine of here) if (await attempt(engine, input, () => build(engine, input))) built.push(engine);
  for (let repetition = 1; repetition <= settings.repetitions; repetition++) {
    const tops = new Map<string, LatencyAnswer>();
    for (const engine of built) {
      await attempt(engine, input, async () => {
        tops.set(engine.name, await latency(engine, input, repetition));
      });
    }
    if (repetition === 1) overlap(input, tops);
    for (const engine of built) await attempt(engine, input, () => batch(engine, input, repetition));
    const own = built.find((engine) => engine.name === 'shelfmark');
    if (own !== undefined) await library(own, input, repetition);
  }
}

/** Runs stages of one engine; when they fail, Shelfmark ends the run and a rival is noted and passed over. */
async function attempt(engine: Engine, input: PreparedInput, work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (!(error instanceof ChildError) || engine.name === 'shelfmark') throw error;
    note(`${input.name}, ${engine.title}: ${error.message}`);
    return false;
  }
}

async function build(engine: Engine, input: PreparedInput): Promise<void> {
  for (const threads of engine.buildThreads) {
    const answer = await runStage<BuildAnswer>(engine.stage('build', indexOf(engine, input), input.folder, threads));
    const name = `build, ${threads === 1 ? '1 thread' : `${threads} threads`}`;
    const megabytes = input.textBytes / 1e6;
    const add = adder(engine, input, name);
    add('speed', 'MB/s', 'higher', megabytes / answer.seconds);
    add('speed with merge', 'MB/s', 'higher', megabytes / (answer.seconds + answer.mergeSeconds));
    add('index/text', '', 'lower', answer.indexBytes / input.textBytes);
    add('everything/text', '', 'lower', answer.totalBytes / input.textBytes);
    add('peak memory', 'MB', 'lower', answer.peakMB);
    progress(
      `${input.name}: ${engine.title} ${name}: ${toText(answer.seconds)} s, ${toText(megabytes / answer.seconds)} MB/s`,
    );
  }
}

async function latency(engine: Engine, input: PreparedInput, repetition: number): Promise<LatencyAnswer> {
  const { rounds, budgetSeconds } = settings;
  const command = engine.stage('latency', indexOf(engine, input), input.folder, engine.warmups, rounds, budgetSeconds);
  const answer = await runStage<LatencyAnswer>(command);
  for (const [name, { ms }] of Object.entries(answer.classes)) {
    const add = adder(engine, input, name);
    for (const [measure, value] of Object.entries(summarize(ms))) add(measure, 'ms', 'lower', value);
  }
  adder(engine, input, 'searching')('peak memory', 'MB', 'lower', answer.peakMB);
  const medians = Object.values(answer.classes).map(({ ms }) => median(ms));
  progress(
    `${input.name}: ${engine.title} latency ${repetition}/${settings.repetitions}: ${answer.rounds} rounds, p50 of the classes ${medians.map(toText).join(' ')} ms`,
  );
  return answer;
}

async function batch(engine: Engine, input: PreparedInput, repetition: number): Promise<void> {
  for (const threads of engine.batchThreads) {
    const command = engine.stage('batch', indexOf(engine, input), input.folder, threads, settings.seconds);
    const answer = await runStage<BatchAnswer>(command);
    for (const [name, rate] of Object.entries(answer)) {
      adder(engine, input, name)(
        threads === 1 ? 'batch, 1 thread' : `batch, ${threads} threads`,
        'queries/s',
        'higher',
        rate,
      );
    }
    progress(
      `${input.name}: ${engine.title} batch ${repetition}/${settings.repetitions} with ${threads}: ${Object.values(answer).map(toText).join(' ')} queries/s`,
    );
  }
}

/** What the library adds to the worker's time, query by query, and how long a whole search takes. */
async function library(engine: Engine, input: PreparedInput, repetition: number): Promise<void> {
  const command = engine.stage('library', indexOf(engine, input), input.folder, settings.rounds);
  const { worker, rank, search } = await runStage<LibraryAnswer>(command);
  const add = adder(engine, input, 'library');
  const added = rank.map((ms, query) => ms - worker[query]!);
  add('worker p50', 'ms', 'lower', median(worker));
  add('Corpus.rank p50', 'ms', 'lower', median(rank));
  add('added by the library, p50', 'ms', 'lower', median(added));
  const whole = summarize(search);
  for (const measure of ['p50', 'p95', 'p99'] as const) add(`Corpus.search ${measure}`, 'ms', 'lower', whole[measure]);
  progress(
    `${input.name}: library ${repetition}/${settings.repetitions}: ${toText(median(added))} ms added, a search ${toText(whole.p50)} ms`,
  );
}

/** How many of the ten best two engines share: near 10 where both compute the same BM25. Classes without hits have none. */
function overlap(input: PreparedInput, answers: ReadonlyMap<string, LatencyAnswer>): void {
  const own = answers.get('shelfmark');
  if (own === undefined) return;
  for (const engine of engines) {
    const other = answers.get(engine.name);
    if (other === undefined || other === own) continue;
    const shared = Object.entries(other.classes)
      .map(([name, { top }]) => ({ name, hits: 10 * meanOverlap(own.classes[name]?.top ?? [], top, 10) }))
      .filter(({ hits }) => !Number.isNaN(hits));
    for (const { name, hits } of shared) {
      adder(engine, input, name)('hits shared with Shelfmark', 'of 10', 'higher', hits);
    }
    const mean = summarize(shared.map(({ hits }) => hits)).mean;
    progress(`${input.name}: Shelfmark and ${engine.title} share ${toText(mean)} of 10 hits`);
  }
}

/** Adds numbers of one case of one engine. */
function adder(
  engine: Engine,
  input: PreparedInput,
  name: string,
): (measure: string, unit: string, better: MeasurementName['better'], value: number) => void {
  return (measure, unit, better, value) => {
    measured.add({ input: input.name, case: name, engine: engine.name, measure, unit, better }, value);
  };
}

function indexOf(engine: Engine, input: PreparedInput): string {
  return join(input.folder, engine.name);
}

function note(text: string): void {
  progress(text);
  notes.push(text);
}

function listOf<Name extends string>(text: string, known: readonly Name[], what: string): Name[] {
  return text.split(',').map((word) => {
    const name = known.find((name) => name === word);
    if (name === undefined) throw new Error(`no ${what} "${word}"; there are ${known.join(', ')}`);
    return name;
  });
}

async function save(): Promise<void> {
  const { documents, ...rest } = settings;
  const result: BenchResult = {
    kind: 'rivals',
    date: new Date().toISOString(),
    machine: describeMachine(),
    versions,
    settings: { ...rest, documents: documents ?? 'all' },
    inputs,
    measurements: measured.list(),
    notes,
  };
  const files = await saveResult(options.name, result, toReport(result, `${options.name}.svg`));
  for (const file of files) progress(`written: ${file}`);
}
