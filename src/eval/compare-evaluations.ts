import jstat from 'jstat';
import { type Evaluation, meanOf } from './evaluate-run.ts';

/** How two runs differ in one metric, query by query. */
export interface Comparison {
  readonly mean: number;
  readonly otherMean: number;
  /** mean minus otherMean: above 0 when the first run is better */
  readonly difference: number;
  /** queries that the first run answers better, as well, and worse */
  readonly wins: number;
  readonly ties: number;
  readonly losses: number;
  /**
   * Two-sided p of a paired t-test: how often a difference at least as large would come about if the runs were equally
   * good. null when there is nothing to test: fewer than two queries, or the same difference in all of them.
   */
  readonly p: number | null;
}

/**
 * Compares two evaluations of the same judgements and metrics. The paired t-test is what Smucker, Allan and Carterette
 * (CIKM 2007) found to agree with the randomization test for means of retrieval measures.
 */
export function compareEvaluations(evaluation: Evaluation, other: Evaluation): Readonly<Record<string, Comparison>> {
  const names = Object.keys(evaluation.means);
  return Object.fromEntries(names.map((name) => [name, compareMetric(evaluation, other, name)]));
}

function compareMetric(evaluation: Evaluation, other: Evaluation, name: string): Comparison {
  const differences = evaluation.queries.map(
    ({ values }, index) => values[name]! - other.queries[index]!.values[name]!,
  );
  const count = (matches: (difference: number) => boolean): number => differences.filter(matches).length;
  return {
    mean: evaluation.means[name]!,
    otherMean: other.means[name]!,
    difference: meanOf(differences),
    wins: count((difference) => difference > 0),
    ties: count((difference) => difference === 0),
    losses: count((difference) => difference < 0),
    p: pairedTTest(differences),
  };
}

function pairedTTest(differences: readonly number[]): number | null {
  const varies = differences.some((difference) => difference !== differences[0]);
  return varies ? jstat.jStat.ttest(0, differences, 2) : null;
}
