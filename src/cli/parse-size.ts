import { formatCount } from './quantities.ts';
import { usageError } from './usage-error.ts';

const pattern = /^([0-9]+(?:\.[0-9]+)?) ?([a-z]*)$/i;

const factors: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['b', 1],
  ['kb', 1e3],
  ['mb', 1e6],
  ['gb', 1e9],
  ['tb', 1e12],
  ['kib', 1024],
  ['mib', 1024 ** 2],
  ['gib', 1024 ** 3],
  ['tib', 1024 ** 4],
]);

/**
 * Reads a size: bytes, or a number with a decimal (kB, MB, GB, TB) or binary (KiB, MiB, GiB, TiB) unit in any case.
 * @throws ShelfmarkError SHELFMARK_USAGE naming the option and what it takes.
 */
export function parseSize(option: string, text: string, minimum: number, maximum: number): number {
  const match = pattern.exec(text);
  const factor = factors.get((match?.[2] ?? '?').toLowerCase());
  const bytes = match === null || factor === undefined ? Number.NaN : Math.round(Number(match[1]) * factor);
  if (bytes >= minimum && bytes <= maximum) return bytes;
  throw usageError(
    `${option}: expected a size from ${formatCount(minimum)} to ${formatCount(maximum)} bytes, such as 1048576, 4KiB, 256MiB or 1GB, got "${text}".`,
  );
}
