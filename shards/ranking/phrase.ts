import type { ChunkId } from '../format.ts';
import type { ShardReader } from '../shard-reader.ts';
import type { Phrase } from './prepared-query.ts';

/** FTS5 expression for chunks that have all of some phrases. Terms are quoted, so no character of them is an operator. */
export function phraseExpression(phrases: readonly Phrase[]): string {
  return phrases.map((sequences) => `(${sequences.map(quote).join(' OR ')})`).join(' AND ');
}

function quote(terms: readonly string[]): string {
  return `"${terms.join(' ').replaceAll('"', '""')}"`;
}

/**
 * Whether title, heading path or text of a chunk has each phrase. The index is not enough to tell: behind a column's words
 * stand the wholes of its compounds, which are next to each other nowhere in the text.
 */
export function hasPhrases(reader: ShardReader, chunk: ChunkId, phrases: readonly Phrase[]): boolean {
  if (phrases.length === 0) return true;
  const fields = fieldsOf(reader, chunk);
  return phrases.every((phrase) => hasPhrase(fields, phrase));
}

/** Whether title, heading path or text of a chunk has any of the phrases. */
export function hasAnyPhrase(reader: ShardReader, chunk: ChunkId, phrases: readonly Phrase[]): boolean {
  if (phrases.length === 0) return false;
  const fields = fieldsOf(reader, chunk);
  return phrases.some((phrase) => hasPhrase(fields, phrase));
}

function hasPhrase(fields: readonly (readonly string[])[], phrase: Phrase): boolean {
  return phrase.some((sequence) => fields.some((terms) => hasRun(terms, sequence)));
}

function fieldsOf(reader: ShardReader, chunk: ChunkId): string[][] {
  const { texts, analyzer } = reader.columns(chunk);
  return texts.map((text) => analyzer.mainTerms(text));
}

function hasRun(terms: readonly string[], run: readonly string[]): boolean {
  return terms.some((_, start) => run.every((term, index) => terms[start + index] === term));
}
