import { ShelfmarkError } from '../../shards/errors.ts';

/** An error of whoever typed the command: exit code 2. */
export function usageError(message: string): ShelfmarkError {
  return new ShelfmarkError('SHELFMARK_USAGE', message);
}
