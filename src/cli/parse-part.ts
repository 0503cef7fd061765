import { usageError } from './usage-error.ts';

/** Most parts a build can have. */
const maxParts = 100_000;

/** Reads `i/n`, the i-th of n parts. @throws ShelfmarkError SHELFMARK_USAGE. */
export function parsePart(option: string, text: string): { readonly index: number; readonly count: number } {
  const match = /^([0-9]{1,6})\/([0-9]{1,6})$/.exec(text);
  const index = Number(match?.[1]);
  const count = Number(match?.[2]);
  if (index >= 1 && index <= count && count <= maxParts) return { index, count };
  throw usageError(`${option}: expected i/n with i from 1 to n and n up to 100,000, such as 3/16, got "${text}".`);
}
