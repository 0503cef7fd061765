import type { RankedRow } from './answer-batch.ts';

/**
 * A token of a TREC run: white space, control characters and `%` are percent-encoded as UTF-8, since a run is split at
 * white space. `decodeURIComponent` gives the id back.
 */
export function escapeTrecId(id: string): string {
  return id.replace(/[\s%\p{Cc}]/gu, (character) =>
    [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );
}

/**
 * Lines `qid Q0 docid rank score tag` of one query. Evaluation tools sort by score and break ties in ways of their own,
 * so printed scores fall strictly, also when they are read in single precision, as trec_eval 9 does: one that would not
 * is printed as little below the one before it as that takes.
 */
export function formatTrecRows(row: Pick<RankedRow, 'id' | 'hits'>, by: 'document' | 'chunk', tag: string): string {
  const queryId = escapeTrecId(row.id);
  let previous = Number.POSITIVE_INFINITY;
  let lines = '';
  for (const { rank, score, uri, ordinal } of row.hits) {
    const micros = fallBelow(previous, Math.round(score * 1e6));
    previous = micros;
    const document = escapeTrecId(by === 'document' ? uri : `${uri}#${ordinal}`);
    lines += `${queryId} Q0 ${document} ${rank} ${(micros / 1e6).toFixed(6)} ${escapeTrecId(tag)}\n`;
  }
  return lines;
}

/** The largest number of millionths up to `micros` that is below `previous` in single precision too. */
function fallBelow(previous: number, micros: number): number {
  let next = micros;
  while (Math.fround(next / 1e6) >= Math.fround(previous / 1e6)) next = Math.min(next, previous) - 1;
  return next;
}
