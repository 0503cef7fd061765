import type { ChunkId } from '../format.ts';
import type { ShardReader } from '../shard-reader.ts';

/** FTS5 expression for chunks that have all of some phrases. Terms are quoted, so no character of them is an operator. */
export function phraseExpression(phrases: readonly (readonly string[])[]): string {
  return phrases.map((terms) => `"${terms.join(' ').replaceAll('"', '""')}"`).join(' AND ');
}

/**
 * Whether title, heading path or text of a chunk has each phrase. The index is not enough to tell: behind a column's words
 * stand the wholes of its compounds, which are next to each other nowhere in the text.
 */
export function hasPhrases(reader: ShardReader, chunk: ChunkId, phrases: readonly (readonly string[])[]): boolean {
  const analyzer = reader.analyzer();
  const fields = reader.columnTexts(chunk).map((text) => analyzer.mainTerms(text));
  return phrases.every((phrase) => fields.some((terms) => hasRun(terms, phrase)));
}

function hasRun(terms: readonly string[], run: readonly string[]): boolean {
  return terms.some((_, start) => run.every((term, index) => terms[start + index] === term));
}
