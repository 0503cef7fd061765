import { ANALYZER_IDS, type Analyzer, createAnalyzer } from './analysis/index.ts';
import { AttributeIndex } from './attributes/attribute-index.ts';
import { BlockDecoder, type BlockRow, type BlockText, type StoredChunk } from './block.ts';
import {
  type DocumentName,
  type DocumentRow,
  documentChecksum,
  nameSum,
  SELECT_DOCUMENT,
  SELECT_NAME,
} from './document.ts';
import { CorruptError, explainReadError, ShelfmarkError } from './errors.ts';
import { allowedDocuments } from './filter/allowed-documents.ts';
import { filterKey, isOpen, type ShardFilter } from './filter/shard-filter.ts';
import {
  type ChunkId,
  type Compression,
  type DocumentId,
  FORMAT_VERSION,
  LOWEST_READABLE_FORMAT,
  type ShardId,
  type ShardMeta,
} from './format.ts';
import { decodeMetadataBlock, type MetadataBlockRow } from './metadata-block.ts';
import { PackedColumns } from './packed-columns.ts';
import type { ColumnUnits } from './postings/index.ts';
import { type ChunkFilter, toFilter } from './ranking/context.ts';
import { PostingsCache, type TermCache } from './ranking/postings-cache.ts';
import { ShardIndex } from './ranking/shard-index.ts';
import { type Database, openSealed, type Statement } from './sqlite.ts';

/** A document as read back, its checksum verified. */
export interface StoredDocument {
  readonly id: DocumentId;
  readonly chunkCount: number;
  readonly uri: string;
  readonly title: string;
  readonly kind: string;
  readonly collection: string;
  readonly fileType: string;
  readonly modifiedAt: string | null;
  readonly label: string;
  /** id of the analyzer that made its terms */
  readonly analyzer: string;
  /** bytes of the metadata's JSON text; 0 when it has none */
  readonly metadataBytes: number;
  readonly source: StoredSource;
}

/** Where a document's record stands: byte range in the decompressed file, and its SHA-256 in hex. */
export interface StoredSource {
  readonly path: string;
  readonly compression: Compression;
  readonly byteStart: number;
  readonly byteEnd: number;
  readonly sha256: string;
}

/** How to open a shard. */
export interface ShardReaderOptions {
  /** Ids of documents that were replaced since the shard was sealed; they are never hits. @default [] */
  readonly dead?: Iterable<number>;
  /** Where expanded postings and filters are kept, shared with other shards of the thread. @default 16 MiB of its own */
  readonly cache?: PostingsCache;
  /** False: search without offset lists, by FTS5's pages alone; slow, and the same hits. @default true */
  readonly useLists?: boolean;
}

/** What a filter lets through; null for every chunk. */
interface CachedFilter {
  readonly filter: ChunkFilter | null;
  readonly bytes: number;
}

const defaultCacheBytes = 16 * 1024 * 1024;

/** Reads one sealed shard. Opening reads the schema and `meta` only; everything else is read when asked for. */
export class ShardReader {
  readonly file: string;
  readonly meta: ShardMeta;
  readonly #db: Database;
  readonly #blocks: BlockDecoder;
  readonly #dead: ReadonlySet<number>;
  readonly #statements = new Map<string, Statement>();
  #openBlock: { readonly id: number; readonly chunks: readonly StoredChunk[] } | undefined;
  /** the block read last, by document */
  #openMetadata: ReadonlyMap<number, string> | undefined;
  readonly #cache: PostingsCache;
  readonly #useLists: boolean;
  #index: ShardIndex | undefined;
  readonly #filters: TermCache<CachedFilter>;
  #columns: PackedColumns | undefined;
  #attributes: AttributeIndex | undefined;
  readonly #attached = new Map<string, { close(): void }>();

