import { addWork, noWork, type Work } from '../../shards/index.ts';
import type { Explanation, RungExplanation } from './hits.ts';
import type { Rung } from './match-policy.ts';
import type { RankedGroup } from './ranked-group.ts';

/** The tokens of a step, as an explanation has them. */
export function describeTokens(rung: Rung): RungExplanation['tokens'] {
  return rung.tokens.map(({ text, alternatives }) => ({ text, alternatives }));
}

/** A step that looked through text, where no index was asked. */
export function describeScan(rung: Rung, hits: number, ms: number): RungExplanation {
  return { name: rung.name, tokens: describeTokens(rung), hits, ms, threadMs: ms, work: noWork() };
}

/** What several threads did together. */
export function sumOf(parts: readonly Work[]): Work {
  const sum = noWork();
  for (const part of parts) addWork(sum, part);
  return { ...sum, lookUpMs: roundMs(sum.lookUpMs), rankMs: roundMs(sum.rankMs) };
}

/** How an answer came about. */
export function explanationOf(
  { scoring, countMs }: RankedGroup,
  rungs: readonly RungExplanation[],
  fetchMs: number,
): Explanation {
  const { k1, b, chunks, tokens, columnUnits } = scoring;
  const [title, heading, body] = columnUnits;
  return {
    scoring: {
      k1,
      b,
      columnWeights: [title / body, heading / body, 1],
      chunks,
      averageLength: chunks === 0 ? 0 : tokens / chunks,
    },
    countMs,
    rungs,
    fetchMs,
  };
}

/** Milliseconds to the microsecond: more digits are noise. */
export function roundMs(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
