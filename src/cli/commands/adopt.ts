import type { AdoptReport } from '../../build/adopt-parts.ts';
import type { Command } from '../command.ts';
import { jsonFlag } from '../common-flags.ts';
import { exitCodes } from '../exit-codes.ts';
import { toJson } from '../json.ts';
import { print } from '../output.ts';
import { formatCounted } from '../quantities.ts';
import { sanitizeLine } from '../sanitize.ts';
import { shellQuote } from '../shell-quote.ts';

const flags = { json: jsonFlag } as const;

/** `shelfmark adopt` */
export const adoptCommand: Command<typeof flags> = {
  name: 'adopt',
  summary: 'Join the shards of other corpora, such as the parts of a job array, into one corpus',
  words: {
    usage: '<corpus> <other-corpus...>',
    describe: 'The corpus to extend (created if missing), then those to take shards from; these stay as they are',
    minimum: 2,
    maximum: Number.POSITIVE_INFINITY,
  },
  flags,
  examples: [['shelfmark adopt corpus part-1 part-2 part-3', 'join three parts']],
  async run({ words, json }) {
    const [corpus = '', ...others] = words;
    const { adoptParts } = await import('../../build/adopt-parts.ts');
    const report = await adoptParts(corpus, others);
    await print(json ? `${toJson(report)}\n` : describeReport(report, corpus));
    return exitCodes.ok;
  },
};

function describeReport(report: AdoptReport, corpus: string): string {
  const { shards, documents, duplicates, rejects } = report;
  return [
    `Adopted ${formatCounted(shards, 'shard')} with ${formatCounted(documents, 'document')} into ${sanitizeLine(report.corpus)}; ${formatCounted(duplicates, 'duplicate')}.`,
    ...(rejects === null ? [] : [`Skipped and duplicate records are listed in ${sanitizeLine(rejects)}`]),
    `Next: shelfmark search "your question" -c ${shellQuote(sanitizeLine(corpus))}`,
    '',
  ].join('\n');
}
