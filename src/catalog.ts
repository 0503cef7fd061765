import { existsSync, statSync } from 'node:fs';
import {
  CorruptError,
  type Database,
  encodeError,
  explainReadError,
  openDurable,
  openReadOnly,
  type SealedShard,
  ShelfmarkError,
  type Statement,
} from '../shards/index.ts';
import { layoutOf, shardFileName } from './layout.ts';

/** Format of catalog.db (history: 1 = first). */
export const CATALOG_FORMAT = 1;

/** DDL of catalog.db; FORMAT.md explains each table and a test keeps both in step. */
export const CATALOG_SCHEMA = `
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE build(
  id INTEGER PRIMARY KEY,
  command TEXT NOT NULL,
  lanes INTEGER NOT NULL,
  state TEXT NOT NULL CHECK(state IN ('running', 'done'))
);
CREATE TABLE shard(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  file TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  documents INTEGER NOT NULL,
  chunks INTEGER NOT NULL,
  raw_bytes INTEGER NOT NULL,
  text_bytes INTEGER NOT NULL,
  terms INTEGER NOT NULL,
  analyzer TEXT NOT NULL,
  build_id INTEGER NOT NULL REFERENCES build(id)
);
CREATE TABLE source(
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL,
  command TEXT NOT NULL,
  size INTEGER NOT NULL,
  mtime TEXT NOT NULL,
  build_id INTEGER NOT NULL REFERENCES build(id),
  complete INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX source_path ON source(path);
CREATE TABLE extent(
  id INTEGER PRIMARY KEY,
  source_id INTEGER NOT NULL REFERENCES source(id) ON DELETE CASCADE,
  byte_start INTEGER NOT NULL,
  byte_end INTEGER NOT NULL,
  record_bytes INTEGER NOT NULL,
  indexed INTEGER NOT NULL,
  unchanged INTEGER NOT NULL,
  empty INTEGER NOT NULL,
  duplicate INTEGER NOT NULL,
  skipped INTEGER NOT NULL,
  repaired INTEGER NOT NULL
);
CREATE INDEX extent_source ON extent(source_id, byte_start);
CREATE TABLE reject(
  extent_id INTEGER NOT NULL REFERENCES extent(id) ON DELETE CASCADE,
  byte_start INTEGER NOT NULL,
  byte_end INTEGER,
  uri TEXT,
  kind TEXT NOT NULL CHECK(kind IN ('skipped', 'duplicate')),
  reason TEXT NOT NULL
);
CREATE INDEX reject_extent ON reject(extent_id);
CREATE TABLE entry(
  key INTEGER PRIMARY KEY,
  fingerprint INTEGER NOT NULL,
  shard_id INTEGER NOT NULL REFERENCES shard(id),
  document INTEGER NOT NULL,
  source_id INTEGER NOT NULL
);
CREATE TABLE tombstone(
  shard_id INTEGER NOT NULL REFERENCES shard(id),
  document INTEGER NOT NULL,
  PRIMARY KEY(shard_id, document)
) WITHOUT ROWID;
`;

/** A sealed shard as the catalog lists it. */
export interface ShardRow {
  readonly id: number;
  readonly name: string;
  readonly file: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly documents: number;
  readonly chunks: number;
  readonly raw_bytes: number;
  readonly text_bytes: number;
  readonly terms: number;
  readonly analyzer: string;
  readonly build_id: number;
}

/** One state of a source file, as some build found it. */
export interface SourceRow {
  readonly id: number;
  readonly path: string;
  readonly command: string;
  readonly size: number;
  readonly mtime: string;
  readonly build_id: number;
  readonly complete: number;
}

/** What became of records. The first five add up to the records seen. */
export interface Counters {
  readonly indexed: number;
  readonly unchanged: number;
  readonly empty: number;
  readonly duplicate: number;
  readonly skipped: number;
  /** documents among the above in which invalid UTF-8 was replaced */
  readonly repaired: number;
}

