import type { SearchOptions } from '../../dist/src/index.js';

/** A way to search that is measured on every collection. */
export interface Mode {
  readonly name: string;
  readonly search: SearchOptions;
}

/** What is compared. The first is what `shelfmark search` does by default. */
export const modes: readonly Mode[] = [
  { name: 'strict', search: { match: 'strict' } },
  { name: 'strict, fill', search: { match: 'strict', fill: true } },
  { name: 'strict, rarest', search: { match: 'strict', fallback: 'rarest' } },
  { name: 'strict, rarest, fill', search: { match: 'strict', fallback: 'rarest', fill: true } },
  { name: 'any', search: { match: 'any' } },
];
