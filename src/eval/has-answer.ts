/** Words and single other characters that are neither space nor control, as DrQA's SimpleTokenizer cuts them. */
const tokenPattern = /[\p{L}\p{N}\p{M}]+|[^\p{Z}\p{C}]/gu;

/** The tokens by which answers are looked for: NFD, cut as DrQA does, lower case. */
export function answerTokens(text: string): string[] {
  return (text.normalize('NFD').match(tokenPattern) ?? []).map((token) => token.toLowerCase());
}

/**
 * Whether a passage has an answer: all its tokens, next to each other. That is `has_answer` of DrQA (Chen et al. 2017) and DPR
 * (Karpukhin et al. 2020), on whose top-k accuracies papers on open-domain question answering rest.
 */
export function hasAnswer(passage: string, answers: readonly (readonly string[])[]): boolean {
  const tokens = answerTokens(passage);
  return answers.some((answer) => contains(tokens, answer));
}

function contains(tokens: readonly string[], wanted: readonly string[]): boolean {
  for (let start = tokens.indexOf(wanted[0]!); start !== -1; start = tokens.indexOf(wanted[0]!, start + 1)) {
    if (wanted.every((token, index) => tokens[start + index] === token)) return true;
  }
  return false;
}
