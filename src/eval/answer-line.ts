import type { Line } from '../sources/index.ts';
import { lineError, parseObject } from './line-error.ts';

/** What is evaluated of a line that `shelfmark batch --format jsonl` wrote. */
export interface AnswerLine {
  readonly id: string;
  readonly hits: readonly AnsweredHit[];
}

interface AnsweredHit {
  readonly uri: string;
  /** the passage, when the batch was run with --text */
  readonly text?: string;
}

/** Reads an answer. @throws ShelfmarkError SHELFMARK_USAGE naming the line and what it should hold. */
export function parseAnswer(line: Line, file: string): AnswerLine {
  const { id, hits } = parseObject(line, file);
  if (typeof id === 'string' && Array.isArray(hits) && hits.every(isHit)) return { id, hits };
  throw lineError(file, line, 'expected an answer with "id" and "hits", as "batch --format jsonl" writes them');
}

function isHit(value: unknown): value is AnsweredHit {
  if (typeof value !== 'object' || value === null) return false;
  const { uri, text } = value as Record<string, unknown>;
  return typeof uri === 'string' && (text === undefined || typeof text === 'string');
}
