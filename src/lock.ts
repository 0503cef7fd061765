import { type Database, encodeError, openDurable, ShelfmarkError } from '../shards/index.ts';

/**
 * Lets one process at a time change something. SQLite's own file lock is used, because the system drops it when the
 * process dies, however it dies: there is no stale lock to guess about.
 */
export class FileLock {
  readonly #db: Database;

  /**
   * @param subject what the lock guards, for the message.
   * @throws ShelfmarkError SHELFMARK_BUSY when another process holds the lock.
   */
  constructor(file: string, subject: string) {
    let database: Database | undefined;
    try {
      database = openDurable(file, 0);
      database.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      database?.close();
      if (encodeError(error).code !== 'SHELFMARK_BUSY') throw error;
      throw new ShelfmarkError(
        'SHELFMARK_BUSY',
        `Another process is changing ${subject} (it holds ${file}). Wait for it to end, or stop it.`,
        { file },
        error,
      );
    }
    this.#db = database;
  }

  /** Gives the lock back. */
  release(): void {
    this.#db.close();
  }
}
