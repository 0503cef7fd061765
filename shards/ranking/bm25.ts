/**
 * BM25 over the whole corpus (Robertson and Zaragoza 2009, "The Probabilistic Relevance Framework: BM25 and Beyond"):
 *
 *   score(chunk) = sum over the distinct terms of the query: idf · (k1 + 1) · tf / (tf + k1 · (1 - b + b · length / average))
 *
 * with tf = sum over the columns of weight · occurrences, and length = tokens of all columns. That is FTS5's bm25() but for
 * the idf, which is Lucene's: ln(1 + (N - df + 0.5) / (df + 0.5)), never below 0.
 *
 * Term frequencies are counted in column units: a column's weight is its units divided by the body's. Each contribution is
 * rounded to a multiple of {@link QUANTUM} and one quantum is added, so that none is 0. Sums of such numbers are exact, in
 * whatever order they are made: a chunk has the same score to the last bit however the corpus is cut into shards.
 */
import type { ColumnUnits } from '../postings/index.ts';

/** Parameters and corpus statistics of a score. */
export interface Scoring {
  readonly k1: number;
  readonly b: number;
  /** `fts5` is for comparing with FTS5's bm25() only: ln((N - df + 0.5) / (df + 0.5)), at least 1e-6 */
  readonly idf: 'lucene' | 'fts5';
  readonly columnUnits: ColumnUnits;
  /** chunks of the corpus */
  readonly chunks: number;
  /** tokens of the corpus, all columns */
  readonly tokens: number;
}

/** Units of an occurrence in title, heading and body: weights 2, 1.5 and 1. */
export const COLUMN_UNITS: ColumnUnits = [4, 3, 2];

/** Parameters of a score when nothing else is said; Anserini's. */
export const DEFAULT_SCORING = { k1: 0.9, b: 0.4, idf: 'lucene' } as const;

/** What contributions are multiples of. Sums below 2^17 are exact: 2,048 terms with k1 up to 3 in four million chunks. */
export const QUANTUM = 2 ** -36;

/**
 * A number near {@link ROUNDER} has a last binary place of one quantum, so adding it rounds to quanta and subtracting it
 * gives the rounded number back. {@link ROUND_UP} also adds one quantum.
 */
export const ROUNDER = 1.5 * 2 ** 16;
export const ROUND_UP = ROUNDER + QUANTUM;

/** What one posting adds to its chunk's score. @param norm of the chunk's length, see {@link normsOf} */
export function contribution(weight: number, units: number, norm: number): number {
  return weight * (units / (units + norm)) + ROUND_UP - ROUNDER;
}

/** Weight of a term: idf · (k1 + 1). */
export function weightOf(scoring: Scoring, df: number): number {
  return idfOf(scoring, df) * (scoring.k1 + 1);
}

/** Inverse document frequency of a term in `df` chunks of the corpus. */
export function idfOf({ idf, chunks }: Scoring, df: number): number {
  const odds = (chunks - df + 0.5) / (df + 0.5);
  return idf === 'lucene' ? Math.log1p(odds) : Math.max(1e-6, Math.log(odds));
}

/** k1 · (1 - b + b · length / average) for each length, in column units. */
export function normsOf(lengths: Float64Array, { k1, b, columnUnits, chunks, tokens }: Scoring): Float64Array {
  const average = tokens > 0 ? tokens / chunks : 1;
  return lengths.map((length) => columnUnits[2] * k1 * (1 - b + (b * length) / average));
}
