import type { Coverage, Retrieval } from '../search/hits.ts';
import { note } from './output.ts';
import { formatCounted } from './quantities.ts';

/** Whether every shard answered. */
export function isPartial(coverage: Coverage): boolean {
  return coverage.searched < coverage.shards;
}

/** Warns on standard error of every shard that did not answer, and of a corpus that has none. */
export function warnOfCoverage(coverage: Coverage): void {
  const { shards, searched, scanned, timedOut, failures } = coverage;
  if (shards === 0)
    note('shelfmark: warning: the corpus has no shards: nothing was ever indexed, or a build is unfinished.');
  if (!isPartial(coverage)) return;
  note(`shelfmark: warning: only ${searched} of ${formatCounted(shards, 'shard')} could be searched.`);
  for (const { shard, message } of failures) note(`  ${shard}: ${message}`);
  if (scanned > 0) note(`  ${formatCounted(scanned, 'shard')} with a damaged index answered from the text alone.`);
  if (timedOut > 0) note(`  ${formatCounted(timedOut, 'shard')} did not answer in time.`);
}

/** Warns when hits could not be found as they were to be. */
export function warnOfRetrieval(retrieval: Retrieval | undefined): void {
  const missing = retrieval?.note ?? null;
  if (missing !== null) note(`shelfmark: warning: ${missing}`);
}
