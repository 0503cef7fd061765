import type { BenchResult, Measurement } from '../measure/results.ts';
import { toTable, toText } from '../measure/table.ts';
import { engines, titleOf } from './engines.ts';

const latencies = ['p50', 'p95', 'p99', 'mean'] as const;

/** The rival that times are compared with. */
const bar = 'lucene';

/** A run as Markdown: what was measured on what, then the tables, then the numbers' conditions. */
export function toReport(result: BenchResult, chart: string): string {
  const names = Object.keys(result.inputs);
  return `${[
    `# Shelfmark and its rivals, ${result.date.slice(0, 10)}`,
    headerOf(result),
    `![p50 and p99 of every class](${chart})`,
    ...names.flatMap((name) => [
      `## ${describeInput(name, result)}`,
      '### Time of one query, one thread, ten hits (ms)',
      latencyTable(name, result),
      '### Batches (queries/s)',
      batchTable(name, result),
      '### Build',
      buildTable(name, result),
      ...libraryPart(name, result),
      '### Hits shared with Shelfmark (of 10, mean)',
      overlapTable(name, result),
    ]),
    ...(result.notes.length === 0 ? [] : ['## Notes', result.notes.map((text) => `- ${text}`).join('\n')]),
  ].join('\n\n')}\n`;
}

function headerOf({ machine, versions, settings }: BenchResult): string {
  const list = (record: Readonly<Record<string, unknown>>): string =>
    Object.entries(record)
      .map(([name, value]) => `${name} ${String(value)}`)
      .join(', ');
  return [
    `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGB} GB, ${machine.system}.`,
    `Versions: ${list(versions)}.`,
    `Settings: ${list(settings)}. Each number is the median of the repetitions; [how each is measured](../README.md).`,
  ].join('\n');
}

function describeInput(name: string, { inputs }: BenchResult): string {
  const { documents, textBytes, tokenBytes } = inputs[name]!;
  return `${name}: ${toText(documents)} documents, ${toText(textBytes! / 1e6)} MB of text, ${toText(tokenBytes! / 1e6)} MB of terms`;
}

function latencyTable(input: string, result: BenchResult): string {
  const find = finder(input, result);
  const rows = casesOf(input, 'p50', result).flatMap((name) =>
    engines
      .filter((engine) => find(name, engine.name, 'p50') !== undefined)
      .map((engine, index) => {
        const value = (measure: string): number | undefined => find(name, engine.name, measure)?.value;
        const ratio = (measure: string): string => {
          const barred = find(name, bar, measure)?.value;
          return barred === undefined ? '–' : toText((value(measure) ?? Number.NaN) / barred);
        };
        return [
          index === 0 ? `**${name}**` : '',
          engine.title,
          ...latencies.map((measure) => toText(value(measure))),
          ratio('p50'),
          ratio('p99'),
          rangeOf(find(name, engine.name, 'p50')),
        ];
      }),
  );
  return toTable(['class', 'engine', ...latencies, 'p50 / Lucene', 'p99 / Lucene', 'p50 of the repetitions'], rows);
}

/** Least and most of the repetitions: how far the number can be trusted. */
function rangeOf(measurement: Measurement | undefined): string {
  if (measurement === undefined) return '–';
  const { repetitions } = measurement;
  return `${toText(Math.min(...repetitions))}–${toText(Math.max(...repetitions))}`;
}

function batchTable(input: string, result: BenchResult): string {
  const find = finder(input, result);
  const rows = casesOf(input, 'batch, 1 thread', result).flatMap((name) =>
    engines
      .filter((engine) => find(name, engine.name, 'batch, 1 thread') !== undefined)
      .map((engine, index) => {
        const value = (threads: string): number | undefined => find(name, engine.name, `batch, ${threads}`)?.value;
        const two = value('2 threads');
        const barred = find(name, bar, 'batch, 2 threads')?.value;
        return [
          index === 0 ? `**${name}**` : '',
          engine.title,
          toText(value('1 thread')),
          toText(two),
          two === undefined || barred === undefined ? '–' : toText(two / barred),
        ];
      }),
  );
  return toTable(['class', 'engine', '1 thread', '2 threads', '2 threads / Lucene'], rows);
}

function buildTable(input: string, result: BenchResult): string {
  const find = finder(input, result);
  const rows = engines.flatMap((engine) =>
    engine.buildThreads
      .map((threads) => `build, ${threads === 1 ? '1 thread' : `${threads} threads`}`)
      .filter((name) => find(name, engine.name, 'speed') !== undefined)
      .map((name) => {
        const value = (measure: string): string => toText(find(name, engine.name, measure)?.value);
        const barred = find(name, bar, 'speed')?.value;
        return [
          engine.title,
          name.replace('build, ', ''),
          value('speed'),
          value('speed with merge'),
          barred === undefined ? '–' : toText(find(name, engine.name, 'speed')!.value / barred),
          value('index/text'),
          value('everything/text'),
          value('peak memory'),
          toText(find('searching', engine.name, 'peak memory')?.value),
        ];
      }),
  );
  return toTable(
    [
      'engine',
      'threads',
      'MB/s',
      'MB/s with merge',
      'MB/s / Lucene',
      'index/text',
      'everything/text',
      'peak MB, build',
      'peak MB, search',
    ],
    rows,
  );
}

function libraryPart(input: string, result: BenchResult): string[] {
  const rows = result.measurements
    .filter((measurement) => measurement.input === input && measurement.case === 'library')
    .map((measurement) => [measurement.measure, toText(measurement.value), rangeOf(measurement)]);
  if (rows.length === 0) return [];
  return ['### Shelfmark as a library (ms)', toTable(['', 'ms', 'of the repetitions'], rows)];
}

function overlapTable(input: string, result: BenchResult): string {
  const measure = 'hits shared with Shelfmark';
  const find = finder(input, result);
  const cases = casesOf(input, measure, result);
  const others = engines.filter((engine) => cases.some((name) => find(name, engine.name, measure) !== undefined));
  return toTable(
    ['class', ...others.map(({ name }) => titleOf(name))],
    cases.map((name) => [name, ...others.map((engine) => toText(find(name, engine.name, measure)?.value))]),
  );
}

function finder(
  input: string,
  { measurements }: BenchResult,
): (name: string, engine: string, measure: string) => Measurement | undefined {
  const own = measurements.filter((measurement) => measurement.input === input);
  return (name, engine, measure) =>
    own.find((found) => found.case === name && found.engine === engine && found.measure === measure);
}

/** Cases of an input that have this measure, in the order of their first appearance. */
function casesOf(input: string, measure: string, { measurements }: BenchResult): string[] {
  const found = measurements.filter((measurement) => measurement.input === input && measurement.measure === measure);
  return [...new Set(found.map((measurement) => measurement.case))];
}
