import { existsSync, mkdirSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type ChunkId,
  type DocumentId,
  NO_FILTER,
  openReadOnly,
  type SealedShard,
  type ShardFilter,
  ShardReader,
} from '../../shards/index.ts';
import {
  buildShard,
  copyOf,
  documentOf,
  documentsOf,
  editShard,
  errorOf,
  filterBy,
  newPath,
  reopen,
} from './support.ts';

let sealed: SealedShard;

beforeAll(async () => {
  sealed = await buildShard([
    documentOf(['one ', 'two ', 'three'], { uri: 'a', kind: 'note' }),
    documentOf('four', { uri: 'b', collection: 'other', source: { path: '/archive/b.md', compression: 'none' } }),
  ]);
});

/** A copy of the shard with one entry of meta replaced. */
function withMeta(key: string, value: string): string {
  const file = copyOf(sealed.file);
  editShard(file, (database) => database.prepare('UPDATE meta SET value = ? WHERE key = ?').run(value, key));
  return file;
}

describe('opening a shard', () => {
  it('of a newer format is refused with the advice to update', () => {
    const file = withMeta('format', '4');
    const error = errorOf(() => new ShardReader(file));
    expect(error).toMatchObject({ code: 'SHELFMARK_TOO_NEW', facts: { file, format: 4 } });
    expect(error.message).toContain(file);
    expect(error.message).toContain('Update shelfmark');
  });

  it('of an older format than can be read is refused with the advice to rebuild', () => {
    const file = withMeta('format', '1');
    const error = errorOf(() => new ShardReader(file));
    expect(error).toMatchObject({ code: 'SHELFMARK_TOO_OLD', facts: { file, format: 1 } });
    expect(error.message).toContain('Rebuild');
  });

  it('made by an unknown analyzer is refused with its name', () => {
    const file = withMeta('analyzers', '{"en-1":1,"de-7":1}');
    const error = errorOf(() => new ShardReader(file));
    expect(error).toMatchObject({ code: 'SHELFMARK_UNKNOWN_ANALYZER', facts: { file, analyzer: 'de-7' } });
    expect(error.message).toMatch(/"de-7".*Update shelfmark or rebuild/);
  });

  it.each([
    ['chunks', '-1'],
    ['chunks', '1.5'],
    ['documents', '"2"'],
    ['blocks', 'null'],
    ['format', '[]'],
    ['id', '7'],
    ['analyzers', '"en-1"'],
    ['analyzers', 'null'],
    ['analyzers', '{"en-1":0}'],
    ['textBytes', '{"broken'],
    ['lists', 'true'],
    ['columnUnits', '[4,3]'],
    ['columnUnits', '[4,0,2]'],
    ['columnUnits', '[4,3,2.5]'],
    ['columnUnits', '"432"'],
  ])('with meta %s = %s is refused as damaged', (key, value) => {
    const file = withMeta(key, value);
    const error = errorOf(() => new ShardReader(file));
    expect(error).toMatchObject({ code: 'SHELFMARK_CORRUPT', facts: { file, part: 'meta' } });
    expect(error.message).toMatch(/shelfmark verify.*restore the file from a copy.*--rebuild-lost/);
  });

  it('without its meta table is refused as damaged', () => {
    const file = copyOf(sealed.file);
    editShard(file, (database) => database.exec('DROP TABLE meta'));
    expect(errorOf(() => new ShardReader(file))).toMatchObject({ code: 'SHELFMARK_CORRUPT', facts: { part: 'meta' } });
  });

  it.each([
    ['an empty file', ''],
    ['text', 'This is not a shard, but it is long enough to have been one.'.repeat(100)],
    ['a SQLite header with garbage behind it', `SQLite format 3\0${'garbage '.repeat(1000)}`],
    ['a SQLite header alone', 'SQLite format 3\0'],
  ])('that is %s is refused as damaged', (_what, content) => {
    const file = newPath();
    writeFileSync(file, content);
    const error = errorOf(() => new ShardReader(file));
    expect(error.code).toBe('SHELFMARK_CORRUPT');
    expect(error.message).toContain(file);
    expect(error.message).toContain('restore the file from a copy');
  });

  it('that is missing is refused, and does not create it', () => {
    const file = newPath();
    const error = errorOf(() => new ShardReader(file));
    expect(error).toMatchObject({ code: 'SHELFMARK_NOT_FOUND', facts: { file } });
    expect(error.message).toContain(file);
    expect(existsSync(file)).toBe(false);
  });

  it('that is a folder is refused', () => {
    const file = newPath();
    mkdirSync(file);
    expect(errorOf(() => new ShardReader(file))).toMatchObject({ code: 'SHELFMARK_CORRUPT' });
  });

  it('that was cut off anywhere is refused as damaged', () => {
    for (const part of [0.99, 0.5, 0.1]) {
      const file = copyOf(sealed.file);
      truncateSync(file, Math.floor(sealed.bytes * part));
      expect(errorOf(() => new ShardReader(file))).toMatchObject({ code: 'SHELFMARK_CORRUPT', facts: { file } });
    }
  });

  it('leaves no file behind beside it, whether it succeeds or fails', () => {
    const file = withMeta('format', '4');
    errorOf(() => new ShardReader(file));
    expect(readdirSync(dirname(file))).toHaveLength(1);
    const good = copyOf(sealed.file);
    reopen(good, (reader) => {
      [...reader.chunks()].length;
      expect(readdirSync(dirname(good))).toHaveLength(1);
    });
  });

  it('gives a connection that cannot write', () => {
    const database = openReadOnly(sealed.file);
    expect(() => database.exec('DELETE FROM document')).toThrow(/readonly/);
    database.close();
  });
});

