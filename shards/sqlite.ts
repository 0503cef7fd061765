import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import Database from 'better-sqlite3';
import { ShelfmarkError } from './errors.ts';

export type { Database, Statement } from 'better-sqlite3';

/** Page cache per connection. SQLite's default of 16 MB grows to gigabytes with hundreds of open shards. */
const cacheKiB = 1024;

const magic = 'SQLite format 3\0';

/**
 * Opens an existing SQLite file for reading only. Nothing is created beside it.
 * @throws ShelfmarkError SHELFMARK_NOT_FOUND when there is no such file, SHELFMARK_CORRUPT when it is not SQLite.
 */
export function openReadOnly(file: string): Database.Database {
  if (!existsSync(file)) throw new ShelfmarkError('SHELFMARK_NOT_FOUND', `${file} does not exist.`, { file });
  if (readHeader(file) !== magic) {
    throw new ShelfmarkError('SHELFMARK_CORRUPT', `${file} is not a Shelfmark file (no SQLite header).`, { file });
  }
  const database = new Database(file, { readonly: true, fileMustExist: true });
  database.pragma(`cache_size=-${cacheKiB}`);
  database.pragma('cell_size_check=ON');
  database.pragma('trusted_schema=OFF');
  return database;
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

/** Opens or creates a SQLite file whose transactions are durable: rollback journal, full syncs, a wait for other writers. */
export function openDurable(file: string): Database.Database {
  const database = new Database(file, { timeout: 10_000 });
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
