import { ShelfmarkError } from '../../shards/index.ts';
import type { Line } from '../sources/index.ts';

/** An error of whoever wrote a line of a file that is evaluated, or evaluated against. */
export function lineError(file: string, { number }: Line, problem: string): ShelfmarkError {
  return new ShelfmarkError('SHELFMARK_USAGE', `${file}, line ${number}: ${problem}.`, { file, line: number });
}

/** Reads a line as a JSON object. @throws ShelfmarkError SHELFMARK_USAGE naming the line. */
export function parseObject(line: Line, file: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(line.text);
  } catch (error) {
    throw lineError(file, line, `not valid JSON (${error instanceof Error ? error.message : String(error)})`);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw lineError(file, line, 'expected a JSON object');
}
