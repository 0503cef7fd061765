/**
 * `npm run quality`: what each way to match is worth on all test collections, beside published figures. bench/README.md
 * says what is measured how.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import yargs from 'yargs';
import { progress } from '../measure/child.ts';
import {
  type BenchResult,
  describeMachine,
  describeProject,
  encodeResult,
  type MeasurementName,
  Measurements,
  resultsFolder,
  today,
} from '../measure/results.ts';
import { buildsOf, type Collection, collections, filesOf } from './collections.ts';
import { measureCollection, type Quality } from './measure.ts';
import { modes } from './modes.ts';
import { toReport } from './report.ts';

const options = await yargs(process.argv.slice(2))
  .usage('npm run quality -- [options]: measures the quality of answers on the test collections')
  .option('only', { type: 'string', describe: 'collections, separated by commas', defaultDescription: 'all' })
  .option('modes', { type: 'string', describe: 'modes, separated by semicolons', defaultDescription: 'all' })
  .option('name', {
    type: 'string',
    describe: 'name of the files in bench/results',
    defaultDescription: 'quality-DATE when everything is measured, else none are written',
  })
  .strict()
  .parse();

const wantedCollections = chosen('--only', collections, options.only?.split(','));
const wantedModes = chosen('--modes', modes, options.modes?.split(';'));
const measured = new Measurements();
const inputs: Record<string, Readonly<Record<string, number>>> = {};
const notes: string[] = [];

for (const collection of wantedCollections) {
  const files = filesOf(collection);
  if (files === null) {
    notes.push(
      `${collection.name} was left out: it is not below ../shared/data, which only the project's workshop has`,
    );
    progress(notes.at(-1)!);
    continue;
  }
  for (const { input, language } of buildsOf(collection)) {
    const size = await measureCollection(files, language, wantedModes, (mode, quality) => {
      progress(`${input}, ${mode.name}: ${describe(quality)}`);
      addQuality(input, mode.name, quality);
    });
    inputs[input] = { ...size };
  }
  addBaselines(collection);
}

const result: BenchResult = {
  kind: 'quality',
  date: new Date().toISOString(),
  machine: describeMachine(),
  versions: { node: process.version, shelfmark: await describeProject() },
  settings: { by: 'document', limit: 100 },
  inputs,
  measurements: measured.list(),
  notes,
};
console.log(toReport(result));
const isWhole = wantedCollections.length === collections.length && wantedModes.length === modes.length;
const name = options.name ?? (isWhole && notes.length === 0 ? `quality-${today()}` : undefined);
if (name !== undefined) {
  await mkdir(resultsFolder, { recursive: true });
  await writeFile(join(resultsFolder, `${name}.json`), encodeResult(result));
  await writeFile(join(resultsFolder, `${name}.md`), toReport(result));
  progress(`written: bench/results/${name}.json and .md`);
}

/** The things of a table that were named, in the table's order. */
function chosen<Named extends { readonly name: string }>(
  option: string,
  table: readonly Named[],
  names: readonly string[] | undefined,
): readonly Named[] {
  if (names === undefined) return table;
  const known = table.map((entry) => entry.name);
  const unknown = names.find((wanted) => !known.includes(wanted));
  if (unknown !== undefined) throw new Error(`${option}: there is no "${unknown}"; known are ${known.join('; ')}`);
  return table.filter((entry) => names.includes(entry.name));
}

function describe({ ndcg10, recall100, mrr10, questionsPerSecond }: Quality): string {
  const shares = `nDCG@10 ${ndcg10.toFixed(4)}, recall@100 ${recall100.toFixed(4)}, MRR@10 ${mrr10.toFixed(4)}`;
  return `${shares}, ${Math.round(questionsPerSecond)} questions/s`;
}

function addBaselines({ name, baselines }: Collection): void {
  for (const { engine, ndcg10, recall100 } of baselines) {
    const baseline = { input: name, case: 'published', engine, unit: '', better: 'higher' } as const;
    measured.add({ ...baseline, measure: 'nDCG@10' }, ndcg10);
    if (recall100 !== undefined) measured.add({ ...baseline, measure: 'recall@100' }, recall100);
  }
}

function addQuality(input: string, mode: string, quality: Quality): void {
  const add = (measure: string, unit: MeasurementName['unit'], value: number): void => {
    measured.add({ input, case: mode, engine: 'shelfmark', measure, unit, better: 'higher' }, value);
  };
  add('nDCG@10', '', quality.ndcg10);
  add('recall@100', '', quality.recall100);
  add('MRR@10', '', quality.mrr10);
  add('questions', '/s', quality.questionsPerSecond);
}
