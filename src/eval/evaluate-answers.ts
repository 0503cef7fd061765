import { ShelfmarkError } from '../../shards/index.ts';
import { escapeTrecId } from '../batch/trec.ts';
import { findLines, readLines } from '../sources/index.ts';
import { parseAnswer } from './answer-line.ts';
import { type Evaluation, evaluateJudged } from './evaluate-run.ts';
import { hasAnswer } from './has-answer.ts';
import { lineError } from './line-error.ts';
import type { JudgedRanking, Metric } from './metrics.ts';
import type { GoldAnswers } from './read-answers.ts';

/** What `shelfmark eval --answers` prints unless told otherwise: the cutoffs of papers on open-domain question answering. */
export const defaultAnswerMetrics = 'success@1,success@5,success@20,success@100';

/**
 * Measures how high passages with a right answer stand, by the match of DrQA and DPR. Means are over all questions that have
 * answers; one that the run has no passages for counts as 0.
 *
 * @param run what `shelfmark batch` wrote with `--format jsonl --text` or `--format contexts`; read line by line
 * @param metrics success@k and mrr only: nobody knows how many passages have an answer
 * @throws ShelfmarkError SHELFMARK_USAGE naming a metric, or the line of the run that has no text; SourceError.
 */
export async function evaluateAnswers(
  run: string,
  answers: GoldAnswers,
  metrics: readonly Metric[],
): Promise<Evaluation> {
  const unfit = metrics.find(({ name }) => !/^(success|mrr)\b/.test(name));
  if (unfit !== undefined) {
    const message = `metrics: ${unfit.name} needs judgements; of answers success@k, mrr and mrr@k are known.`;
    throw new ShelfmarkError('SHELFMARK_USAGE', message, { metric: unfit.name });
  }
  const source = await findLines(run, 'a run');
  const found = new Map<string, JudgedRanking>();
  let notJudged = 0;
  for await (const line of readLines(source)) {
    const { id, passages } = parseAnswer(line, source.uri);
    const question = escapeTrecId(id);
    const gold = answers.get(question);
    if (found.has(question)) throw lineError(source.uri, line, `question ${question} comes twice`);
    if (gold === undefined) {
      notJudged++;
      continue;
    }
    const gains: number[] = [];
    for (const { text } of passages) {
      if (text === undefined) {
        throw lineError(source.uri, line, 'its hits have no text; run the batch with --text');
      }
      gains.push(hasAnswer(text, gold) ? 1 : 0);
      // No metric looks beyond the first passage with an answer.
      if (gains.at(-1) === 1) break;
    }
    found.set(question, { gains, ideal: [1] });
  }
  const nothing: JudgedRanking = { gains: [], ideal: [1] };
  const judged = [...answers.keys()].map((id) => ({ id, judged: found.get(id) ?? nothing }));
  return evaluateJudged(judged, notJudged, metrics);
}
