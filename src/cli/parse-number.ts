import { formatCount } from './quantities.ts';
import { usageError } from './usage-error.ts';

/** Reads a whole number in decimal digits. @throws ShelfmarkError SHELFMARK_USAGE naming the option and its range. */
export function parseInteger(option: string, text: string, minimum: number, maximum: number): number {
  const value = /^[0-9]+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= minimum && value <= maximum) return value;
  throw usageError(
    `${option}: expected a whole number from ${formatCount(minimum)} to ${formatCount(maximum)}, got "${text}".`,
  );
}

/** Reads a number from 0 on that may have decimals. @throws ShelfmarkError SHELFMARK_USAGE. */
export function parseNumber(option: string, text: string, maximum: number): number {
  const value = /^[0-9]*\.?[0-9]+$/.test(text) ? Number(text) : Number.NaN;
  if (value <= maximum) return value;
  throw usageError(`${option}: expected a number from 0 to ${maximum}, got "${text}".`);
}

/** Reads seconds as milliseconds; parts of a second are allowed. @throws ShelfmarkError SHELFMARK_USAGE. */
export function parseSeconds(option: string, text: string): number {
  const ms = /^[0-9]+(\.[0-9]+)?$/.test(text) ? Math.round(Number(text) * 1000) : Number.NaN;
  if (ms >= 1 && ms <= 86_400_000) return ms;
  throw usageError(`${option}: expected seconds from 0.001 to 86,400, got "${text}".`);
}
