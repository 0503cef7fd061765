import type { CorpusStats } from '../../corpus.ts';
import type { Embeddings } from '../../embed/find-embeddings.ts';
import type { Command } from '../command.ts';
import { corpusFlag, jsonFlag } from '../common-flags.ts';
import { exitCodes } from '../exit-codes.ts';
import { toJson } from '../json.ts';
import { print } from '../output.ts';
import { formatBytes, formatCount, formatCounted } from '../quantities.ts';
import { sanitizeLine } from '../sanitize.ts';
import { table } from '../table.ts';
import { withCorpus } from '../with-corpus.ts';

const flags = { corpus: corpusFlag, json: jsonFlag } as const;

/** `shelfmark stats` */
export const statsCommand: Command<typeof flags> = {
  name: 'stats',
  summary: 'Say what a corpus holds',
  words: null,
  flags,
  examples: [['shelfmark stats -c corpus', 'documents, passages, sizes']],
  async run({ corpus, json }) {
    const { stats, embeddings } = await withCorpus(corpus, async (opened) => ({
      stats: opened.stats(),
      embeddings: await opened.embeddings(),
    }));
    await print(json ? `${toJson({ ...stats, embeddings })}\n` : describe(stats, embeddings));
    return exitCodes.ok;
  },
};

function describe(stats: CorpusStats, embeddings: readonly Embeddings[]): string {
  const { documents, textBytes, shardBytes, unfinishedBuilds } = stats;
  const share = textBytes > 0 ? `${((shardBytes / textBytes) * 100).toFixed(0)} % of the text` : '';
  const lines = [
    ['documents', formatCount(documents)],
    ['replaced', formatCount(stats.replacedDocuments), 'no hits any more'],
    ['passages', formatCount(stats.chunks)],
    ['terms', formatCount(stats.terms)],
    ['sources', formatCount(stats.sources)],
    ['shards', formatCount(stats.shards), stats.analyzers.map((name) => `analyzer ${sanitizeLine(name)}`).join(', ')],
    ['records', formatBytes(stats.rawBytes)],
    ['text', formatBytes(textBytes)],
    ['on disk', formatBytes(shardBytes), share],
    ...embeddings.map(({ model, dimensions, shards, bytes }) => [
      'vectors',
      formatBytes(bytes),
      `${sanitizeLine(model.name)}, ${formatCount(dimensions)} dimensions, ${formatCount(shards.length)} of ${formatCounted(stats.shards, 'shard')}`,
    ]),
    ...(stats.lostShards > 0
      ? [['lost', formatCount(stats.lostShards), 'shards whose files are missing or cut off; see verify']]
      : []),
    ...(unfinishedBuilds > 0
      ? [['unfinished', formatCount(unfinishedBuilds), 'builds that were interrupted; run their commands again']]
      : []),
  ];
  return `${sanitizeLine(stats.corpus)}\n\n${table(lines)}`;
}
