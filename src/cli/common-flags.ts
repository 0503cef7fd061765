import type { Options } from 'yargs';
import { parseInteger } from './parse-number.ts';

/** Flags that several commands have, each with one meaning. */
export const corpusFlag = {
  type: 'string',
  alias: 'c',
  requiresArg: true,
  default: process.env.SHELFMARK_CORPUS || 'corpus',
  defaultDescription: '$SHELFMARK_CORPUS, else ./corpus',
  describe: 'Folder of the corpus',
} as const satisfies Options;

export const jsonFlag = {
  type: 'boolean',
  describe: 'Print one JSON value on standard output, everything else on standard error',
} as const satisfies Options;

export const workersFlag = {
  type: 'string',
  requiresArg: true,
  describe: 'Threads, 1 to 64',
  defaultDescription: 'one a core, at most 8',
} as const satisfies Options;

/** @throws ShelfmarkError SHELFMARK_USAGE. */
export function parseWorkers(text: string | undefined, minimum = 1): number | undefined {
  return text === undefined ? undefined : parseInteger('--workers', text, minimum, 64);
}
