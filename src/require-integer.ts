import { ShelfmarkError } from '../shards/index.ts';

/** @throws ShelfmarkError SHELFMARK_USAGE when a number is no integer in its range. */
export function requireInteger(option: string, value: number, minimum: number, maximum: number): void {
  if (Number.isSafeInteger(value) && value >= minimum && value <= maximum) return;
  throw new ShelfmarkError(
    'SHELFMARK_USAGE',
    `${option}: expected an integer from ${minimum} to ${maximum}, got ${value}.`,
    { option, minimum, maximum, got: String(value) },
  );
}
