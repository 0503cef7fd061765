/**
 * `npm run bench:compare A.json B.json`: what got slower and what faster from A to B, as far as it is more than the
 * repetitions of each run differ among themselves. Exits with 1 when something got slower by more than `--tolerance`.
 */
import yargs from 'yargs';
import { type Change, judge } from './measure/judge.ts';
import { readResult } from './measure/results.ts';
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

const [before, after] = await Promise.all(options._.map((file) => readResult(String(file))));
if (before === undefined || after === undefined) throw new Error('name two result files');
if (before.kind !== after.kind) throw new Error(`one run is of ${before.kind}, the other of ${after.kind}`);

const isOwn = ({ engine }: { readonly engine: string }): boolean => engine === options.engine;
const judgement = judge(before.measurements.filter(isOwn), after.measurements.filter(isOwn), options.tolerance);

console.log(`${before.kind}, ${options.engine}: ${before.date} → ${after.date}\n`);
if (JSON.stringify(before.machine) !== JSON.stringify(after.machine)) console.log('The machines differ.\n');
if (JSON.stringify(before.inputs) !== JSON.stringify(after.inputs)) console.log('The inputs differ in size.\n');
printChanges('Slower or larger', judgement.worse);
printChanges('Faster or smaller', judgement.better);
console.log(
  `${judgement.unchanged} numbers did not move beyond the noise; ${judgement.unmatched} are in one run only.`,
);
printDrift();
if (judgement.failed.length > 0) {
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
function printDrift(): void {
  const rest = judge(
    before!.measurements.filter((measurement) => !isOwn(measurement) && measurement.unit === 'ms'),
    after!.measurements.filter((measurement) => !isOwn(measurement) && measurement.unit === 'ms'),
    1,
  );
  const ratios = [...rest.worse, ...rest.better].map(({ ratio }) => ratio);
  if (ratios.length === 0) return;
  const all = [...ratios, ...new Array<number>(rest.unchanged).fill(1)];
  console.log(`Times of the other engines moved by ${median(all).toFixed(2)}× in the median: so much is the machine.`);
}
