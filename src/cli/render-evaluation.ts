import type { Comparison } from '../eval/compare-evaluations.ts';
import type { Evaluation, MetricValues } from '../eval/evaluate-run.ts';
import { formatCount, formatCounted } from './quantities.ts';
import { sanitizeLine } from './sanitize.ts';
import { numberTable, table } from './table.ts';

/** A run that was measured, and what it was compared with. */
export interface Outcome {
  readonly run: string;
  readonly evaluation: Evaluation;
  readonly compared: {
    readonly run: string;
    readonly evaluation: Evaluation;
    readonly metrics: Readonly<Record<string, Comparison>>;
  } | null;
}

const barWidth = 40;

/** An outcome as text: what was counted, numbers, bars, and what to know about them. */
export function renderOutcome({ run, evaluation, compared }: Outcome): string {
  const [name, otherName] = [sanitizeLine(run), sanitizeLine(compared?.run ?? '')];
  const blocks =
    compared === null
      ? [
          `${name}: ${countsOf(evaluation)}\n`,
          table(Object.entries(evaluation.means).map(([metric, mean]) => [metric, formatValue(mean), barOf(mean)])),
        ]
      : [
          `${name}: ${countsOf(evaluation)}\n${otherName}: ${countsOf(compared.evaluation)}\n`,
          renderComparison(name, otherName, compared.metrics),
          renderBars([name, evaluation.means], [otherName, compared.evaluation.means]),
        ];
  const notes = notesOf(evaluation, compared === null ? null : name);
  return [...blocks, ...(notes.length === 0 ? [] : [`${notes.join('\n')}\n`])].join('\n');
}

/** Each question's values, with those of the other run beside them if there is one. */
export function renderQueries({ evaluation, compared }: Outcome): string {
  const metrics = Object.keys(evaluation.means);
  const header = ['question', ...metrics.flatMap((name) => (compared === null ? [name] : [name, 'other']))];
  const rows = evaluation.queries.map(({ id, values }, index) => {
    const all = [values, ...(compared === null ? [] : [compared.evaluation.queries[index]!.values])];
    return [sanitizeLine(id), ...metrics.flatMap((name) => all.map((found) => formatValue(found[name]!)))];
  });
  return `${numberTable([header, ...rows])}\n`;
}

function countsOf({ queries, withoutHits }: Evaluation): string {
  return `${formatCounted(queries.length, 'judged question')}, ${formatCount(withoutHits)} of them without hits`;
}

function renderComparison(name: string, otherName: string, metrics: Readonly<Record<string, Comparison>>): string {
  const header = ['', name, otherName, 'difference', 'wins', 'ties', 'losses', 'p'];
  const rows = Object.entries(metrics).map(([metric, { mean, otherMean, difference, wins, ties, losses, p }]) => [
    metric,
    formatValue(mean),
    formatValue(otherMean),
    formatDifference(difference),
    formatCount(wins),
    formatCount(ties),
    formatCount(losses),
    formatProbability(p),
  ]);
  return numberTable([header, ...rows]);
}

function renderBars(...runs: readonly (readonly [name: string, means: MetricValues])[]): string {
  const metrics = Object.keys(runs[0]![1]);
  return table(
    metrics.flatMap((metric) =>
      runs.map(([name, means], index) => [index === 0 ? metric : '', name, barOf(means[metric]!)]),
    ),
  );
}

function notesOf({ means, withoutRelevant, notJudged }: Evaluation, comparedRun: string | null): string[] {
  const isNothing = Object.values(means).every((mean) => mean === 0);
  return [
    ...(isNothing ? ['Nothing right was found. Do the run and the file it is measured against use the same ids?'] : []),
    ...(withoutRelevant === 0
      ? []
      : [`${formatCounted(withoutRelevant, 'judged question')} without a relevant document, counted as 0.`]),
    ...(notJudged === 0 ? [] : [`${formatCounted(notJudged, 'question')} of the run without judgements, left out.`]),
    ...(comparedRun === null
      ? []
      : [`Wins: questions that ${comparedRun} answers better. p: paired t-test, two-sided.`]),
  ];
}

/** Four decimals, as trec_eval prints. */
function formatValue(value: number): string {
  return value.toFixed(4);
}

function formatDifference(difference: number): string {
  return `${difference < 0 ? '-' : '+'}${Math.abs(difference).toFixed(4)}`;
}

function formatProbability(p: number | null): string {
  if (p === null) return '-';
  return p < 0.0001 ? '<0.0001' : p.toFixed(4);
}

/** A bar of 0 to 1. */
function barOf(value: number): string {
  return '█'.repeat(Math.round(value * barWidth));
}
