import type { Analyzer } from '../analysis/index.ts';
import { CorruptError } from '../errors.ts';
import type { ChunkId } from '../format.ts';
import type { ShardReader } from '../shard-reader.ts';
import { contribution, idfOf, normsOf, type Scoring, weightOf } from './bm25.ts';

/** How the score of one chunk came about. */
export interface ChunkExplanation {
  /** tokens of the chunk, all columns */
  readonly length: number;
  /** tokens of the corpus' chunks, on average */
  readonly averageLength: number;
  /** the terms of the query that the chunk has; their contributions sum to its score */
  readonly terms: readonly TermExplanation[];
}

/** What one term gave. */
export interface TermExplanation {
  readonly term: string;
  /** chunks of the corpus that have it */
  readonly df: number;
  readonly idf: number;
  /** occurrences in title, heading path and body */
  readonly tf: readonly [title: number, heading: number, body: number];
  /** occurrences times the weights of their columns */
  readonly weightedTf: number;
  readonly contribution: number;
}

/**
 * Explains a score from the chunk's text, which is read and analysed again: an account that owes nothing to the index.
 * @param score as it was ranked
 * @throws CorruptError when the text gives another score than the index
 */
export function explainChunk(
  reader: ShardReader,
  chunk: ChunkId,
  score: number,
  terms: readonly string[],
  scoring: Scoring,
  frequencies: ReadonlyMap<string, number>,
): ChunkExplanation {
  const { texts, analyzer } = reader.columns(chunk);
  const columns = texts.map((text) => countTerms(analyzer, text));
  const { classes, lengths } = reader.index.lengths();
  const length = lengths[classes[chunk]!]!;
  const [norm] = normsOf(Float64Array.of(length), scoring);
  const explained = terms.flatMap((term): TermExplanation[] => {
    const df = frequencies.get(term) ?? 0;
    const [title, head, text] = columns.map((counts) => counts.get(term) ?? 0);
    const tf = [title!, head!, text!] as const;
    const units = tf.reduce((total, count, column) => total + count * scoring.columnUnits[column]!, 0);
    if (units === 0 || df === 0) return [];
    return [
      {
        term,
        df,
        idf: idfOf(scoring, df),
        tf,
        weightedTf: units / scoring.columnUnits[2],
        contribution: contribution(weightOf(scoring, df), units, norm!),
      },
    ];
  });
  const sum = explained.reduce((total, { contribution }) => total + contribution, 0);
  if (sum !== score) {
    throw new CorruptError(reader.file, 'its index', `chunk ${chunk} scores ${score}, its text gives ${sum}`);
  }
  return { length, averageLength: scoring.tokens / Math.max(1, scoring.chunks), terms: explained };
}

function countTerms(analyzer: Analyzer, text: string): Map<string, number> {
  const counts = new Map<string, number>();
  analyzer.visitTerms(text, undefined, (term) => counts.set(term, (counts.get(term) ?? 0) + 1));
  return counts;
}
