/**
 * `npm run bench:cold`: a question to each engine in a new process, once with the index out of the page cache and once with
 * it in. bench/README.md says what is measured how.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import yargs from 'yargs';
import { type Command, progress, runChild, runStage, typeScript } from '../measure/child.ts';
import { type BenchResult, describeMachine, Measurements, projectFolder, today } from '../measure/results.ts';
import { median } from '../measure/summary.ts';
import { toText } from '../measure/table.ts';
import { type Engine, engines, installPackages } from '../rivals/engines.ts';
import { type InputName, inputNames, missingFor, type PreparedInput } from '../rivals/inputs.ts';
import { decodeQueries, type RivalQuery } from '../rivals/query-classes.ts';
import { saveResult } from '../rivals/save-result.ts';
import type { BuildAnswer } from '../rivals/stages.ts';
import { bestEviction, evict, evictions } from './page-cache.ts';
import { toReport } from './report.ts';

const options = await yargs(process.argv.slice(2))
  .usage('npm run bench:cold -- [options]: first query of a new process, index in the page cache or not')
  .option('input', { choices: inputNames, default: 'real' as InputName, describe: 'text to search' })
  .option('documents', { type: 'number', describe: 'most documents; by default the number of the input' })
  .option('questions', { type: 'number', default: 7, describe: 'questions, each asked cold and then warm' })
  .option('evict', { choices: evictions, describe: 'how files are made cold. @default the first that is allowed' })
  .option('name', { type: 'string', default: `cold-${today()}`, describe: 'name of the files in bench/results' })
  .strict()
  .parse();

/** Documents of the index with which a runtime is made warm again. */
const tinyDocuments = 500;

/** How a question is put to each engine that can answer one in a process of its own. */
const oneShots: Readonly<Record<string, (engine: Engine, index: string, query: RivalQuery) => Command>> = {
  shelfmark: (_, index, { text }) => ({
    command: process.execPath,
    args: [
      join(projectFolder, 'dist/src/cli.js'),
      'search',
      text,
      '-c',
      index,
      '--match',
      'any',
      '--by',
      'chunk',
      '--json',
    ],
  }),
  fts5: (_, index, { terms }) => ({
    command: process.execPath,
    args: [fileURLToPath(new URL('fts5-once.mjs', import.meta.url)), index, terms.join(' ')],
  }),
  lucene: (engine, index, { terms }) => engine.stage('once', index, terms.join(' ')),
};

const how = options.evict ?? bestEviction();
if (how === null) throw new Error('this system lets nobody empty the page cache: needs Linux with root or python3');
const missing = missingFor(options.input);
if (missing !== undefined) throw new Error(missing);

installPackages();
const notes: string[] = [];
const versions: Record<string, string> = {};
const measured = new Measurements();
const input = await prepared(options.input, options.documents ?? 'all');
const tiny = await prepared('zipf', tinyDocuments);
for (const engine of engines.filter(({ name }) => oneShots[name] !== undefined)) {
  const missing = engine.missing();
  if (missing !== undefined) {
    notes.push(`${engine.title} left out: ${missing}`);
    progress(notes.at(-1)!);
    continue;
  }
  Object.assign(versions, await engine.prepare());
  await measureEngine(engine);
}
await save();

async function prepared(name: InputName, documents: number | 'all'): Promise<PreparedInput> {
  return await runStage<PreparedInput>(typeScript(new URL('../rivals/prepare.ts', import.meta.url), [name, documents]));
}

async function measureEngine(engine: Engine): Promise<void> {
  const toCommand = oneShots[engine.name]!;
  const index = await built(engine, input);
  const tinyIndex = await built(engine, tiny);
  const [tinyQuery] = await questionsOf(tiny, 1);
  const times: Record<string, number[]> = { cold: [], warm: [] };
  for (const query of await questionsOf(input, options.questions)) {
    evict(index, how!);
    // Program and libraries come back into the cache; what stays out is the index.
    await wallTime(toCommand(engine, tinyIndex, tinyQuery!));
    times.cold!.push(await wallTime(toCommand(engine, index, query)));
    times.warm!.push(await wallTime(toCommand(engine, index, query)));
  }
  for (const [name, walls] of Object.entries(times)) {
    const place = { input: input.name, case: name, engine: engine.name, unit: 'ms', better: 'lower' } as const;
    for (const ms of walls) measured.add({ ...place, measure: 'p50' }, ms);
    measured.add({ ...place, measure: 'most' }, Math.max(...walls));
  }
  progress(`${engine.title}: cold ${toText(median(times.cold!))} ms, warm ${toText(median(times.warm!))} ms`);
}

async function built(engine: Engine, from: PreparedInput): Promise<string> {
  const index = join(from.folder, engine.name);
  await runStage<BuildAnswer>(engine.stage('build', index, from.folder, engine.buildThreads.at(-1)!));
  return index;
}

/** The first questions of the first class with OR. */
async function questionsOf(from: PreparedInput, count: number): Promise<RivalQuery[]> {
  const queries = decodeQueries(await readFile(join(from.folder, 'queries.tsv'), 'utf8'));
  const [first] = queries.filter(({ mode }) => mode === 'or');
  return queries.filter((query) => query.class === first?.class).slice(0, count);
}

async function wallTime(command: Command): Promise<number> {
  const startedAt = performance.now();
  await runChild(command);
  return performance.now() - startedAt;
}

async function save(): Promise<void> {
  const { name, documents, textBytes } = input;
  const result: BenchResult = {
    kind: 'cold',
    date: new Date().toISOString(),
    machine: describeMachine(),
    versions,
    settings: { evict: how!, questions: options.questions },
    inputs: { [name]: { documents, textBytes } },
    measurements: measured.list(),
    notes,
  };
  const files = await saveResult(options.name, result, toReport(result, `${options.name}.svg`));
  for (const file of files) progress(`written: ${file}`);
}
