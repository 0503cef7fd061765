import type { ContextBudget } from '../batch/contexts.ts';
import { usageError } from './usage-error.ts';

const units: Readonly<Record<string, ContextBudget['unit']>> = {
  token: 'tokens',
  tokens: 'tokens',
  char: 'characters',
  chars: 'characters',
};

/** Reads a budget such as `2000tokens` or `8000chars`. @throws ShelfmarkError SHELFMARK_USAGE. */
export function parseBudget(text: string | undefined): ContextBudget | undefined {
  if (text === undefined) return undefined;
  const [, digits, unitName = ''] = /^([0-9]{1,9}) ?([a-z]+)$/.exec(text) ?? [];
  const unit = Object.hasOwn(units, unitName) ? units[unitName] : undefined;
  const limit = Number(digits);
  if (unit !== undefined && limit >= 1) return { limit, unit };
  throw usageError(
    `--budget: expected a number of tokens or characters, such as 2000tokens or 8000chars, got "${text}".`,
  );
}
