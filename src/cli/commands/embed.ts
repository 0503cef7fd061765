import type { EmbedProgress, EmbedReport } from '../../embed/embed-options.ts';
import type { Command } from '../command.ts';
import { corpusFlag, jsonFlag } from '../common-flags.ts';
import { embedderFlags, embedderPlace } from '../embedder-flags.ts';
import { exitCodes } from '../exit-codes.ts';
import { given } from '../given.ts';
import { withInterruption } from '../interruption.ts';
import { toJson } from '../json.ts';
import { print } from '../output.ts';
import { parseInteger, parseSeconds } from '../parse-number.ts';
import { type ProgressState, withProgress } from '../progress.ts';
import { formatBytes, formatCount, formatDuration, formatRate } from '../quantities.ts';
import { sanitizeLine } from '../sanitize.ts';
import { table } from '../table.ts';
import { usageError } from '../usage-error.ts';

const flags = {
  corpus: corpusFlag,
  ...embedderFlags,
  'query-prefix': { type: 'string', requiresArg: true, describe: 'Put before every question, such as "query: "' },
  'passage-prefix': { type: 'string', requiresArg: true, describe: 'Put before every passage, such as "passage: "' },
  'max-characters': {
    type: 'string',
    requiresArg: true,
    default: '2000',
    describe: 'Characters of a passage that are embedded, 1 to 1,000,000',
  },
  'batch-size': { type: 'string', requiresArg: true, default: '32', describe: 'Passages a request, 1 to 512' },
  parallel: { type: 'string', requiresArg: true, default: '2', describe: 'Requests at a time, 1 to 64' },
  timeout: { type: 'string', requiresArg: true, default: '60', describe: 'Seconds after which a request is given up' },
  json: { ...jsonFlag, describe: 'Print the final report as one JSON object' },
} as const;

/** `shelfmark embed` */
export const embedCommand: Command<typeof flags> = {
  name: 'embed',
  summary: 'Embed every passage that has no vector yet, for --retriever vector and hybrid',
  words: null,
  flags,
  examples: [
    ['shelfmark embed --embedder http://localhost:11434/v1 --model nomic-embed-text', 'Ollama and the like'],
    ['shelfmark embed --embedder models/e5-small --query-prefix "query: " --passage-prefix "passage: "', 'a folder'],
    ['shelfmark embed --embedder hash', 'no model at all: spelling, not meaning; to try things out'],
  ],
  async run(typed) {
    const place = embedderPlace(typed.embedder);
    if (place === undefined) throw usageError('embed: expected --embedder, or $SHELFMARK_EMBEDDER.');
    const options = {
      corpus: typed.corpus,
      maxCharacters: parseInteger('--max-characters', typed.maxCharacters, 1, 1_000_000),
      batchSize: parseInteger('--batch-size', typed.batchSize, 1, 512),
      parallel: parseInteger('--parallel', typed.parallel, 1, 64),
      ...given({ queryPrefix: typed.queryPrefix, passagePrefix: typed.passagePrefix }),
    };
    const [{ openEmbedder }, { embedCorpus }] = await Promise.all([
      import('../../embed/open-embedder.ts'),
      import('../../embed/embed-corpus.ts'),
    ]);
    const requestTimeoutMs = parseSeconds('--timeout', typed.timeout);
    const embedder = await openEmbedder(place, { requestTimeoutMs, ...given({ model: typed.model }) });
    const report = await withInterruption((signal) =>
      withProgress('embed', (progress) => {
        const onProgress = (state: EmbedProgress): void => progress.update(describeProgress(state));
        return embedCorpus({ ...options, embedder, signal, onProgress });
      }),
    );
    await print(typed.json ? `${toJson(report)}\n` : describeReport(report));
    return exitCodes.ok;
  },
};

function describeProgress({ done, total, embedded, elapsedMs }: EmbedProgress): ProgressState {
  const wanted = embedded + total - done;
  return {
    // Of the work of this run: what was embedded before says nothing of the time left.
    fraction: wanted > 0 ? embedded / wanted : null,
    elapsedMs,
    facts: [`${formatCount(done)} of ${formatCount(total)} passages`, `${formatRate(embedded, elapsedMs)} passages/s`],
  };
}

function describeReport(report: EmbedReport): string {
  const { embedded, elapsedMs, dimensions } = report;
  const lines = [
    ['model', sanitizeLine(report.model), dimensions === null ? '' : `${formatCount(dimensions)} dimensions`],
    ['passages', formatCount(report.chunks)],
    ['embedded', formatCount(embedded), `${formatDuration(elapsedMs)}, ${formatRate(embedded, elapsedMs)} passages/s`],
    ['before', formatCount(report.kept), 'had their vectors'],
    ['shards', formatCount(report.shards), `${formatBytes(report.bytes)} of vectors`],
  ];
  return `Embedded ${sanitizeLine(report.corpus)}\n\n${table(lines)}`;
}
