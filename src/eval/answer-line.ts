import type { Line } from '../sources/index.ts';
import { lineError, parseObject } from './line-error.ts';

/** What is evaluated of a line that `shelfmark batch` wrote in one of its JSON formats. */
export interface AnswerLine {
  readonly id: string;
  /** its hits, or its contexts, best first */
  readonly passages: readonly FoundPassage[];
}

interface FoundPassage {
  readonly uri: string;
  /** hits have it when the batch was run with --text, contexts always */
  readonly text?: string;
}

/** Reads an answer. @throws ShelfmarkError SHELFMARK_USAGE naming the line and what it should hold. */
export function parseAnswer(line: Line, file: string): AnswerLine {
  const { id, hits, contexts } = parseObject(line, file);
  const passages = hits ?? contexts;
  if (typeof id === 'string' && Array.isArray(passages) && passages.every(isPassage)) return { id, passages };
  throw lineError(file, line, 'expected an answer with "id" and "hits" or "contexts", as batch writes them');
}

function isPassage(value: unknown): value is FoundPassage {
  if (typeof value !== 'object' || value === null) return false;
  const { uri, text } = value as Record<string, unknown>;
  return typeof uri === 'string' && (text === undefined || typeof text === 'string');
}
