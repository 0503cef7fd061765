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
    conflicts: 'answers',
    describe: 'Relevance judgements: TREC (query 0 document grade) or BEIR (query, document, grade, apart by tabs)',
  },
  answers: {
    type: 'string',
    requiresArg: true,
    describe: 'Right answers: JSON lines with _id and answers. How high do passages with one of them stand?',
  },
  metrics: {
    type: 'string',
    requiresArg: true,
    describe: 'Of ndcg, ndcg@k, recall@k, map, map@k, mrr, mrr@k, p@k, success@k, separated by commas',
    defaultDescription:
      'ndcg@10,recall@100,map,mrr@10,p@10,success@5; with --answers success@1,success@5,success@20,success@100',
  },
  'per-query': { type: 'boolean', describe: 'The values of each question too' },
  compare: { type: 'string', requiresArg: true, describe: 'Another run, to be compared question by question' },
  chart: { type: 'string', requiresArg: true, describe: 'Also write a bar chart to this .svg or .html file' },
  json: jsonFlag,
} as const;

/** `shelfmark eval` */
export const evalCommand: Command<typeof flags> = {
  name: 'eval',
  summary: 'Measure a run against relevance judgements, with the numbers of trec_eval -c, or against right answers',
  words: {
    usage: '<run> --qrels <file>',
    describe: 'A TREC run, or what batch wrote with --format jsonl or contexts; may be compressed',
    minimum: 1,
    maximum: 1,
  },
  flags,
  examples: [
    ['shelfmark eval run.trec --qrels qrels/test.tsv', 'nDCG, recall and the like'],
    ['shelfmark eval new.trec --qrels qrels.txt --compare old.trec', 'is it better, and is that more than chance?'],
    ['shelfmark eval passages.jsonl --answers questions.jsonl', 'of batch --format jsonl --text: is the answer there?'],
  ],
  async run(typed) {
    const run = typed.words[0]!;
    const chart = typed.chart === undefined ? null : await chartFile(typed.chart);
    const outcome = await evaluate(run, typed);
    await chart?.write(chartOf(outcome));
    if (typed.json) await print(`${toJson(toReport(outcome, typed.perQuery ?? false))}\n`);
    else await print(`${typed.perQuery ? renderQueries(outcome) : ''}${renderOutcome(outcome)}`);
    return exitCodes.ok;
  },
};

async function evaluate(run: string, typed: Typed<typeof flags>): Promise<Outcome> {
  const { compareEvaluations } = await import('../../eval/index.ts');
  const measure = await measureOf(typed);
  const evaluation = await measure(run);
  if (typed.compare === undefined) return { run, evaluation, compared: null };
  const other = await measure(typed.compare);
  const metrics = compareEvaluations(evaluation, other);
  return { run, evaluation, compared: { run: typed.compare, evaluation: other, metrics } };
}

/** How runs are measured: against judgements or against answers. */
async function measureOf({
  qrels,
  answers,
  metrics,
}: Typed<typeof flags>): Promise<(run: string) => Promise<Evaluation>> {
  const library = await import('../../eval/index.ts');
  if (qrels !== undefined) {
    const wanted = library.parseMetrics(metrics ?? library.defaultMetrics);
    const judgements = await library.readQrels(qrels);
    return async (run) => library.evaluateRun(await library.readRun(run), judgements, wanted);
  }
  if (answers !== undefined) {
    const wanted = library.parseMetrics(metrics ?? library.defaultAnswerMetrics);
    const gold = await library.readAnswers(answers);
    return async (run) => await library.evaluateAnswers(run, gold, wanted);
  }
  throw usageError('eval: expected --qrels with relevance judgements, or --answers.');
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