  /**
   * @throws ShelfmarkError SHELFMARK_NOT_FOUND, SHELFMARK_TOO_NEW, SHELFMARK_TOO_OLD, SHELFMARK_UNKNOWN_ANALYZER or
   * SHELFMARK_CORRUPT.
   */
  constructor(file: string, options: ShardReaderOptions = {}) {
    this.file = file;
    this.#db = openSealed(file);
    try {
      this.meta = readMeta(file, this.#db);
    } catch (error) {
      this.#db.close();
      throw explainReadError(file, error);
    }
    this.#blocks = new BlockDecoder(file);
    this.#dead = new Set(options.dead ?? []);
    this.#cache = options.cache ?? new PostingsCache(defaultCacheBytes);
    this.#filters = this.#cache.forShard();
    this.#useLists = options.useLists ?? true;
  }

  /** Closes the file; the reader is unusable afterwards. */
  close(): void {
    for (const companion of this.#attached.values()) companion.close();
    this.#index?.close();
    this.#cache.remove(this.#filters);
    this.#db.close();
  }

  /** Something that goes with the shard, such as another file: opened when first asked for, closed with the reader. */
  attached<Companion extends { close(): void }>(name: string, open: () => Companion | null): Companion | null {
    const known = this.#attached.get(name) as Companion | undefined;
    if (known !== undefined) return known;
    const opened = open();
    if (opened !== null) this.#attached.set(name, opened);
    return opened;
  }

  /** The shard's postings. */
  get index(): ShardIndex {
    this.#index ??= new ShardIndex(
      {
        file: this.file,
        database: this.#db,
        columns: this.#packedColumns(),
        documents: this.meta.documents,
        chunks: this.meta.chunks,
        listUnits: this.meta.columnUnits,
        useLists: this.#useLists,
      },
      this.#cache,
    );
    return this.#index;
  }

  /** The attributes of the shard's documents. */
  get attributes(): AttributeIndex {
    this.#attributes ??= new AttributeIndex(this.file, this.#db, this.#packedColumns(), this.meta.documents);
    return this.#attributes;
  }

  #packedColumns(): PackedColumns {
    this.#columns ??= new PackedColumns(this.file, this.#db);
    return this.#columns;
  }

