import { decodeError, encodeError, ShelfmarkError } from '../shards/index.ts';

/**
 * Errors of the file system and of SQLite as typed ones that say where they happened and how to go on. Whatever else was
 * thrown is given back as it is.
 *
 * @param target the corpus or file that was being written.
 * @param assurance what is safe in any case.
 */
export function describeDiskError(error: unknown, target: string, assurance: string): unknown {
  const data = encodeError(error);
  if (data.code === 'SHELFMARK_IO') {
    const isFull = /ENOSPC|EDQUOT|disk is full/.test(data.message);
    const problem = isFull ? `The disk is full: ${target} cannot be written` : `${target} cannot be written`;
    const wayOut = `${assurance}; ${isFull ? 'make room' : 'mend that'} and run the same command again to go on.`;
    return new ShelfmarkError(
      'SHELFMARK_IO',
      `${problem} (${data.message}). ${wayOut}`,
      { ...data.facts, target, full: isFull },
      error,
    );
  }
  if (error instanceof ShelfmarkError || data.code === 'SHELFMARK_INTERNAL') return error;
  return decodeError(data);
}
