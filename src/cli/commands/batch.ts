import type { BatchProgress, BatchReport } from '../../batch/run-batch.ts';
import type { Command } from '../command.ts';
import { corpusFlag, jsonFlag, parseWorkers, workersFlag } from '../common-flags.ts';
import { warnOfCoverage, warnOfRetrieval } from '../coverage.ts';
import { exitCodes } from '../exit-codes.ts';
import { given } from '../given.ts';
import { withInterruption } from '../interruption.ts';
import { toJson } from '../json.ts';
import { print } from '../output.ts';
import { parseBudget } from '../parse-budget.ts';
import { type ProgressState, withProgress } from '../progress.ts';
import { formatCount, formatDuration, formatRate } from '../quantities.ts';
import { sanitizeLine } from '../sanitize.ts';
import { searchFlags, toSearchOptions } from '../search-flags.ts';
import { table } from '../table.ts';
import { usageError } from '../usage-error.ts';

const flags = {
  corpus: corpusFlag,
  output: { type: 'string', alias: 'o', requiresArg: true, demandOption: true, describe: 'File to write' },
  format: {
    choices: ['trec', 'jsonl', 'contexts'] as const,
    requiresArg: true,
    default: 'trec' as const,
    describe:
      'trec: lines of a TREC run; jsonl: one answer with full hits a line; contexts: the best passages for a reader, one question a line',
  },
  budget: {
    type: 'string',
    requiresArg: true,
    defaultDescription: '2000tokens',
    describe: 'Text that a line of contexts may have: 8000chars, or 2000tokens, estimated at four bytes each',
  },
  ...searchFlags,
  limit: { ...searchFlags.limit, defaultDescription: '100; 30 with --format contexts' },
  tag: { type: 'string', requiresArg: true, default: 'shelfmark', describe: 'Last column of a TREC run' },
  'allow-partial': { type: 'boolean', describe: 'Go on when a shard cannot be searched' },
  workers: workersFlag,
  json: { ...jsonFlag, describe: 'Print the final report as one JSON object' },
} as const;

/** `shelfmark batch` */
export const batchCommand: Command<typeof flags> = {
  name: 'batch',
  summary: 'Answer a file of questions into a file; run again, it continues where it was stopped',
  words: {
    usage: '<queries> -o <file>',
    describe: 'JSON lines with _id and text, tab-separated lines, or plain lines; may be compressed',
    minimum: 1,
    maximum: 1,
  },
  flags,
  examples: [
    ['shelfmark batch questions.jsonl -c corpus -o run.trec', 'a TREC run of 100 hits a question'],
    ['shelfmark batch questions.tsv -o answers.jsonl --format jsonl -n 5 --text', 'passages for another program'],
    ['shelfmark batch questions.tsv -o contexts.jsonl --format contexts --budget 4000tokens', 'what a model reads'],
  ],
  async run(typed) {
    if (!/^\S+$/.test(typed.tag)) throw usageError(`--tag: expected a word without spaces, got "${typed.tag}".`);
    if (typed.budget !== undefined && typed.format !== 'contexts') {
      throw usageError('--budget: only --format contexts has one.');
    }
    const options = {
      queries: typed.words[0]!,
      corpus: typed.corpus,
      output: typed.output,
      format: typed.format,
      tag: typed.tag,
      allowPartial: typed.allowPartial ?? false,
      search: toSearchOptions(typed, typed.format === 'contexts' ? 30 : 100),
      ...given({ workers: parseWorkers(typed.workers), budget: parseBudget(typed.budget) }),
    };
    const { runBatch } = await import('../../batch/run-batch.ts');
    const report = await withInterruption((signal) =>
      withProgress('batch', (progress) => {
        const onProgress = (state: BatchProgress): void => progress.update(describeProgress(state));
        return runBatch({ ...options, signal, onProgress });
      }),
    );
    await print(typed.json ? `${toJson(report)}\n` : describeReport(report));
    warnOfRetrieval(report.retrieval ?? undefined);
    if (report.coverage !== null) warnOfCoverage(report.coverage);
    return exitCodes.ok;
  },
};

function describeProgress({ done, total, resumedAt, elapsedMs }: BatchProgress): ProgressState {
  const answered = done - resumedAt;
  return {
    // Of the work of this run: what an earlier one did says nothing of the time left.
    fraction: total > resumedAt ? answered / (total - resumedAt) : null,
    elapsedMs,
    facts: [
      `${formatCount(done)} of ${formatCount(total)} questions`,
      `${formatRate(answered, elapsedMs)} questions/s`,
    ],
  };
}

function describeReport(report: BatchReport): string {
  const output = sanitizeLine(report.output);
  if (report.alreadyComplete) return `${output} is complete already: ${formatCount(report.queries)} questions.\n`;
  const { answered, elapsedMs, resumedAt } = report;
  const lines = [
    ['questions', formatCount(report.queries)],
    ['answered', formatCount(answered), `${formatDuration(elapsedMs)}, ${formatRate(answered, elapsedMs)} questions/s`],
    ...(resumedAt > 0 ? [['before', formatCount(resumedAt), 'answered by an earlier, interrupted run']] : []),
    ['without hits', formatCount(report.withoutHits)],
    ['without words', formatCount(report.withoutWords), 'nothing to search for'],
  ];
  return `Wrote ${output}\n\n${table(lines)}`;
}
