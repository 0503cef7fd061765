import { writeFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { ShelfmarkError } from '../../../shards/errors.ts';
import type { Chart } from '../../eval/chart.ts';
import type { Evaluation } from '../../eval/evaluate-run.ts';
import { reasonOf } from '../../sources/source-error.ts';
import type { Command, Typed } from '../command.ts';
import { jsonFlag } from '../common-flags.ts';
import { exitCodes } from '../exit-codes.ts';
import { toJson } from '../json.ts';
import { print } from '../output.ts';
import { formatCounted } from '../quantities.ts';
import { type Outcome, renderOutcome, renderQueries } from '../render-evaluation.ts';
import { usageError } from '../usage-error.ts';

const flags = {
  qrels: {
    type: 'string',
    requiresArg: true,
    demandOption: true,
    describe: 'Relevance judgements: TREC (query 0 document grade) or BEIR (query, document, grade, apart by tabs)',
  },
  metrics: {
    type: 'string',
    requiresArg: true,
    describe: 'Of ndcg, ndcg@k, recall@k, map, map@k, mrr, mrr@k, p@k, success@k, separated by commas',
    defaultDescription: 'ndcg@10,recall@100,map,mrr@10,p@10,success@5',
  },
  'per-query': { type: 'boolean', describe: 'The values of each question too' },
  compare: { type: 'string', requiresArg: true, describe: 'Another run, to be compared question by question' },
  chart: { type: 'string', requiresArg: true, describe: 'Also write a bar chart to this .svg or .html file' },
  json: jsonFlag,
} as const;

/** `shelfmark eval` */
export const evalCommand: Command<typeof flags> = {
  name: 'eval',
  summary: 'Measure a run against relevance judgements, with the numbers of trec_eval -c',
  words: {
    usage: '<run> --qrels <file>',
    describe: 'A TREC run, or what batch --format jsonl wrote; may be compressed',
    minimum: 1,
    maximum: 1,
  },
  flags,
  examples: [
    ['shelfmark eval run.trec --qrels qrels/test.tsv', 'nDCG, recall and the like'],
    ['shelfmark eval new.trec --qrels qrels.txt --compare old.trec', 'is it better, and is that more than chance?'],
  ],
  async run(typed) {
    const run = typed.words[0]!;
    const chart = typed.chart === undefined ? null : await chartFile(typed.chart);
    const outcome = await evaluate(run, typed.compare, typed);
    await chart?.write(chartOf(outcome));
    if (typed.json) await print(`${toJson(toReport(outcome, typed.perQuery ?? false))}\n`);
    else await print(`${typed.perQuery ? renderQueries(outcome) : ''}${renderOutcome(outcome)}`);
    return exitCodes.ok;
  },
};

async function evaluate(run: string, compare: string | undefined, typed: Typed<typeof flags>): Promise<Outcome> {
  const { compareEvaluations, defaultMetrics, evaluateRun, parseMetrics, readQrels, readRun } = await import(
    '../../eval/index.ts'
  );
  const metrics = parseMetrics(typed.metrics ?? defaultMetrics);
  const qrels = await readQrels(typed.qrels);
  const evaluation = evaluateRun(await readRun(run), qrels, metrics);
  if (compare === undefined) return { run, evaluation, compared: null };
  const other = evaluateRun(await readRun(compare), qrels, metrics);
  return {
    run,
    evaluation,
    compared: { run: compare, evaluation: other, metrics: compareEvaluations(evaluation, other) },
  };
}

/** A file for a chart. @throws ShelfmarkError SHELFMARK_USAGE when its name is of no kind we can draw; what `write` throws is SHELFMARK_IO. */
async function chartFile(file: string): Promise<{ write(chart: Chart): Promise<void> }> {
  const { toHtml, toSvg } = await import('../../eval/chart.ts');
  const drawings: Readonly<Record<string, (chart: Chart) => string>> = { '.svg': toSvg, '.html': toHtml };
  const draw = drawings[extname(file).toLowerCase()];
  if (draw === undefined) throw usageError(`--chart: expected a file that ends in .svg or .html, got "${file}".`);
  return {
    async write(chart) {
      try {
        await writeFile(file, draw(chart));
      } catch (error) {
        const message = `${file} cannot be written: ${reasonOf(error)}.`;
        throw new ShelfmarkError('SHELFMARK_IO', message, { file }, error);
      }
    },
  };
}

function chartOf({ run, evaluation, compared }: Outcome): Chart {
  const evaluations = compared === null ? [evaluation] : [evaluation, compared.evaluation];
  return {
    title: formatCounted(evaluation.queries.length, 'judged question'),
    runs: compared === null ? [run] : [run, compared.run],
    metrics: Object.keys(evaluation.means).map((name) => ({
      name,
      values: evaluations.map(({ means }) => means[name]!),
    })),
  };
}

/** An outcome as JSON has it; the values of each question only when asked for. */
function toReport({ run, evaluation, compared }: Outcome, perQuery: boolean): Record<string, unknown> {
  return {
    run,
    ...countsOf(evaluation),
    means: evaluation.means,
    ...(perQuery ? { queries: evaluation.queries } : {}),
    ...(compared === null
      ? {}
      : {
          compared: {
            run: compared.run,
            ...countsOf(compared.evaluation),
            metrics: compared.metrics,
            ...(perQuery ? { queries: compared.evaluation.queries } : {}),
          },
        }),
  };
}

function countsOf({ queries, withoutHits, withoutRelevant, notJudged }: Evaluation): Record<string, number> {
  return { judged: queries.length, withoutHits, withoutRelevant, notJudged };
}
