export { type Comparison, compareEvaluations } from './compare-evaluations.ts';
export { defaultAnswerMetrics, evaluateAnswers } from './evaluate-answers.ts';
export { type Evaluation, evaluateRun, type MetricValues, type QueryValues } from './evaluate-run.ts';
export { defaultMetrics, type JudgedRanking, type Metric, parseMetrics } from './metrics.ts';
export { type GoldAnswers, readAnswers } from './read-answers.ts';
export { type Qrels, readQrels } from './read-qrels.ts';
export { type Run, readRun } from './read-run.ts';
