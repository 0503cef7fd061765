import { copyFileSync, existsSync, openSync, readdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { ANALYZER_ID, createAnalyzer, hashFile, ShardWriter, verifyShardFile } from '../../shards/index.ts';
import {
  analyzer,
  buildShard,
  chunking,
  documentOf,
  documentsOf,
  errorOf,
  newPath,
  rejectionOf,
  type TestDocument,
  tempFolder,
} from './support.ts';

const library = documentsOf(
  'Shelves hold books.',
  'Böcker står på hyllor.',
  '東京の図書館には本がある。',
  '',
  '??? !!!',
  'PIO-1384 and getElementById',
);

/** Documents with so many different words that a small hash overflows many times. */
function manyWords(count: number): TestDocument[] {
  return documentsOf(
    ...Array.from({ length: count }, (_, index) =>
      Array.from({ length: 100 }, (_, word) => `w${(index * 7919 + word * 104_729) % 5_000}`).join(' '),
    ),
  );
}

function inspect(file: string, sql: string): unknown {
  const database = new BetterSqlite(file, { readonly: true });
  try {
    return database.prepare(sql).pluck().get();
  } finally {
    database.close();
  }
}

/** Segments that own an entry in the index of leaf pages; a shard without terms has none. */
function segments(file: string): unknown {
  return inspect(file, 'SELECT count(DISTINCT segid) FROM fts_idx');
}

describe('sealing', () => {
  it('gives the same id and the same bytes for the same input', async () => {
    const [first, second] = [await buildShard(library), await buildShard(library)];
    expect(second.id).toBe(first.id);
    expect(second.sha256).toBe(first.sha256);
    expect(readFileSync(second.file).equals(readFileSync(first.file))).toBe(true);
  });

  it('gives the same bytes when another analyzer that has met other text before does the work', async () => {
    const other = createAnalyzer(ANALYZER_ID);
    other.encodeField(Buffer.from('quite other words, 京都, PIO-1384'));
    const writer = new ShardWriter(newPath(), other, chunking);
    for (const { document, chunks } of library) writer.addDocument(document, chunks);
    const sealed = await writer.seal();
    const first = await buildShard(library);
    expect(sealed).toMatchObject({ id: first.id, sha256: first.sha256, meta: first.meta });
  });

  it('gives another id when a document, its place, its order or the chunking changes', async () => {
    const ids = new Set<string>();
    const [one, two] = [documentOf('a', { uri: 'one' }), documentOf('a', { uri: 'two' })];
    const moved = documentOf('a', { uri: 'one', byteStart: 99 });
    for (const documents of [[one, two], [two, one], [one], [moved]]) ids.add((await buildShard(documents)).id);
    const writer = new ShardWriter(newPath(), analyzer, { ...chunking, maxWords: 10 });
    writer.addDocument(one.document, one.chunks);
    ids.add((await writer.seal())?.id ?? '');
    expect(ids.size).toBe(5);
  });

  it('says the size, the hash and the counts of the file', async () => {
    const sealed = await buildShard(library);
    expect(sealed.bytes).toBe(readFileSync(sealed.file).length);
    expect(sealed.sha256).toBe(await hashFile(sealed.file));
    expect(sealed.id).toMatch(/^s[0-9a-f]{10}$/);
    expect(sealed.meta).toMatchObject({ format: 3, documents: 6, chunks: 6, blocks: 1 });
    expect(sealed.meta.textBytes).toBe(
      library.reduce((sum, { document }) => sum + Buffer.byteLength(document.text), 0),
    );
  });

  it('counts the words that were cut and the runs that were passed over in this shard only', async () => {
    const long = documentOf(`${'x'.repeat(3_000)} ${Buffer.from('q'.repeat(300)).toString('base64')}`);
    const before = await buildShard([long]);
    expect(before.meta.cutWords + before.meta.skippedRuns).toBeGreaterThan(0);
    const after = await buildShard(library);
    expect(after.meta).toMatchObject({ cutWords: 0, skippedRuns: 0 });
  });

  it('of no document at all gives null and leaves no file', async () => {
    const folder = tempFolder();
    const writer = new ShardWriter(newPath(folder), analyzer, chunking);
    expect(await writer.seal()).toBeNull();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('leaves nothing beside the file', async () => {
    for (const ftsHashBytes of [1024, 1024 * 1024]) {
      const folder = tempFolder();
      const sealed = await buildShard(manyWords(40), { file: newPath(folder), ftsHashBytes });
      expect(readdirSync(folder).map((name) => `${folder}/${name}`)).toEqual([sealed.file]);
    }
  });

  it('makes one FTS5 segment and no free pages, with or without an overflow of its memory', async () => {
    const documents = manyWords(300);
    const whole = await buildShard(documents);
    const merged = await buildShard(documents, { ftsHashBytes: 20_000 });
    for (const { file } of [whole, merged]) {
      expect(segments(file)).toBe(1);
      expect(inspect(file, 'PRAGMA freelist_count')).toBe(0);
      expect(inspect(file, 'PRAGMA journal_mode')).toBe('delete');
      expect(verifyShardFile(file, { depth: 'deep' })).toMatchObject({ ok: true });
    }
    expect(merged.meta).toEqual(whole.meta);
    expect(merged.bytes).toBeLessThan(whole.bytes * 1.1);
  });

  it('works for documents in which there is no word', async () => {
    const folder = tempFolder();
    const sealed = await buildShard(documentsOf('', '?!', '…'), { file: newPath(folder) });
    expect(segments(sealed.file)).toBe(0);
    expect(sealed.meta).toMatchObject({ documents: 3, chunks: 3, terms: 0 });
    expect(readdirSync(folder)).toHaveLength(1);
    expect(verifyShardFile(sealed.file, { depth: 'deep' })).toMatchObject({ ok: true });
  });

  it('refuses a file that was damaged while it was written, and removes it', async () => {
    const folder = tempFolder();
    const file = newPath(folder);
    const writer = new ShardWriter(file, analyzer, chunking);
    for (const { document, chunks } of library) writer.addDocument(document, chunks);
    // The page of fts_config is on disk already and is not written again.
    copyFileSync(file, `${file}.copy`);
    const page = Number(inspect(`${file}.copy`, "SELECT rootpage FROM sqlite_schema WHERE name = 'fts_config'"));
    writeSync(openSync(file, 'r+'), Buffer.alloc(64, 0xa5), 0, 64, (page - 1) * 4096);
    const error = await rejectionOf(writer.seal());
    expect(error.code).toBe('SHELFMARK_CORRUPT');
    expect(error.message).toContain(file);
    expect(error.message).toContain('Check the disk and memory');
    expect(existsSync(file)).toBe(false);
  });
});

describe('a writer', () => {
  it('refuses a path where something is, and leaves that alone', () => {
    const file = newPath();
    writeFileSync(file, 'mine');
    expect(errorOf(() => new ShardWriter(file, analyzer, chunking))).toMatchObject({ code: 'SHELFMARK_IO' });
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });

  it('removes its file when it is aborted, also twice', () => {
    const folder = tempFolder();
    const writer = new ShardWriter(newPath(folder), analyzer, chunking);
    for (const { document, chunks } of library) writer.addDocument(document, chunks);
    writer.abort();
    writer.abort();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('refuses a document without chunks, which would have no id of its own', () => {
    const writer = new ShardWriter(newPath(), analyzer, chunking);
    expect(errorOf(() => writer.addDocument(documentOf('a').document, []))).toMatchObject({
      code: 'SHELFMARK_INTERNAL',
    });
    writer.abort();
  });

  it('numbers documents by their first chunk', () => {
    const writer = new ShardWriter(newPath(), analyzer, chunking);
    const ids = [['a'], ['b ', 'c ', 'd'], ['e']].map((texts) => {
      const { document, chunks } = documentOf(texts);
      return writer.addDocument(document, chunks);
    });
    expect(ids).toEqual([1, 2, 5]);
    writer.abort();
  });

  it('makes its file in the folder it was told, nowhere else', () => {
    const folder = tempFolder();
    const file = newPath(folder);
    const writer = new ShardWriter(file, analyzer, chunking);
    expect(dirname(file)).toBe(folder);
    expect(readdirSync(folder)).toHaveLength(1);
    writer.abort();
  });
});
