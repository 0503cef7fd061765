import type { BenchResult } from '../measure/results.ts';
import { toTable } from '../measure/table.ts';
import { type Baseline, buildsOf, type CollectionBuild, collections } from './collections.ts';

/** A quality run as Markdown: nDCG@10 and recall@100 beside what others reached, then MRR@10 and speed. */
export function toReport(result: BenchResult): string {
  const { machine, versions, inputs } = result;
  const measured = collections.filter(({ name }) => inputs[name] !== undefined);
  const ours = result.measurements.filter(({ engine }) => engine === 'shelfmark');
  const modes = [...new Set(ours.map((measurement) => measurement.case))];
  const value = (input: string, mode: string, measure: string): number =>
    ours.find((found) => found.input === input && found.case === mode && found.measure === measure)?.value ??
    Number.NaN;
  const pairs = (input: string): string[] =>
    modes.map((mode) => pair(value(input, mode, 'nDCG@10'), value(input, mode, 'recall@100')));
  const meanPairs = (builds: readonly CollectionBuild[]): string[] =>
    modes.map((mode) => {
      const mean = (measure: string): number =>
        builds.reduce((sum, { input }) => sum + value(input, mode, measure), 0) / builds.length;
      return pair(mean('nDCG@10'), mean('recall@100'));
    });

  const quality = measured.flatMap((collection) =>
    buildsOf(collection).map(({ input, language }, index) => [
      collection.name,
      String(inputs[input]!.questions),
      language,
      ...pairs(input),
      index === 0 ? collection.baselines.map(describeBaseline).join('; ') : '',
    ]),
  );
  const means = [
    ['mean, default', '', '', ...meanPairs(measured.map((collection) => buildsOf(collection)[0]!)), ''],
    ['mean, own language', '', '', ...meanPairs(measured.map((collection) => buildsOf(collection).at(-1)!)), ''],
  ];
  const speed = measured
    .flatMap(buildsOf)
    .map(({ input }) => [
      input,
      ...modes.map(
        (mode) => `${share(value(input, mode, 'MRR@10'))}, ${Math.round(value(input, mode, 'questions'))}/s`,
      ),
    ]);
  return `${[
    `# Quality of answers, ${result.date.slice(0, 10)}`,
    [
      `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGB} GB, ${machine.system}.`,
      `Versions: ${Object.entries(versions)
        .map(([name, version]) => `${name} ${version}`)
        .join(', ')}.`,
      'By document, 100 hits a question, defaults for everything but the language (`en`) and the mode. [How it is measured](../README.md#quality).',
    ].join('\n'),
    'nDCG@10 / recall@100',
    toTable(['collection', 'questions', '`--language`', ...modes, 'BM25 elsewhere'], [...quality, ...means]),
    'MRR@10, and questions a second of one pass with default threads: the machine is shared and noisy.',
    toTable(['collection', ...modes], speed),
    ...(result.notes.length === 0 ? [] : [result.notes.map((note) => `- ${note}`).join('\n')]),
  ].join('\n\n')}\n`;
}

function pair(ndcg: number, recall: number): string {
  return `${share(ndcg)} / ${share(recall)}`;
}

function describeBaseline({ engine, ndcg10, recall100 }: Baseline): string {
  return `${share(ndcg10)}${recall100 === undefined ? '' : ` / ${share(recall100)}`} ${engine}`;
}

/** A share of 1 in three decimals, as papers print it. */
function share(value: number): string {
  return value >= 0.9995 ? '1' : value.toFixed(3).replace(/^0/, '');
}
