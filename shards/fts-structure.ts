import { ShelfmarkError } from './errors.ts';
import type { Database } from './sqlite.ts';

/** Rowid of the structure record in FTS5's `%_data` table (fts5_index.c, FTS5_STRUCTURE_ROWID). */
const structureRowid = 10;

/**
 * Segments of the shard's FTS5 index, read from its structure record. Grammar (fts5_index.c, "Structure Record"):
 * a 4-byte configuration cookie, optionally the 4 bytes FF 00 00 01 of the second version, then SQLite varints: number
 * of levels, number of segments, …
 */
export function segmentCount(database: Database): number {
  const record = database.prepare('SELECT block FROM fts_data WHERE id = ?').pluck().get(structureRowid);
  if (!Buffer.isBuffer(record))
    throw new ShelfmarkError('SHELFMARK_CORRUPT', 'The FTS5 index has no structure record.');
  // The record of an index without terms is only seven bytes long.
  const version2 = record.length >= 8 && record.readUInt32BE(4) === 0xff000001;
  const counts = readSqliteVarints(record, version2 ? 8 : 4, 2);
  return counts[1] ?? 0;
}

/** SQLite varints are big-endian groups of seven bits; counts here need no more than five bytes. */
function readSqliteVarints(bytes: Buffer, start: number, count: number): number[] {
  const values: number[] = [];
  let position = start;
  while (values.length < count) {
    let value = 0;
    let byte: number;
    do {
      byte = bytes.readUInt8(position++);
      value = value * 128 + (byte & 127);
    } while (byte > 127 && position < start + 5 * count);
    values.push(value);
  }
  return values;
}