/** A stretch of a source whose records are accounted for. */
export interface ExtentRow extends Counters {
  readonly id: number;
  readonly source_id: number;
  readonly byte_start: number;
  readonly byte_end: number;
  /** bytes of the records alone: what batches and shards are measured by */
  readonly record_bytes: number;
}

/** A record that is not in the corpus, and why. */
export interface RejectRow {
  readonly byte_start: number;
  readonly byte_end: number | null;
  readonly uri: string | null;
  readonly kind: 'skipped' | 'duplicate';
  readonly reason: string;
}

/** Where a document stands. Keys and fingerprints are 64-bit hashes, see BuildLane. */
export interface EntryRow {
  readonly key: bigint;
  readonly fingerprint: bigint;
  readonly shard_id: number;
  readonly document: number;
  readonly source_id: number;
}

/** An extent on its way into the catalog. */
export type NewExtent = Omit<ExtentRow, 'id'> & { readonly rejects: readonly RejectRow[] };

/** catalog.db of one corpus. All changes that belong together are one transaction. */
export class Catalog {
  readonly file: string;
  readonly #db: Database;
  readonly #statements = new Map<string, Statement>();

  private constructor(file: string, database: Database) {
    this.file = file;
    this.#db = database;
  }

  /** Whether a folder has a catalog; a build killed at its very beginning leaves an empty file, which is none. */
  static exists(root: string): boolean {
    return (statSync(layoutOf(root).catalog, { throwIfNoEntry: false })?.size ?? 0) > 0;
  }

  /** Opens the catalog of an existing corpus for reading. @throws ShelfmarkError SHELFMARK_NOT_FOUND, _TOO_NEW, _CORRUPT. */
  static openReadOnly(root: string): Catalog {
    const { catalog } = layoutOf(root);
    if (!Catalog.exists(root)) {
      throw new ShelfmarkError(
        'SHELFMARK_NOT_FOUND',
        `${root} is not a corpus: it has no catalog.db. Build one with "shelfmark build <source> -c ${root}".`,
        { corpus: root },
      );
    }
    rollBackInterrupted(catalog);
    return Catalog.#checked(catalog, openReadOnly(catalog));
  }

  /** Opens the catalog for changes, creating it in an existing folder if need be. */
  static openWritable(root: string): Catalog {
    const { catalog } = layoutOf(root);
    const database = openDurable(catalog);
    try {
      database
        .transaction(() => {
          if (hasMeta(database)) return;
          database.exec(CATALOG_SCHEMA);
          database.prepare('INSERT INTO meta VALUES(?, ?)').run('format', String(CATALOG_FORMAT));
        })
        .immediate();
    } catch (error) {
      database.close();
      throw explainReadError(catalog, error);
    }
    return Catalog.#checked(catalog, database);
  }

