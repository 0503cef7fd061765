import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type DocumentId, hashFile, ShardReader, ShelfmarkError } from '../../shards/index.ts';
import { Catalog, type ShardRow } from '../catalog.ts';
import { layoutOf, shardFileName } from '../layout.ts';
import { adoptVectors } from './adopt-vectors.ts';
import { changeCorpus } from './change-corpus.ts';
import { linkOrCopy } from './link-or-copy.ts';
import { isLost } from './lost-shards.ts';
import { publishShard } from './publish-shard.ts';
import { writeRejects } from './write-rejects.ts';

/** What joining brought. */
export interface AdoptReport {
  readonly corpus: string;
  /** shards taken over; those that were there already are not counted */
  readonly shards: number;
  readonly documents: number;
  /** documents that were in the corpus or in an earlier part already; they are listed in the rejects file */
  readonly duplicates: number;
  readonly rejects: string | null;
}

/**
 * Joins the shards of other corpora, typically the parts of a job array, into one. Files are linked where the file system
 * can, else copied; the other corpora stay as they are. Each corpus is entered in one transaction, so a killed run
 * leaves whole corpora only, and running it again goes on. Vectors come along, those made since a part was adopted too.
 *
 * @throws ShelfmarkError SHELFMARK_BUSY, SHELFMARK_NOT_FOUND, SHELFMARK_CORRUPT (a shard does not have its hash),
 * SHELFMARK_USAGE (a part is unfinished, changed after it was adopted, or is the corpus itself), SHELFMARK_IO.
 */
export async function adoptParts(corpus: string, parts: readonly string[]): Promise<AdoptReport> {
  const root = resolve(corpus);
  const others = parts.map((part) => resolve(part));
  if (others.includes(root))
    throw new ShelfmarkError('SHELFMARK_USAGE', `${root} cannot adopt itself.`, { corpus: root });
  for (const other of others) checkFinished(other);
  return await changeCorpus(root, 'Parts adopted so far can be searched', (catalog) => adoptAll(catalog, root, others));
}

async function adoptAll(catalog: Catalog, root: string, others: readonly string[]): Promise<AdoptReport> {
  const { rejects } = layoutOf(root);
  const total = { shards: 0, documents: 0, duplicates: 0 };
  for (const other of others) {
    const adopted = await adoptCorpus(catalog, root, other);
    total.shards += adopted.shards;
    total.documents += adopted.documents;
    total.duplicates += adopted.duplicates;
  }
  const hasRejects = await writeRejects(rejects, catalog, catalog.sources(), []);
  return { corpus: root, ...total, rejects: hasRejects ? rejects : null };
}

function checkFinished(root: string): void {
  const catalog = Catalog.openReadOnly(root);
  const unfinished = catalog.unfinishedBuilds();
  catalog.close();
  if (unfinished === 0) return;
  throw new ShelfmarkError('SHELFMARK_USAGE', `${root} has an unfinished build. Run its build command again first.`, {
    corpus: root,
  });
}

async function adoptCorpus(
  catalog: Catalog,
  root: string,
  other: string,
): Promise<{ shards: number; documents: number; duplicates: number }> {
  const from = Catalog.openReadOnly(other);
  try {
    checkUnchanged(catalog, from, root, other);
    const news = from.shards().filter((shard) => catalog.shardByName(shard.name) === undefined);
    // A shard that was adopted before and whose file got lost comes back.
    const lost = from.shards().filter((shard) => !news.includes(shard) && isLost(root, shard));
    for (const shard of [...news, ...lost]) await takeFile(shard, root, other);
    const entered = catalog.transaction(() => enterCorpus(catalog, from, root, news));
    await adoptVectors(new Set(from.shards().map(({ name }) => name)), root, other);
    return entered;
  } finally {
    from.close();
  }
}

/** Documents that a part replaced after it was adopted would stay beside their successors. */
function checkUnchanged(catalog: Catalog, from: Catalog, root: string, other: string): void {
  const dead = catalog.tombstones();
  const deadThere = from.tombstones();
  for (const { id, name } of from.shards()) {
    const known = catalog.shardByName(name);
    if (known === undefined) continue;
    const deadHere = new Set(dead.get(known.id));
    if (deadThere.get(id)?.every((document) => deadHere.has(document)) ?? true) continue;
    throw new ShelfmarkError(
      'SHELFMARK_USAGE',
      `${other} was adopted before, and documents of it were replaced since. Adopt all parts into a new corpus instead of ${root}: files are linked, so that costs little.`,
      { corpus: other, shard: name },
    );
  }
}

