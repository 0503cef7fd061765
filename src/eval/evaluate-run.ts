import type { JudgedRanking, Metric } from './metrics.ts';
import type { Qrels } from './read-qrels.ts';
import type { Run } from './read-run.ts';

/** Values by metric, in the order in which the metrics were asked for. */
export type MetricValues = Readonly<Record<string, number>>;

/** One query's values. */
export interface QueryValues {
  readonly id: string;
  readonly values: MetricValues;
}

/** What a run is worth. */
export interface Evaluation {
  /** over all judged queries */
  readonly means: MetricValues;
  /** the judged queries, in the order of the judgements */
  readonly queries: readonly QueryValues[];
  /** judged queries that the run has no hits for; they count as 0 */
  readonly withoutHits: number;
  /** judged queries without a relevant document; they count as 0 */
  readonly withoutRelevant: number;
  /** queries of the run that nobody judged; they do not count */
  readonly notJudged: number;
}

/**
 * Measures a run as `trec_eval -c` does: the mean is over all queries of the judgements, whether or not the run answers
 * them and whether or not they have relevant documents; queries without judgements are left out. A document that was not
 * judged, or with a grade below 1, is not relevant.
 */
export function evaluateRun(run: Run, qrels: Qrels, metrics: readonly Metric[]): Evaluation {
  const judged = [...qrels].map(([id, grades]) => ({ id, judged: judge(run.get(id) ?? [], grades) }));
  const notJudged = [...run.keys()].filter((id) => !qrels.has(id)).length;
  return evaluateJudged(judged, notJudged, metrics);
}

/** The values of each judged query, and their means. */
export function evaluateJudged(
  judgedQueries: readonly { readonly id: string; readonly judged: JudgedRanking }[],
  notJudged: number,
  metrics: readonly Metric[],
): Evaluation {
  const queries = judgedQueries.map(({ id, judged }) => ({
    id,
    values: valuesBy(metrics, (metric) => metric.measure(judged)),
  }));
  return {
    means: valuesBy(metrics, ({ name }) => meanOf(queries.map(({ values }) => values[name]!))),
    queries,
    withoutHits: judgedQueries.filter(({ judged }) => judged.gains.length === 0).length,
    withoutRelevant: judgedQueries.filter(({ judged }) => judged.ideal.length === 0).length,
    notJudged,
  };
}

function judge(ranking: readonly string[], grades: ReadonlyMap<string, number>): JudgedRanking {
  return {
    gains: ranking.map((document) => Math.max(0, grades.get(document) ?? 0)),
    ideal: [...grades.values()].filter((grade) => grade > 0).sort((a, b) => b - a),
  };
}

function valuesBy(metrics: readonly Metric[], measured: (metric: Metric) => number): MetricValues {
  return Object.fromEntries(metrics.map((metric) => [metric.name, measured(metric)]));
}

/** The mean of a list that is not empty. */
export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
