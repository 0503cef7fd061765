import { ShelfmarkError } from '../../shards/index.ts';
import { escapeTrecId } from '../batch/trec.ts';
import { findLines, type Line, readLines } from '../sources/index.ts';
import { answerTokens } from './has-answer.ts';
import { lineError, parseObject } from './line-error.ts';

/** The tokens of each right answer, by question. Ids are written as a TREC run writes them: see `escapeTrecId`. */
export type GoldAnswers = ReadonlyMap<string, readonly (readonly string[])[]>;

/**
 * Reads right answers, compressed or not: JSON lines with `_id` (or `id`, `qid`) and `answers` (or `answer`), a text or a list of
 * texts; the questions may stand beside them. A question without an answer that has a word is left out.
 *
 * @throws ShelfmarkError SHELFMARK_USAGE naming the file and line that cannot be read; SourceError.
 */
export async function readAnswers(file: string): Promise<GoldAnswers> {
  const source = await findLines(file, 'answers');
  const answers = new Map<string, string[][]>();
  for await (const line of readLines(source)) {
    const { id, texts } = parseAnswers(line, source.uri);
    if (answers.has(id)) throw lineError(source.uri, line, `the answers of question ${id} come twice`);
    const tokens = texts.map(answerTokens).filter((answer) => answer.length > 0);
    if (tokens.length > 0) answers.set(id, tokens);
  }
  if (answers.size > 0) return answers;
  throw new ShelfmarkError('SHELFMARK_USAGE', `${source.uri} has no answers.`, { file: source.uri });
}

function parseAnswers(line: Line, file: string): { readonly id: string; readonly texts: readonly string[] } {
  const fields = parseObject(line, file);
  const id = fields._id ?? fields.id ?? fields.qid;
  if (!(typeof id === 'string' && id !== '') && !Number.isSafeInteger(id)) {
    throw lineError(file, line, '"_id" must be a string or an integer');
  }
  const found = fields.answers ?? fields.answer;
  const texts: unknown[] = Array.isArray(found) ? found : [found];
  if (!texts.every((text) => typeof text === 'string')) {
    throw lineError(file, line, '"answers" must be a text or a list of texts');
  }
  return { id: escapeTrecId(String(id)), texts };
}