/** Brings a shard file over, checks its hash, and publishes it. */
async function takeFile(shard: ShardRow, root: string, other: string): Promise<void> {
  const origin = join(layoutOf(other).shards, shard.file);
  const file = join(layoutOf(root).building, shardFileName(shard.name));
  if (!existsSync(origin)) {
    throw new ShelfmarkError('SHELFMARK_CORRUPT', `${origin} is missing. Restore or rebuild that part.`, {
      file: origin,
    });
  }
  await linkOrCopy(origin, file);
  const sha256 = await hashFile(file);
  if (sha256 !== shard.sha256) {
    throw new ShelfmarkError(
      'SHELFMARK_CORRUPT',
      `${origin} has SHA-256 ${sha256}, its catalog says ${shard.sha256}. Restore or rebuild that part.`,
      { file: origin },
    );
  }
  await publishShard(file, shard.name, root);
}

/** Copies what the other catalog says about the new shards; documents that are here already stay the ones that count. */
function enterCorpus(
  catalog: Catalog,
  from: Catalog,
  root: string,
  news: readonly ShardRow[],
): { shards: number; documents: number; duplicates: number } {
  if (news.length === 0 && isKnown(catalog, from)) return { shards: 0, documents: 0, duplicates: 0 };
  const buildId = catalog.addBuild(JSON.stringify({ adopt: from.file }), 0);
  catalog.finishBuild(buildId);
  const shardIds = new Map<number, number>();
  for (const shard of news) shardIds.set(shard.id, catalog.copyShard(shard, buildId));
  const sourceIds = new Map<number, number>();
  for (const source of from.sources()) {
    const id = catalog.copySource(source, buildId);
    sourceIds.set(source.id, id);
    for (const extent of from.extents(source.id)) {
      catalog.addExtent({ ...extent, source_id: id, rejects: from.rejectsOfExtent(extent.id) });
    }
  }
  for (const [shard, documents] of from.tombstones()) {
    const id = shardIds.get(shard);
    if (id !== undefined) for (const document of documents) catalog.addTombstone(id, document);
  }
  return { shards: news.length, ...enterDocuments(catalog, from, root, news, shardIds, sourceIds) };
}

/** Whether a corpus without new shards was adopted before; one that never had shards can still have rejects to list. */
function isKnown(catalog: Catalog, from: Catalog): boolean {
  if (from.shards().length > 0) return true;
  return from
    .sources()
    .every(({ path, command, size, mtime }) =>
      catalog
        .sourceVersions(path)
        .some((known) => known.command === command && known.size === size && known.mtime === mtime),
    );
}

function enterDocuments(
  catalog: Catalog,
  from: Catalog,
  root: string,
  news: readonly ShardRow[],
  shardIds: ReadonlyMap<number, number>,
  sourceIds: ReadonlyMap<number, number>,
): { documents: number; duplicates: number } {
  const names = new Map(news.map((shard) => [shard.id, shard.file]));
  const readers = new Map<number, ShardReader>();
  let documents = 0;
  let duplicates = 0;
  try {
    for (const entry of from.entries()) {
      const shardId = shardIds.get(entry.shard_id);
      const sourceId = sourceIds.get(entry.source_id);
      if (shardId === undefined || sourceId === undefined) continue;
      if (catalog.entry(entry.key) === undefined) {
        catalog.putEntry({ ...entry, shard_id: shardId, source_id: sourceId });
        documents++;
        continue;
      }
      catalog.addTombstone(shardId, entry.document);
      let reader = readers.get(entry.shard_id);
      if (reader === undefined) {
        reader = new ShardReader(join(layoutOf(root).shards, names.get(entry.shard_id)!));
        readers.set(entry.shard_id, reader);
      }
      const document = reader.document(entry.document as DocumentId);
      if (document !== undefined) catalog.turnIntoDuplicate(sourceId, document.source, document.uri);
      duplicates++;
    }
  } finally {
    for (const reader of readers.values()) reader.close();
  }
  return { documents, duplicates };
}
