import type { BenchResult } from '../measure/results.ts';
import { toTable, toText } from '../measure/table.ts';

/** A scale run as Markdown: a row a size, and how time grew against the text. */
export function toReport(result: BenchResult, chart: string): string {
  const { machine, versions, settings, inputs } = result;
  const value = (input: string, name: string, measure: string): number | undefined =>
    result.measurements.find((found) => found.input === input && found.case === name && found.measure === measure)
      ?.value;
  const rows = Object.entries(inputs).map(([input, { documents, textBytes, shards }]) => [
    input,
    toText(documents),
    toText(textBytes! / 1e9),
    toText(shards),
    toText(value(input, 'build', 'time')),
    toText(value(input, 'build', 'speed')),
    toText(value(input, 'build', 'peak memory')),
    toText(value(input, 'build', 'everything/text')),
    toText(value(input, 'questions-any', 'p50')),
    toText(value(input, 'questions-any', 'p99')),
    toText(value(input, 'questions-any', 'memory')),
    toText(value(input, 'worker', 'memory')),
    toText(value(input, 'one-shot', 'p50')),
  ]);
  const columns = [
    'size',
    'documents',
    'text GB',
    'shards',
    'build s',
    'build MB/s',
    'build peak MB',
    'corpus/text',
    'question p50 ms',
    'question p99 ms',
    'memory MB',
    'memory of a worker MB',
    'one-shot ms',
  ];
  return `${[
    `# Shelfmark as the text grows, ${result.date.slice(0, 10)}`,
    [
      `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGB} GB, ${machine.system}.`,
      `Versions: ${Object.entries(versions)
        .map(([name, version]) => `${name} ${version}`)
        .join(', ')}.`,
      `Base: ${toText(Number(settings.documents))} generated documents. [How each number is measured](../README.md).`,
    ].join('\n'),
    `![Times, memory and build against gigabytes of text](${chart})`,
    toTable(columns, rows),
    ...growthOf(Object.keys(inputs), inputs, value),
  ].join('\n\n')}\n`;
}

function growthOf(
  names: readonly string[],
  inputs: BenchResult['inputs'],
  value: (input: string, name: string, measure: string) => number | undefined,
): string[] {
  const [first, last] = [names[0], names.at(-1)];
  if (first === undefined || last === undefined || first === last) return [];
  const text = inputs[last]!.textBytes! / inputs[first]!.textBytes!;
  const p50 = value(last, 'questions-any', 'p50')! / value(first, 'questions-any', 'p50')!;
  return [`From ${first} to ${last} the text grew ${toText(text)} times, the p50 of a question ${toText(p50)} times.`];
}
