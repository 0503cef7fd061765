import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Database } from 'better-sqlite3';
import { CorruptError, explainReadError, ShelfmarkError } from './errors.ts';

export type { Database, Statement } from 'better-sqlite3';

// An import would read and parse the package twice, to find out the names that it exports.
const SqliteDatabase = createRequire(import.meta.url)('better-sqlite3') as typeof import('better-sqlite3');

/** Page cache per connection. SQLite's default of 16 MB grows to gigabytes with hundreds of open shards. */
const cacheKiB = 1024;

const magic = 'SQLite format 3\0';
const headerBytes = 100;

/**
 * Opens an existing SQLite file for reading only. Nothing is created beside it.
 * @throws ShelfmarkError SHELFMARK_NOT_FOUND when there is no such file, SHELFMARK_CORRUPT when it is not SQLite.
 */
export function openReadOnly(file: string): Database {
  readHeader(file);
  return open(file);
}

/**
 * {@link openReadOnly} for a file that nobody writes to any more.
 * @throws CorruptError when it is shorter or longer than its header says: SQLite reads zeros for what is missing of the
 * last page.
 */
export function openSealed(file: string): Database {
  const { bytes, size } = readHeader(file);
  if (size !== bytes) throw new CorruptError(file, 'its length', `it has ${size} bytes, expected ${bytes}`);
  return open(file);
}

function open(file: string): Database {
  const database = new SqliteDatabase(file, { readonly: true, fileMustExist: true });
  try {
    database.exec(`PRAGMA cache_size=-${cacheKiB}; PRAGMA cell_size_check=ON; PRAGMA trusted_schema=OFF`);
  } catch (error) {
    database.close();
    throw explainReadError(file, error);
  }
  return database;
}

/**
 * Creates a new SQLite file that only this process writes and that is thrown away when anything fails: no journal,
 * no syncs. The caller syncs and verifies the file before it is published (see DESIGN: sealing).
 */
export function createScratchDatabase(file: string): Database {
  const database = new SqliteDatabase(file);
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
export function openDurable(file: string, timeoutMs = 10_000): Database {
  const database = new SqliteDatabase(file, { timeout: timeoutMs });
  database.pragma('journal_mode=DELETE');
  database.pragma('synchronous=FULL');
  database.pragma('foreign_keys=ON');
  return database;
}

/** What the header says the file has, and what it has. Layout: https://sqlite.org/fileformat.html, 1.3. */
function readHeader(file: string): { readonly bytes: number; readonly size: number } {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) {
    const message = `${file} does not exist. Check the path, or restore the file from a copy.`;
    throw new ShelfmarkError('SHELFMARK_NOT_FOUND', message, { file });
  }
  const header = stat.isFile() ? readStart(file, headerBytes) : Buffer.alloc(headerBytes);
  if (header.toString('latin1', 0, magic.length) !== magic) {
    throw new CorruptError(file, 'its header', 'it is not a SQLite file');
  }
  const pageSize = header.readUInt16BE(16);
  return { bytes: (pageSize === 1 ? 65_536 : pageSize) * header.readUInt32BE(28), size: stat.size };
}

function readStart(file: string, length: number): Buffer {
  const descriptor = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(length);
    readSync(descriptor, bytes, 0, length, 0);
    return bytes;
  } finally {
    closeSync(descriptor);
  }
}
