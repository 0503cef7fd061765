import { type Database, openDurable, ShelfmarkError } from '../shards/index.ts';

/**
 * Lets one process at a time change a corpus. SQLite's own file lock is used, because the system drops it when the
 * process dies, however it dies: there is no stale lock to guess about.
 */
export class CorpusLock {
  readonly #db: Database;

  /** @throws ShelfmarkError SHELFMARK_BUSY when another process holds the lock. */
  constructor(file: string) {
    this.#db = openDurable(file);
    this.#db.pragma('busy_timeout=0');
    try {
      this.#db.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      this.#db.close();
      throw new ShelfmarkError(
        'SHELFMARK_BUSY',
        `Another process is changing this corpus (it holds ${file}). Wait for it to end, or stop it.`,
        { file },
        error,
      );
    }
  }

  /** Gives the lock back. */
  release(): void {
    this.#db.close();
  }
}
