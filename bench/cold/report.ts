import type { BenchResult } from '../measure/results.ts';
import { toTable, toText } from '../measure/table.ts';
import { engines } from '../rivals/engines.ts';

/** A cold run as Markdown. */
export function toReport(result: BenchResult, chart: string): string {
  const { machine, versions, settings, inputs, measurements, notes } = result;
  const value = (engine: string, name: string, measure: string): number | undefined =>
    measurements.find((found) => found.engine === engine && found.case === name && found.measure === measure)?.value;
  const rows = engines
    .filter(({ name }) => value(name, 'cold', 'p50') !== undefined)
    .map(({ name, title }) => [
      title,
      ...['cold', 'warm'].flatMap((state) => [toText(value(name, state, 'p50')), toText(value(name, state, 'most'))]),
    ]);
  const [[name, { documents, textBytes }]] = Object.entries(inputs) as [[string, Record<string, number>]];
  return `${[
    `# One query in a new process, ${result.date.slice(0, 10)}`,
    [
      `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGB} GB, ${machine.system}.`,
      `Versions: ${Object.entries(versions)
        .map(([program, version]) => `${program} ${version}`)
        .join(', ')}.`,
      `${name}: ${toText(documents)} documents, ${toText(textBytes! / 1e6)} MB of text. Made cold by ${settings.evict}, ${settings.questions} questions. [How it is measured](../README.md).`,
    ].join('\n'),
    `![Cold and warm by engine](${chart})`,
    toTable(['engine', 'cold, median ms', 'cold, most', 'warm, median ms', 'warm, most'], rows),
    ...(notes.length === 0 ? [] : [notes.map((text) => `- ${text}`).join('\n')]),
  ].join('\n\n')}\n`;
}
