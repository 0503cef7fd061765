import type { CorpusReport } from '../../verify-corpus.ts';
import type { Command } from '../command.ts';
import { corpusFlag, jsonFlag, parseWorkers, workersFlag } from '../common-flags.ts';
import { exitCodes } from '../exit-codes.ts';
import { toJson } from '../json.ts';
import { print } from '../output.ts';
import { withProgress } from '../progress.ts';
import { formatCount, formatCounted } from '../quantities.ts';
import { sanitizeLine } from '../sanitize.ts';
import { withCorpus } from '../with-corpus.ts';

const flags = {
  corpus: corpusFlag,
  deep: { type: 'boolean', describe: 'Compare every posting with the text, not a sample' },
  workers: workersFlag,
  json: jsonFlag,
} as const;

/** `shelfmark verify` */
export const verifyCommand: Command<typeof flags> = {
  name: 'verify',
  summary: 'Check every part of every shard and the catalog',
  words: null,
  flags,
  examples: [['shelfmark verify --deep -c corpus', 'exit code 5 when anything is damaged']],
  async run({ corpus, deep, json, workers }) {
    const report = await withCorpus(
      corpus,
      (opened) =>
        withProgress('verify', (progress) => {
          const startedAt = performance.now();
          const onShard = (done: number, total: number): void => {
            const facts = [`${formatCount(done)} of ${formatCounted(total, 'shard')}`];
            progress.update({ fraction: done / total, elapsedMs: performance.now() - startedAt, facts });
          };
          return opened.verify({ deep: deep ?? false, onShard });
        }),
      parseWorkers(workers),
    );
    await print(json ? `${toJson(report)}\n` : describe(report));
    return report.ok ? exitCodes.ok : exitCodes.damaged;
  },
};

function describe(report: CorpusReport): string {
  const lines: string[] = [];
  for (const { shard, ok, parts } of report.shards) {
    lines.push(`${shard}  ${ok ? 'ok' : 'DAMAGED'}`);
    for (const { name, status, detail } of parts) {
      lines.push(`  ${name.padEnd(10)}  ${status.padEnd(7)}  ${sanitizeLine(detail)}`);
    }
  }
  lines.push(`catalog  ${report.catalog.ok ? 'ok' : 'DAMAGED'}  ${sanitizeLine(report.catalog.detail)}`);
  for (const name of report.strays)
    lines.push(`stray file shards/${sanitizeLine(name)}: harmless, the next build removes it`);
  const damaged = report.shards.filter(({ ok }) => !ok).length;
  const verdict = report.ok
    ? `${formatCounted(report.shards.length, 'shard')} ok`
    : `${formatCount(damaged)} of ${formatCounted(report.shards.length, 'shard')} damaged${report.catalog.ok ? '' : ', and the catalog'}`;
  lines.push(`${verdict} (${report.depth === 'deep' ? 'every posting' : 'a sample of postings'} compared)`);
  return `${lines.join('\n')}\n`;
}
