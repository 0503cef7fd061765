import { LANGUAGES } from '../../../shards/analysis/language.ts';
import type { BuildProgress, BuildReport } from '../../build/options.ts';
import type { Command } from '../command.ts';
import { corpusFlag, jsonFlag, parseWorkers, workersFlag } from '../common-flags.ts';
import { exitCodes } from '../exit-codes.ts';
import { given } from '../given.ts';
import { withInterruption } from '../interruption.ts';
import { toJson } from '../json.ts';
import { print } from '../output.ts';
import { parseInteger } from '../parse-number.ts';
import { parsePart } from '../parse-part.ts';
import { parseSize } from '../parse-size.ts';
import { type ProgressState, withProgress } from '../progress.ts';
import { formatByteRate, formatBytes, formatCount, formatCounted, formatDuration } from '../quantities.ts';
import { sanitizeLine } from '../sanitize.ts';
import { shellQuote } from '../shell-quote.ts';
import { table } from '../table.ts';

const flags = {
  corpus: corpusFlag,
  format: {
    choices: ['auto', 'jsonl', 'markdown', 'text'] as const,
    requiresArg: true,
    default: 'auto' as const,
    describe: 'How sources are read; auto goes by their names',
  },
  language: {
    choices: ['auto', ...LANGUAGES] as const,
    requiresArg: true,
    default: 'en' as const,
    describe: 'Language of the documents; auto tells it of each',
  },
  collection: {
    type: 'string',
    requiresArg: true,
    default: 'default',
    describe: 'Collection of documents that do not name theirs',
  },
  kind: {
    type: 'string',
    requiresArg: true,
    default: 'document',
    describe: 'Kind of documents that do not name theirs',
  },
  label: { type: 'string', requiresArg: true, default: 'ungrounded', describe: 'Label that every hit will carry' },
  'shard-size': { type: 'string', requiresArg: true, default: '256MiB', describe: 'Raw text a shard, from 4KiB' },
  workers: workersFlag,
  part: { type: 'string', requiresArg: true, describe: 'Build part i of n only, such as 3/16; see adopt' },
  ignore: {
    type: 'string',
    array: true,
    requiresArg: true,
    describe: 'Leave out files of folders that match, as in .gitignore; takes all words up to the next option',
  },
  overlap: {
    type: 'string',
    requiresArg: true,
    default: '0',
    describe: 'Words a passage repeats from the one before, 0 to 150',
  },
  'rebuild-lost': { type: 'boolean', describe: 'Index documents of missing or cut-off shards anew' },
  strict: { type: 'boolean', describe: 'Stop at the first record that cannot be indexed' },
  json: jsonFlag,
} as const;

/** `shelfmark build` */
export const buildCommand: Command<typeof flags> = {
  name: 'build',
  summary: 'Build a corpus, extend it, or continue an interrupted build',
  words: {
    usage: '<source...>',
    describe: 'Files, folders, or - for standard input; JSON lines, Markdown or text, also as .gz .zst .bz2 .xz',
    minimum: 1,
    maximum: Number.POSITIVE_INFINITY,
  },
  flags,
  examples: [
    ['shelfmark build notes/ -c corpus', 'every Markdown, text and JSONL file below notes/'],
    ['shelfmark build dump.jsonl.zst -c corpus --label wiki', 'one JSON object a line, compressed'],
    ['shelfmark build dump.jsonl -c part-3 --part 3/16', 'the third of 16 jobs'],
  ],
  async run(typed) {
    const { sources, corpus, ...settings } = {
      sources: typed.words,
      corpus: typed.corpus,
      format: typed.format,
      language: typed.language,
      collection: typed.collection,
      kind: typed.kind,
      label: typed.label,
      ignore: typed.ignore ?? [],
      strict: typed.strict ?? false,
      rebuildLost: typed.rebuildLost ?? false,
      shardBytes: parseSize('--shard-size', typed.shardSize, 4096, 1024 ** 4),
      overlapWords: parseInteger('--overlap', typed.overlap, 0, 150),
      ...given({
        workers: parseWorkers(typed.workers),
        part: typed.part === undefined ? undefined : parsePart('--part', typed.part),
      }),
    };
    const { buildCorpus } = await import('../../build/build-corpus.ts');
    const report = await withInterruption((signal) =>
      withProgress('build', (progress) => {
        const onProgress = (state: BuildProgress): void => progress.update(describeProgress(state));
        return buildCorpus({ sources, corpus, ...settings, signal, onProgress });
      }),
    );
    await print(typed.json ? `${toJson(report)}\n` : describeReport(report, typed.corpus));
    return exitCodes.ok;
  },
};

function describeProgress(state: BuildProgress): ProgressState {
  const { counters, recordBytes, sourceBytes, sourceBytesDone, elapsedMs, shards } = state;
  const documents = counters.indexed + counters.unchanged;
  return {
    // Read is not indexed yet: the last of it is still under way when all is read.
    fraction: sourceBytes > 0 && sourceBytesDone > 0 ? Math.min(0.99, sourceBytesDone / sourceBytes) : null,
    elapsedMs,
    facts: [
      formatByteRate(recordBytes, elapsedMs),
      formatCounted(documents, 'document'),
      formatCounted(shards, 'shard'),
    ],
  };
}

function describeReport(report: BuildReport, corpus: string): string {
  const counted = (name: string, count: number, remark = ''): readonly string[] => [name, formatCount(count), remark];
  const lines = [
    counted('seen', report.seen, 'records = indexed + unchanged + empty + duplicate + skipped'),
    counted('indexed', report.indexed),
    counted('unchanged', report.unchanged),
    counted('empty', report.empty),
    counted('duplicate', report.duplicate),
    counted('skipped', report.skipped),
    ...(report.repaired > 0 ? [counted('repaired', report.repaired, 'invalid UTF-8 was replaced')] : []),
    ...(report.removed > 0 ? [counted('removed', report.removed, 'no longer in their sources')] : []),
    counted(
      'sources',
      report.sources,
      `${formatCount(report.unchangedSources)} unchanged, ${formatCounted(report.ignoredFiles, 'file')} ignored`,
    ),
    counted('shards', report.shards, `${formatCount(report.newShards)} new, ${formatBytes(report.corpusBytes)} in all`),
  ];
  const { recordBytes, elapsedMs } = report;
  const how = `${report.resumed ? 'resumed, ' : ''}${formatBytes(recordBytes)} of records in ${formatDuration(elapsedMs)}, ${formatByteRate(recordBytes, elapsedMs)}`;
  const rejects =
    report.rejects === null ? '' : `  Skipped and duplicate records are listed in ${sanitizeLine(report.rejects)}\n`;
  const next = `shelfmark search "your question" -c ${shellQuote(sanitizeLine(corpus))}`;
  return `Built ${sanitizeLine(report.corpus)} (${how})\n\n${table(lines)}\n${rejects}Next: ${next}\n`;
}
