import { closeSync, openSync, readSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { CorruptError, explainReadError, ShelfmarkError } from './errors.ts';

export type { Database, Statement } from 'better-sqlite3';

/** Page cache per connection. SQLite's default of 16 MB grows to gigabytes with hundreds of open shards. */
const cacheKiB = 1024;

const magic = 'SQLite format 3\0';

/**
 * Opens an existing SQLite file for reading only. Nothing is created beside it.
 * @throws ShelfmarkError SHELFMARK_NOT_FOUND when there is no such file, SHELFMARK_CORRUPT when it is not SQLite.
 */
export function openReadOnly(file: string): Database.Database {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) {
    const message = `${file} does not exist. Check the path, or restore the file from a copy.`;
    throw new ShelfmarkError('SHELFMARK_NOT_FOUND', message, { file });
  }
  if (!stat.isFile() || readHeader(file) !== magic)
    throw new CorruptError(file, 'its header', 'it is not a SQLite file');
  const database = new Database(file, { readonly: true, fileMustExist: true });
  try {
    database.pragma(`cache_size=-${cacheKiB}`);
    database.pragma('cell_size_check=ON');
    database.pragma('trusted_schema=OFF');
  } catch (error) {
    database.close();
    throw explainReadError(file, error);
  }
  return database;
}

/**
 * SQLite reads zeros for what is missing of the last page.
 * @throws CorruptError when a file that nobody writes to is shorter or longer than its header says.
 */
export function requireWholeFile(file: string, database: Database.Database): void {
  const expected =
    Number(database.pragma('page_count', { simple: true })) * Number(database.pragma('page_size', { simple: true }));
  const { size } = statSync(file);
  if (size !== expected) throw new CorruptError(file, 'its length', `it has ${size} bytes, expected ${expected}`);
}

/**
 * Creates a new SQLite file that only this process writes and that is thrown away when anything fails: no journal,
 * no syncs. The caller syncs and verifies the file before it is published (see DESIGN: sealing).
 */
export function createScratchDatabase(file: string): Database.Database {
  const database = new Database(file);
  database.unsafeMode(true);
  database.pragma('page_size=4096');
  database.pragma('journal_mode=OFF');
  database.pragma('synchronous=OFF');
  database.pragma('locking_mode=EXCLUSIVE');
  database.pragma('cache_size=-16384');
  database.pragma('temp_store=MEMORY');
  return database;
}

/**
 * Opens or creates a SQLite file whose transactions are durable: rollback journal, full syncs.
 * @param timeoutMs how long to wait for other writers, also here.
 */
export function openDurable(file: string, timeoutMs = 10_000): Database.Database {
  const database = new Database(file, { timeout: timeoutMs });
  database.pragma('journal_mode=DELETE');
  database.pragma('synchronous=FULL');
  database.pragma('foreign_keys=ON');
  return database;
}

function readHeader(file: string): string {
  const descriptor = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(16);
    readSync(descriptor, bytes, 0, 16, 0);
    return bytes.toString('latin1');
  } finally {
    closeSync(descriptor);
  }
}