  /**
   * The document that a chunk belongs to.
   * @throws CorruptError when there is none, or its row does not match its checksum.
   */
  documentOfChunk(chunk: ChunkId): StoredDocument {
    const row = this.#prepare(`${SELECT_DOCUMENT} WHERE document.id <= ? ORDER BY document.id DESC LIMIT 1`).get(
      chunk,
    ) as DocumentRow | undefined;
    const document = row === undefined ? undefined : this.#checkDocument(row);
    if (document === undefined || chunk >= document.id + document.chunkCount) {
      throw new CorruptError(this.file, 'document', `chunk ${chunk} belongs to no document`);
    }
    return document;
  }

  /** The document with this id, or undefined. @throws CorruptError when its row does not match its checksum. */
  document(id: DocumentId): StoredDocument | undefined {
    const row = this.#prepare(`${SELECT_DOCUMENT} WHERE document.id = ?`).get(id) as DocumentRow | undefined;
    return row === undefined ? undefined : this.#checkDocument(row);
  }

  /**
   * What a document is called, without its other fields, or undefined when there is none.
   * @throws CorruptError when the name does not match its checksum
   */
  documentName(id: DocumentId): DocumentName | undefined {
    const row = this.#prepare(`${SELECT_NAME} WHERE document.id = ?`).get(id) as
      | Pick<DocumentRow, 'uri' | 'collection' | 'name_sum'>
      | undefined;
    if (row === undefined) return undefined;
    const { uri, collection } = row;
    if (nameSum(id, uri, collection) !== row.name_sum) {
      throw new CorruptError(this.file, `document ${id}`, 'its name does not match its checksum');
    }
    return { uri, collection };
  }

  /** All documents in id order, verified, one at a time. */
  *documents(): Generator<StoredDocument> {
    const statement = this.#db.prepare(`${SELECT_DOCUMENT} ORDER BY document.id`);
    for (const row of statement.iterate()) yield this.#checkDocument(row as DocumentRow);
  }

  /** JSON text of a document's metadata, or null. @throws CorruptError when its block is damaged or does not hold it */
  metadata({ id, metadataBytes }: Pick<StoredDocument, 'id' | 'metadataBytes'>): string | null {
    if (metadataBytes === 0) return null;
    if (this.#openMetadata?.has(id) !== true) {
      const row = this.#prepare('SELECT * FROM metadata_block WHERE id <= ? ORDER BY id DESC LIMIT 1').get(id) as
        | MetadataBlockRow
        | undefined;
      if (row !== undefined) this.#openMetadata = decodeMetadataBlock(this.file, row);
    }
    const text = this.#openMetadata?.get(id);
    if (text === undefined || Buffer.byteLength(text) !== metadataBytes) {
      throw new CorruptError(this.file, 'metadata', `no block holds that of document ${id}`);
    }
    return text;
  }

  /** A chunk's text and place. @throws CorruptError when its block is damaged or does not hold it. */
  chunk(id: ChunkId): StoredChunk {
    if (!(this.#openBlock !== undefined && holds(this.#openBlock.chunks, id))) {
      const row = this.#prepare('SELECT * FROM block WHERE id <= ? ORDER BY id DESC LIMIT 1').get(id) as
        | BlockRow
        | undefined;
      if (row === undefined) throw new CorruptError(this.file, 'block', `no block holds chunk ${id}`);
      this.#openBlock = { id: row.id, chunks: this.#blocks.decode(row) };
    }
    const found = this.#openBlock.chunks[id - this.#openBlock.id];
    if (found === undefined) throw new CorruptError(this.file, 'block', `no block holds chunk ${id}`);
    return found;
  }

  /** Title, heading path and body of a chunk, and what made the terms of them in the index. @throws as {@link chunk} */
  columns(id: ChunkId): {
    readonly texts: readonly [title: string, heading: string, body: string];
    readonly analyzer: Analyzer;
  } {
    const { heading, body } = this.chunk(id);
    const { title, analyzer } = this.documentOfChunk(id);
    return { texts: [title, heading.join('\n'), body], analyzer: analyzerFor(analyzer) };
  }

  /** Every chunk in order, block by block. */
  *chunks(): Generator<StoredChunk> {
    for (const row of this.#db.prepare('SELECT * FROM block ORDER BY id').iterate()) {
      yield* this.#blocks.decode(row as BlockRow);
    }
  }

  /** The texts of all chunks in order as bytes, but those of blocks that are not wanted. */
  *blockTexts(isWanted: (first: ChunkId, count: number) => boolean): Generator<BlockText> {
    const read = this.#prepare('SELECT * FROM block WHERE id = ?');
    const blocks = this.#db.prepare('SELECT id, chunk_count FROM block ORDER BY id').raw().all() as [ChunkId, number][];
    for (const [id, count] of blocks) {
      if (isWanted(id, count)) yield* this.#blocks.decodeTexts(read.get(id) as BlockRow);
    }
  }

  /** Runs a query that checks the file as a whole; for `verify` only. */
  inspect(sql: string, ...parameters: (string | number | bigint)[]): IterableIterator<unknown[]> {
    return this.#prepare(sql)
      .raw()
      .iterate(...parameters) as IterableIterator<unknown[]>;
  }

  /** Makes every posting readable as a row (term, chunk, column, offset) of `temp.posting`; for `verify` only. */
  attachPostings(): void {
    this.#db.exec("CREATE VIRTUAL TABLE IF NOT EXISTS temp.posting USING fts5vocab(main, fts, 'instance')");
  }

  /** Chunks that match an FTS5 expression, in ascending order. The caller may stop between them. */
  *matches(expression: string): Generator<ChunkId> {
    const rows = this.#db.prepare('SELECT rowid FROM fts WHERE fts MATCH ?').pluck().iterate(expression);
    yield* rows as IterableIterator<ChunkId>;
  }

  /**
   * Chunks that may be hits under a filter, replaced documents left out. Null means every chunk.
   * @param check called now and then when that takes long; throws to stop
   */
  allowedChunks(filter: ShardFilter, check: () => void = () => {}): ChunkFilter | null {
    if (isOpen(filter) && this.#dead.size === 0) return null;
    const key = filterKey(filter);
    let known = this.#filters.get(key) ?? undefined;
    if (known === undefined) {
      const allowed = this.#buildAllowed(filter, check);
      const isEverything = allowed.chunks === this.meta.chunks;
      known = isEverything ? { filter: null, bytes: 0 } : { filter: allowed, bytes: allowed.bitmap.length };
      this.#filters.set(key, known);
    }
    return known.filter;
  }

  #buildAllowed(filter: ShardFilter, check: () => void): ChunkFilter {
    const documents = allowedDocuments(this, filter, check);
    for (const id of this.#dead) documents[this.index.documentOf(id)] = 0;
    const starts = this.index.documentStarts();
    const bitmap = new Uint8Array(this.meta.chunks + 1);
    for (let document = 0; document < starts.length; document++) {
      if (documents[document] === 1) bitmap.fill(1, starts[document]!, starts[document + 1] ?? bitmap.length);
    }
    return toFilter(bitmap);
  }

  #checkDocument(row: DocumentRow): StoredDocument {
    if (
      !Buffer.isBuffer(row.sha256) ||
      documentChecksum(row) !== row.checksum ||
      nameSum(row.id, row.uri, row.collection) !== row.name_sum
    ) {
      throw new CorruptError(this.file, `document ${row.id}`, 'its fields do not match their checksum');
    }
    return {
      id: row.id,
      chunkCount: row.chunk_count,
      uri: row.uri,
      title: row.title,
      kind: row.kind,
      collection: row.collection,
      fileType: row.file_type,
      modifiedAt: row.modified_at,
      label: row.label,
      analyzer: row.analyzer,
      metadataBytes: row.metadata_bytes,
      source: {
        path: row.path,
        compression: row.compression as Compression,
        byteStart: row.byte_start,
        byteEnd: row.byte_end,
        sha256: row.sha256.toString('hex'),
      },
    };
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

function holds(chunks: readonly StoredChunk[], id: ChunkId): boolean {
  const first = chunks[0];
  return first !== undefined && id >= first.chunk && id < first.chunk + chunks.length;
}

const analyzers = new Map<string, Analyzer>();

/** One analyzer per id and thread: its word cache is worth sharing between shards. */
export function analyzerFor(id: string): Analyzer {
  let analyzer = analyzers.get(id);
  if (analyzer === undefined) {
    analyzer = createAnalyzer(id);
    analyzers.set(id, analyzer);
  }
  return analyzer;
}

function readMeta(file: string, database: Database): ShardMeta {
  let rows: Map<string, unknown>;
  try {
    const raw = database.prepare('SELECT key, value FROM meta').raw().all() as [string, string][];
    rows = new Map(raw.map(([key, value]) => [key, JSON.parse(value)]));
  } catch (error) {
    throw new CorruptError(file, 'meta', `the table cannot be read (${String(error)})`, error);
  }
  const format = numberOf(file, rows, 'format');
  if (format > FORMAT_VERSION) {
    throw new ShelfmarkError(
      'SHELFMARK_TOO_NEW',
      `${file} has format ${format}; this version of shelfmark reads up to ${FORMAT_VERSION}. Update shelfmark.`,
      { file, format },
    );
  }
  if (format < LOWEST_READABLE_FORMAT) {
    throw new ShelfmarkError(
      'SHELFMARK_TOO_OLD',
      `${file} has format ${format}; this version of shelfmark reads from ${LOWEST_READABLE_FORMAT}. Rebuild it.`,
      { file, format },
    );
  }
  const analyzers = analyzersOf(file, rows);
  const unknown = Object.keys(analyzers).find((id) => !ANALYZER_IDS.includes(id));
  if (unknown !== undefined) {
    throw new ShelfmarkError(
      'SHELFMARK_UNKNOWN_ANALYZER',
      `${file} was made by analyzer "${unknown}", which this version of shelfmark does not know. Update shelfmark or rebuild the shard.`,
      { file, analyzer: unknown },
    );
  }
  return {
    format,
    id: stringOf(file, rows, 'id') as ShardId,
    analyzers,
    analyzerParameters: (rows.get('analyzerParameters') ?? {}) as Record<string, unknown>,
    chunking: (rows.get('chunking') ?? {}) as Record<string, unknown>,
    documents: numberOf(file, rows, 'documents'),
    chunks: numberOf(file, rows, 'chunks'),
    blocks: numberOf(file, rows, 'blocks'),
    metadataBlocks: numberOf(file, rows, 'metadataBlocks'),
    attributeBlocks: numberOf(file, rows, 'attributeBlocks'),
    lists: numberOf(file, rows, 'lists'),
    columnUnits: columnUnitsOf(file, rows),
    rawBytes: numberOf(file, rows, 'rawBytes'),
    textBytes: numberOf(file, rows, 'textBytes'),
    terms: numberOf(file, rows, 'terms'),
    cutWords: numberOf(file, rows, 'cutWords'),
    skippedRuns: numberOf(file, rows, 'skippedRuns'),
  };
}

function numberOf(file: string, rows: ReadonlyMap<string, unknown>, key: string): number {
  const value = rows.get(key);
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw new CorruptError(file, 'meta', `"${key}" is not a count`);
  }
  return value;
}

function analyzersOf(file: string, rows: ReadonlyMap<string, unknown>): Readonly<Record<string, number>> {
  const value = rows.get('analyzers');
  const isCount = (count: unknown): boolean => Number.isSafeInteger(count) && (count as number) > 0;
  if (typeof value !== 'object' || value === null || !Object.values(value).every(isCount)) {
    throw new CorruptError(file, 'meta', '"analyzers" are not counts by name');
  }
  return value as Record<string, number>;
}

function columnUnitsOf(file: string, rows: ReadonlyMap<string, unknown>): ColumnUnits {
  const value = rows.get('columnUnits');
  const isUnits = (unit: unknown): boolean => Number.isSafeInteger(unit) && (unit as number) > 0;
  if (!Array.isArray(value) || value.length !== 3 || !value.every(isUnits)) {
    throw new CorruptError(file, 'meta', '"columnUnits" are not three counts');
  }
  return value as unknown as ColumnUnits;
}

function stringOf(file: string, rows: ReadonlyMap<string, unknown>, key: string): string {
  const value = rows.get(key);
  if (typeof value !== 'string') throw new CorruptError(file, 'meta', `"${key}" is missing`);
  return value;
}