  static #checked(file: string, database: Database): Catalog {
    try {
      if (!hasMeta(database)) throw new CorruptError(file, 'meta', 'the table is missing');
      const format = Number(database.prepare("SELECT value FROM meta WHERE key = 'format'").pluck().get());
      if (format === CATALOG_FORMAT) return new Catalog(file, database);
      const code = format > CATALOG_FORMAT ? 'SHELFMARK_TOO_NEW' : 'SHELFMARK_CORRUPT';
      throw new ShelfmarkError(code, `${file} has catalog format ${format}; this version reads ${CATALOG_FORMAT}.`, {
        file,
      });
    } catch (error) {
      database.close();
      throw explainReadError(file, error);
    }
  }

  close(): void {
    this.#db.close();
  }

  /** Checks the file as SQLite sees it, and that every document of every shard is either listed or replaced. */
  check(): { readonly ok: boolean; readonly detail: string } {
    try {
      const lines = this.#db.prepare('PRAGMA quick_check(5)').pluck().all().map(String);
      if (lines.join() !== 'ok') return { ok: false, detail: lines.join('; ') };
      const count = (sql: string): number => this.#db.prepare(sql).pluck().get() as number;
      const documents = count('SELECT coalesce(sum(documents), 0) FROM shard');
      const listed = count('SELECT count(*) FROM entry');
      const replaced = count('SELECT count(*) FROM tombstone');
      const detail = `${documents} documents in shards, ${listed} listed, ${replaced} replaced`;
      return { ok: documents === listed + replaced, detail };
    } catch (error) {
      return { ok: false, detail: error instanceof Error ? error.message : String(error) };
    }
  }

  /** Runs changes as one durable transaction. */
  transaction<Result>(run: () => Result): Result {
    return this.#db.transaction(run).immediate();
  }

  // ── Shards ──

  /** All shards in the order they were entered. */
  shards(): ShardRow[] {
    return this.#prepare('SELECT * FROM shard ORDER BY id').all() as ShardRow[];
  }

  shardByName(name: string): ShardRow | undefined {
    return this.#prepare('SELECT * FROM shard WHERE name = ?').get(name) as ShardRow | undefined;
  }

  /** Ids of replaced documents by shard id. */
  tombstones(): Map<number, number[]> {
    const dead = new Map<number, number[]>();
    const rows = this.#prepare('SELECT shard_id, document FROM tombstone ORDER BY 1, 2').raw().iterate();
    for (const [shard, document] of rows as IterableIterator<[number, number]>) {
      const list = dead.get(shard);
      if (list === undefined) dead.set(shard, [document]);
      else list.push(document);
    }
    return dead;
  }

  /** Enters a sealed shard; returns its row id. */
  addShard(shard: Pick<SealedShard, 'id' | 'bytes' | 'sha256' | 'meta'>, buildId: number): number {
    const { meta } = shard;
    return Number(
      this.#prepare(
        `INSERT INTO shard(name, file, sha256, bytes, documents, chunks, raw_bytes, text_bytes, terms, analyzer, build_id)
         VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ).run(
        shard.id,
        shardFileName(shard.id),
        shard.sha256,
        shard.bytes,
        meta.documents,
        meta.chunks,
        meta.rawBytes,
        meta.textBytes,
        meta.terms,
        Object.keys(meta.analyzers).join(' '),
        buildId,
      ).lastInsertRowid,
    );
  }

  /** Enters a shard as another catalog lists it; returns its row id here. */
  copyShard(shard: ShardRow, buildId: number): number {
    const { id: _, ...columns } = { ...shard, build_id: buildId };
    const names = Object.keys(columns);
    const insert = this.#prepare(`INSERT INTO shard(${names.join()}) VALUES(${names.map(() => '?').join()})`);
    return Number(insert.run(...Object.values(columns)).lastInsertRowid);
  }

  /**
   * Forgets a shard and the states of the sources that its documents come from, so that the next build reads those again:
   * what stands in other shards is unchanged then, what stood in this one is indexed anew.
   */
  forgetShard(id: number): void {
    const sources = this.#prepare('SELECT DISTINCT source_id FROM entry WHERE shard_id = ?')
      .pluck()
      .all(id) as number[];
    for (const table of ['entry', 'tombstone']) this.#prepare(`DELETE FROM ${table} WHERE shard_id = ?`).run(id);
    this.#prepare('DELETE FROM shard WHERE id = ?').run(id);
    for (const source of sources) this.deleteSource(source);
  }

  // ── Builds ──

  /** The unfinished build of exactly this command, or undefined. */
  runningBuild(command: string): { readonly id: number; readonly lanes: number } | undefined {
    return this.#prepare("SELECT id, lanes FROM build WHERE command = ? AND state = 'running'").get(command) as
      | { id: number; lanes: number }
      | undefined;
  }

  addBuild(command: string, lanes: number): number {
    const insert = this.#prepare("INSERT INTO build(command, lanes, state) VALUES(?, ?, 'running')");
    return Number(insert.run(command, lanes).lastInsertRowid);
  }

  /** Ends a build, and with it interrupted ones whose sources have all been read by others since. */
  finishBuild(id: number): void {
    this.#prepare(
      `UPDATE build SET state = 'done' WHERE id = ? OR state = 'running' AND NOT EXISTS
         (SELECT 1 FROM source WHERE build_id = build.id AND complete = 0)`,
    ).run(id);
  }

  /** Builds that never came to their end. */
  unfinishedBuilds(): number {
    return this.#prepare("SELECT count(*) FROM build WHERE state = 'running'").pluck().get() as number;
  }

  // ── Sources ──

  /** The states of a source, newest first. */
  sourceVersions(path: string): SourceRow[] {
    return this.#prepare('SELECT * FROM source WHERE path = ? ORDER BY id DESC').all(path) as SourceRow[];
  }

  sourcePath(id: number): string | undefined {
    return this.#prepare('SELECT path FROM source WHERE id = ?').pluck().get(id) as string | undefined;
  }

  sourceCount(): number {
    return this.#prepare('SELECT count(DISTINCT path) FROM source').pluck().get() as number;
  }

  /** All states of all sources. */
  sources(): SourceRow[] {
    return this.#prepare('SELECT * FROM source ORDER BY id').all() as SourceRow[];
  }

  /** Enters a state of a source as another catalog has it; returns its row id here. */
  copySource(source: SourceRow, buildId: number): number {
    const id = this.addSource({ ...source, build_id: buildId });
    if (source.complete === 1) this.completeSource(id);
    return id;
  }

  addSource(source: Omit<SourceRow, 'id' | 'complete'>): number {
    const insert = this.#prepare('INSERT INTO source(path, command, size, mtime, build_id) VALUES(?, ?, ?, ?, ?)');
    const { path, command, size, mtime, build_id } = source;
    return Number(insert.run(path, command, size, mtime, build_id).lastInsertRowid);
  }

  completeSource(id: number): void {
    this.#prepare('UPDATE source SET complete = 1 WHERE id = ?').run(id);
  }

  /** Forgets a state of a source, with its extents and rejects. */
  deleteSource(id: number): void {
    this.#prepare('DELETE FROM source WHERE id = ?').run(id);
  }

  // ── Extents ──

  extents(sourceId: number): ExtentRow[] {
    return this.#prepare('SELECT * FROM extent WHERE source_id = ? ORDER BY byte_start').all(sourceId) as ExtentRow[];
  }

  addExtent(extent: NewExtent): void {
    const id = this.#prepare(
      `INSERT INTO extent(source_id, byte_start, byte_end, record_bytes, indexed, unchanged, empty, duplicate, skipped, repaired)
       VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(
      extent.source_id,
      extent.byte_start,
      extent.byte_end,
      extent.record_bytes,
      extent.indexed,
      extent.unchanged,
      extent.empty,
      extent.duplicate,
      extent.skipped,
      extent.repaired,
    ).lastInsertRowid;
    const insert = this.#prepare('INSERT INTO reject VALUES(?, ?, ?, ?, ?, ?)');
    for (const { byte_start, byte_end, uri, kind, reason } of extent.rejects) {
      insert.run(id, byte_start, byte_end, uri, kind, reason);
    }
  }

  /** Counters over all extents of a source state. */
  countersOf(sourceId: number): Counters {
    return this.#prepare(
      `SELECT coalesce(sum(indexed), 0) AS indexed, coalesce(sum(unchanged), 0) AS unchanged,
         coalesce(sum(empty), 0) AS empty, coalesce(sum(duplicate), 0) AS duplicate,
         coalesce(sum(skipped), 0) AS skipped, coalesce(sum(repaired), 0) AS repaired
       FROM extent WHERE source_id = ?`,
    ).get(sourceId) as Counters;
  }

  /** Rejected records of a source state in byte order. */
  rejects(sourceId: number): IterableIterator<RejectRow> {
    return this.#db
      .prepare(
        `SELECT reject.* FROM extent JOIN reject ON extent_id = extent.id WHERE source_id = ? ORDER BY reject.byte_start`,
      )
      .iterate(sourceId) as IterableIterator<RejectRow>;
  }

  /** Whether a source state has a reject that says it could not be read to its end. */
  hasDamage(sourceId: number): boolean {
    const count = this.#prepare(
      `SELECT count(*) FROM extent JOIN reject ON extent_id = extent.id
       WHERE source_id = ? AND (reject.byte_end IS NULL OR reason LIKE 'incomplete%')`,
    );
    return count.pluck().get(sourceId) !== 0;
  }

  rejectsOfExtent(extentId: number): RejectRow[] {
    return this.#prepare('SELECT byte_start, byte_end, uri, kind, reason FROM reject WHERE extent_id = ?').all(
      extentId,
    ) as RejectRow[];
  }

  /** Counts a document that was indexed as a duplicate from now on, and lists it among the rejects. */
  turnIntoDuplicate(
    sourceId: number,
    place: { readonly byteStart: number; readonly byteEnd: number },
    uri: string,
  ): void {
    const extent = this.#prepare(
      'SELECT id FROM extent WHERE source_id = ? AND byte_start <= ? ORDER BY byte_start DESC LIMIT 1',
    )
      .pluck()
      .get(sourceId, place.byteStart);
    if (extent === undefined) return;
    this.#prepare(
      `UPDATE extent SET duplicate = duplicate + 1, indexed = indexed - (indexed > 0), unchanged = unchanged - (indexed = 0)
       WHERE id = ?`,
    ).run(extent);
    const reason = 'a document with this uri and collection came with another part';
    this.#prepare('INSERT INTO reject VALUES(?, ?, ?, ?, ?, ?)').run(
      extent,
      place.byteStart,
      place.byteEnd,
      uri,
      'duplicate',
      reason,
    );
  }

  // ── Entries ──

  entry(key: bigint): EntryRow | undefined {
    const row = this.#prepare('SELECT * FROM entry WHERE key = ?').safeIntegers().get(key);
    return row === undefined ? undefined : toEntry(row as Record<keyof EntryRow, bigint>);
  }

  putEntry(entry: EntryRow): void {
    this.#prepare('INSERT OR REPLACE INTO entry VALUES(?, ?, ?, ?, ?)').run(
      entry.key,
      entry.fingerprint,
      entry.shard_id,
      entry.document,
      entry.source_id,
    );
  }

  /** Retires the documents that were last met in one of these source states; returns how many. */
  retireDocuments(sourceIds: readonly number[]): number {
    const ids = JSON.stringify(sourceIds);
    const which = 'source_id IN (SELECT value FROM json_each(?))';
    this.#prepare(`INSERT OR IGNORE INTO tombstone SELECT shard_id, document FROM entry WHERE ${which}`).run(ids);
    return this.#prepare(`DELETE FROM entry WHERE ${which}`).run(ids).changes;
  }

  /** All documents that count, in key order. */
  *entries(): Generator<EntryRow> {
    const rows = this.#db.prepare('SELECT * FROM entry').safeIntegers().iterate();
    for (const row of rows) yield toEntry(row as Record<keyof EntryRow, bigint>);
  }

  /** Marks a document as replaced: it is no hit any more. */
  addTombstone(shardId: number, document: number): void {
    this.#prepare('INSERT OR IGNORE INTO tombstone VALUES(?, ?)').run(shardId, document);
  }

  /** Lets a document be a hit again. */
  removeTombstone(shardId: number, document: number): void {
    this.#prepare('DELETE FROM tombstone WHERE shard_id = ? AND document = ?').run(shardId, document);
  }

  #prepare(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/**
 * A killed writer may leave a journal that has to be rolled back, which a read-only connection cannot do. Whoever may not
 * write here cannot either; reading then says so.
 */
function rollBackInterrupted(file: string): void {
  if (!existsSync(`${file}-journal`)) return;
  try {
    const database = openDurable(file);
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    database.close();
  } catch (error) {
    if (encodeError(error).code === 'SHELFMARK_BUSY') throw error;
  }
}

function hasMeta(database: Database): boolean {
  return database.prepare("SELECT count(*) FROM sqlite_schema WHERE name = 'meta'").pluck().get() === 1;
}

/** Hashes need all 64 bits, the rest are ordinary numbers. */
function toEntry(row: Readonly<Record<keyof EntryRow, bigint>>): EntryRow {
  return {
    key: row.key,
    fingerprint: row.fingerprint,
    shard_id: Number(row.shard_id),
    document: Number(row.document),
    source_id: Number(row.source_id),
  };
}
