/**
 * `npm run bench:compare A.json B.json`: what got slower and what faster from A to B, as far as it is more than the
 * repetitions of each run differ among themselves. Exits with 1 when something got slower by more than `--tolerance`, with 2 when there is nothing to compare.
 */
import yargs from 'yargs';
import { type Change, type Judgement, judge } from './measure/judge.ts';
import { type BenchResult, type Measurement, readResult } from './measure/results.ts';
import { median } from './measure/summary.ts';
import { toTable, toText } from './measure/table.ts';

const options = await yargs(process.argv.slice(2))
  .usage('npm run bench:compare -- A.json B.json: what got slower or faster from A to B')
  .option('tolerance', {
    type: 'number',
    default: 1.25,
    describe: 'exit with 1 when something got slower or larger by more than this factor',
  })
  .option('engine', {
    type: 'string',
    default: 'shelfmark',
    describe: 'whose numbers are judged; those of the others say how the machine differed',
  })
  .demandCommand(2, 2)
  .strict()
  .parse();

try {
  const [before, after] = await Promise.all([readResult(String(options._[0])), readResult(String(options._[1]))]);
  if (before.kind !== after.kind) throw new Error(`one run is of ${before.kind}, the other of ${after.kind}`);
  compare(before, after);
} catch (error) {
  console.error(`bench:compare: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 2;
}

function compare(before: BenchResult, after: BenchResult): void {
  const isOwn = ({ engine }: Measurement): boolean => engine === options.engine;
  const judgement = judge(before.measurements.filter(isOwn), after.measurements.filter(isOwn), options.tolerance);

  console.log(`${before.kind}, ${options.engine}: ${before.date} → ${after.date}\n`);
  if (JSON.stringify(before.machine) !== JSON.stringify(after.machine)) console.log('The machines differ.\n');
  if (JSON.stringify(before.inputs) !== JSON.stringify(after.inputs)) console.log('The inputs differ in size.\n');
  printChanges('Slower or larger', judgement.worse);
  printChanges('Faster or smaller', judgement.better);
  const { unchanged, unmatched } = judgement;
  console.log(`${unchanged} numbers did not move beyond the noise; ${unmatched} are in one run only.`);
  const isRivalTime = (measurement: Measurement): boolean => !isOwn(measurement) && measurement.unit === 'ms';
  printDrift(judge(before.measurements.filter(isRivalTime), after.measurements.filter(isRivalTime), 1));
  if (judgement.failed.length === 0) return;
  console.log(`\n${judgement.failed.length} got worse by more than ${options.tolerance} times.`);
  process.exitCode = 1;
}

function printChanges(title: string, changes: readonly Change[]): void {
  if (changes.length === 0) return;
  const rows = changes.map(({ before, after, ratio }) => [
    after.input,
    after.case,
    after.measure,
    `${toText(before.value)} ${after.unit}`,
    `${toText(after.value)} ${after.unit}`,
    `${ratio.toFixed(2)}×`,
  ]);
  console.log(`${title}:\n\n${toTable(['input', 'case', 'measure', 'before', 'after', 'ratio'], rows)}\n`);
}

/** The rivals did not change; when their times did, the machine was faster or slower that day. */
function printDrift({ worse, better, unchanged }: Judgement): void {
  const moved = [...worse, ...better].map(({ ratio }) => ratio);
  if (moved.length === 0) return;
  const all = [...moved, ...new Array<number>(unchanged).fill(1)];
  console.log(`Times of the other engines moved by ${median(all).toFixed(2)}× in the median: so much is the machine.`);
}
