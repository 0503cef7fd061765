import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openDurable } from '../../shards/index.ts';
import { CATALOG_FORMAT, Catalog, type EntryRow, type NewExtent } from '../../src/catalog.ts';
import { temporaryFolder } from './sources/support.ts';

const noRecords = { indexed: 0, unchanged: 0, empty: 0, duplicate: 0, skipped: 0, repaired: 0 };

/** A catalog with one build, one shard of three documents, and one source. */
async function makeCatalog(): Promise<{ root: string; catalog: Catalog; shard: number; source: number }> {
  const root = await temporaryFolder();
  const catalog = Catalog.openWritable(root);
  onTestFinished(() => catalog.close());
  const build = catalog.addBuild('a command', 2);
  const shard = catalog.copyShard(
    {
      id: 0,
      name: 's0123456789',
      file: 's0123456789.shard',
      sha256: '00',
      bytes: 1,
      documents: 3,
      chunks: 3,
      raw_bytes: 1,
      text_bytes: 1,
      terms: 1,
      analyzer: 'en-1',
      build_id: build,
    },
    build,
  );
  const source = catalog.addSource({ path: '/a', command: '{}', size: 1, mtime: '1', build_id: build });
  return { root, catalog, shard, source };
}

function entryOf(key: bigint, document: number, shard: number, source: number): EntryRow {
  return { key, fingerprint: -(2n ** 63n), shard_id: shard, document, source_id: source };
}

function extentOf(source: number, byteStart: number, byteEnd: number, changes: Partial<NewExtent> = {}): NewExtent {
  const place = { source_id: source, byte_start: byteStart, byte_end: byteEnd, record_bytes: byteEnd - byteStart };
  return { ...place, ...noRecords, rejects: [], ...changes };
}

describe('the catalog', () => {
  test('keeps 64-bit keys and fingerprints exactly', async () => {
    const { catalog, shard, source } = await makeCatalog();
    const keys = [-(2n ** 63n), -1n, 0n, 2n ** 53n + 1n, 2n ** 63n - 1n];
    for (const key of keys) catalog.putEntry(entryOf(key, 1, shard, source));
    for (const key of keys) expect(catalog.entry(key)).toEqual(entryOf(key, 1, shard, source));
    expect([...catalog.entries()].map(({ key }) => key)).toEqual(keys);
    expect(catalog.entry(5n)).toBeUndefined();
  });

  test('undoes a transaction that fails', async () => {
    const { catalog, shard, source } = await makeCatalog();
    const fail = (): void => {
      catalog.putEntry(entryOf(1n, 1, shard, source));
      catalog.addTombstone(shard, 1);
      throw new Error('no');
    };
    expect(() => catalog.transaction(fail)).toThrow('no');
    expect(catalog.entry(1n)).toBeUndefined();
    expect(catalog.tombstones()).toEqual(new Map());
  });

  test('counts every document of a shard as listed or replaced, else its check fails', async () => {
    const { catalog, shard, source } = await makeCatalog();
    catalog.putEntry(entryOf(1n, 1, shard, source));
    catalog.putEntry(entryOf(2n, 2, shard, source));
    expect(catalog.check().ok).toBe(false);
    catalog.addTombstone(shard, 3);
    catalog.addTombstone(shard, 3);
    expect(catalog.check()).toEqual({ ok: true, detail: '3 documents in shards, 2 listed, 1 replaced' });
    const other = catalog.addSource({ path: '/a', command: '{}', size: 2, mtime: '2', build_id: 1 });
    catalog.putEntry(entryOf(2n, 2, shard, other));
    expect(catalog.retireDocuments([source])).toBe(1);
    expect([...catalog.entries()].map(({ key }) => key)).toEqual([2n]);
    expect(catalog.tombstones()).toEqual(new Map([[shard, [1, 3]]]));
    expect(catalog.check().ok).toBe(true);
  });

  test('forgets a state of a source with its extents and rejects', async () => {
    const { catalog, source } = await makeCatalog();
    const reject = { byte_start: 0, byte_end: 5, uri: null, kind: 'skipped', reason: 'no' } as const;
    catalog.addExtent(extentOf(source, 0, 10, { indexed: 2, skipped: 1, rejects: [reject] }));
    const damage = { ...reject, byte_start: 15, byte_end: null, reason: 'it broke off' };
    expect(catalog.hasDamage(source)).toBe(false);
    catalog.addExtent(extentOf(source, 10, 15, { unchanged: 1, skipped: 1, rejects: [damage] }));
    expect(catalog.hasDamage(source)).toBe(true);
    expect(catalog.countersOf(source)).toEqual({ ...noRecords, indexed: 2, unchanged: 1, skipped: 2 });
    expect([...catalog.rejects(source)].map(({ reason }) => reason)).toEqual(['no', 'it broke off']);
    catalog.deleteSource(source);
    expect(catalog.extents(source)).toEqual([]);
    expect([...catalog.rejects(source)]).toEqual([]);
    expect(catalog.countersOf(source)).toEqual(noRecords);
  });

  test('ends interrupted builds with the one that leaves them nothing to read', async () => {
    const { catalog, source } = await makeCatalog();
    const second = catalog.addBuild('another command', 2);
    catalog.finishBuild(second);
    expect(catalog.unfinishedBuilds()).toBe(1);
    expect(catalog.runningBuild('a command')).toEqual({ id: 1, lanes: 2 });
    catalog.completeSource(source);
    catalog.finishBuild(second);
    expect(catalog.unfinishedBuilds()).toBe(0);
    expect(catalog.runningBuild('a command')).toBeUndefined();
  });

  test('of a later format, or without its table, is refused', async () => {
    const { root, catalog } = await makeCatalog();
    const database = openDurable(catalog.file);
    database.exec(`UPDATE meta SET value = '${CATALOG_FORMAT + 1}' WHERE key = 'format'`);
    const open = (): Catalog => Catalog.openReadOnly(root);
    expect(open).toThrow(expect.objectContaining({ code: 'SHELFMARK_TOO_NEW' }));
    database.exec('DROP TABLE meta');
    database.close();
    expect(open).toThrow(expect.objectContaining({ code: 'SHELFMARK_CORRUPT' }));
    const nowhere = (): Catalog => Catalog.openReadOnly(join(root, 'nowhere'));
    expect(nowhere).toThrow(expect.objectContaining({ code: 'SHELFMARK_NOT_FOUND' }));
  });
});