describe('a reader', () => {
  it('finds the document of every chunk, and the document by its id', () => {
    reopen(sealed.file, (reader) => {
      const uris = [1, 2, 3, 4].map((chunk) => reader.documentOfChunk(chunk as ChunkId).uri);
      expect(uris).toEqual(['a', 'a', 'a', 'b']);
      expect(reader.document(4 as DocumentId)?.uri).toBe('b');
      expect(reader.document(2 as DocumentId)).toBeUndefined();
    });
  });

  it('says "damaged" for a chunk that no document and no block holds', () => {
    reopen(sealed.file, (reader) => {
      for (const id of [0, 5, 1000]) {
        expect(errorOf(() => reader.documentOfChunk(id as ChunkId))).toMatchObject({ code: 'SHELFMARK_CORRUPT' });
        expect(errorOf(() => reader.chunk(id as ChunkId))).toMatchObject({ code: 'SHELFMARK_CORRUPT' });
      }
    });
  });

  it('allows every chunk without a filter, else those of the kinds, collections and documents left', () => {
    reopen(sealed.file, (reader) => {
      expect(reader.allowedChunks(NO_FILTER)).toBeNull();
      const allowed = (filter: ShardFilter): unknown => reader.allowedChunks(filter)?.bitmap;
      expect(allowed(filterBy({ kind: ['note', 'mail'] }))).toEqual(Uint8Array.of(0, 1, 1, 1, 0));
      expect(allowed(filterBy({ collection: ['other'] }))).toEqual(Uint8Array.of(0, 0, 0, 0, 1));
      expect(allowed(filterBy({ kind: ['note'], collection: ['other'] }))).toEqual(new Uint8Array(5));
      expect(allowed(NO_FILTER)).toBeUndefined();
    });
    reopen(
      sealed.file,
      (reader) => expect(reader.allowedChunks(NO_FILTER)?.bitmap).toEqual(Uint8Array.of(0, 0, 0, 0, 1)),
      {
        dead: [1],
      },
    );
  });

  it('counts the allowed chunks of each block of 4,096', async () => {
    const texts = Array.from({ length: 4_100 }, () => 'x ');
    const { file } = await buildShard([documentOf(texts, { uri: 'long' }), documentOf('y', { kind: 'note' })]);
    reopen(file, (reader) => {
      const counts = (kind: string): number[] => [
        ...(reader.allowedChunks(filterBy({ kind: [kind] }))?.blockCounts ?? []),
      ];
      // Ids begin with 1, so the first block has a chunk less.
      expect(counts('document')).toEqual([4_095, 5]);
      expect(counts('note')).toEqual([0, 1]);
    });
  });

  it('is of no use once closed', async () => {
    const { file } = await buildShard(documentsOf('text'));
    const reader = new ShardReader(file);
    reader.close();
    expect(() => reader.chunk(1 as ChunkId)).toThrow(/not open/);
  });
});
