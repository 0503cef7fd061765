import { createHash, type Hash } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import type { Analyzer } from './analysis/index.ts';
import { ATTRIBUTE_BYTES, AttributeBuilder } from './attributes/attribute-builder.ts';
import { writeAttributes } from './attributes/write-attributes.ts';
import { BlockEncoder, type BlockEntry } from './block.ts';
import { BytePlaces } from './byte-places.ts';
import { compareTexts, type DocumentRow, documentChecksum, nameSum, type Profile } from './document.ts';
import { ShelfmarkError } from './errors.ts';
import { bodyTerms, headingTerms, titleTerms } from './field-terms.ts';
import { hashFile } from './file-hash.ts';
import {
  BLOCK_LEVEL,
  BLOCK_RAW_BYTES,
  type ChunkId,
  type DocumentId,
  FORMAT_VERSION,
  FTS_HASH_BYTES,
  HEADING_SEPARATOR,
  SHARD_SCHEMA,
  type ShardId,
  type ShardMeta,
} from './format.ts';
import { LIST_THRESHOLD } from './lists/list-format.ts';
import { writeIndex } from './lists/write-index.ts';
import { encodeMetadataBlock, type MetadataEntry } from './metadata-block.ts';
import { type ColumnUnits, segmentCount } from './postings/index.ts';
import { COLUMN_UNITS } from './ranking/bm25.ts';
import { createScratchDatabase, type Database, type Statement } from './sqlite.ts';
import { verifyShardFile } from './verify.ts';
import { FrameCompressor } from './zstd.ts';

/** A document ready to be indexed. */
export interface ShardDocument {
  readonly uri: string;
  readonly title: string;
  readonly kind: string;
  readonly collection: string;
  readonly fileType: string;
  readonly modifiedAt: string | null;
  /** JSON text of an object, or null */
  readonly metadata: string | null;
  readonly label: string;
  readonly source: { readonly path: string; readonly compression: string };
  /** byte range of the record in the decompressed source */
  readonly byteStart: number;
  readonly byteEnd: number;
  /** SHA-256 of the record's bytes */
  readonly sha256: Buffer;
  readonly text: string;
}

/** A passage of a document: UTF-16 offsets into its text; [start, bodyStart) is lead that is shown but not indexed. */
export interface ShardChunk {
  readonly start: number;
  readonly bodyStart: number;
  readonly end: number;
  readonly heading: readonly string[];
}

/** Settings of a writer. */
export interface ShardWriterOptions {
  /**
   * Bytes of postings that FTS5 holds in memory before it writes a segment; more than one segment costs a merge and a
   * copy of the file at sealing. At least 1 KiB. @default FTS_HASH_BYTES
   */
  readonly ftsHashBytes?: number;
  /** What an occurrence in title, heading and body counts, relative to each other. @default COLUMN_UNITS */
  readonly columnUnits?: ColumnUnits;
  /** Chunks in which a term must occur to have an offset list, at least 1. @default LIST_THRESHOLD */
  readonly listThreshold?: number;
  /** Bytes of memory for attributes; those that would take more have no index, and are read from the documents. @default ATTRIBUTE_BYTES */
  readonly attributeBytes?: number;
}

/** What sealing returns; the file is complete, synced and verified, but not yet published. */
export interface SealedShard {
  readonly id: ShardId;
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly meta: ShardMeta;
}

/**
 * Builds one shard file. `addDocument` buffers in memory and in the scratch file, nothing is durable; `seal` makes the
 * file final. A writer that was sealed or aborted is unusable. If the process dies, the scratch file is garbage.
 */
export class ShardWriter {
  readonly #file: string;
  readonly #analyzer: Analyzer;
  /** analyzers of documents, and how many each has */
  readonly #analyzers = new Map<Analyzer, number>();
  readonly #chunking: Readonly<Record<string, unknown>>;
  readonly #db: Database;
  readonly #insertSource: Statement;
  readonly #insertProfile: Statement;
  readonly #insertDocument: Statement;
  readonly #insertBlock: Statement;
  readonly #insertMetadata: Statement;
  readonly #insertTerms: Statement;
  readonly #blocks = new BlockEncoder(BLOCK_LEVEL);
  readonly #compressor = new FrameCompressor(BLOCK_LEVEL);
  readonly #attributes: AttributeBuilder;
  readonly #digest: Hash = createHash('sha256');
  readonly #columnUnits: ColumnUnits;
  readonly #listThreshold: number;
  /** tokens of chunk c at index c */
  #tokens = new Uint32Array(1024);
  readonly #starts: number[] = [];
  readonly #sourceIds = new Map<string, number>();
  readonly #profileIds = new Map<string, number>();
  #pending: BlockEntry[] = [];
  #pendingBytes = 0;
  #pendingMetadata: MetadataEntry[] = [];
  #pendingMetadataBytes = 0;
  #documents = 0;
  #chunks = 0;
  #blockCount = 0;
  #metadataBlockCount = 0;
  #rawBytes = 0;
  #textBytes = 0;
  #terms = 0;
  #cutWords = 0;
  #skippedRuns = 0;

  /**
   * @param file scratch path; must not exist.
   * @param analyzer that of documents for which no other is given.
   */
  constructor(
    file: string,
    analyzer: Analyzer,
    chunking: Readonly<Record<string, unknown>>,
    options: ShardWriterOptions = {},
  ) {
    if (existsSync(file)) throw new ShelfmarkError('SHELFMARK_IO', `${file} exists already.`, { file });
    this.#file = file;
    this.#analyzer = analyzer;
    this.#chunking = chunking;
    this.#columnUnits = options.columnUnits ?? COLUMN_UNITS;
    this.#attributes = new AttributeBuilder(options.attributeBytes ?? ATTRIBUTE_BYTES);
    this.#listThreshold = options.listThreshold ?? LIST_THRESHOLD;

    this.#db = createScratchDatabase(file);
    this.#db.exec(SHARD_SCHEMA);
    const configure = this.#db.prepare('INSERT INTO fts(fts, rank) VALUES(?, ?)');
    // FTS5 refuses configuration values bound as JavaScript numbers: they arrive as REAL.
    configure.run('hashsize', BigInt(options.ftsHashBytes ?? FTS_HASH_BYTES));
    configure.run('automerge', 0n);
    this.#insertSource = this.#db.prepare('INSERT INTO source VALUES(?, ?, ?)');
    this.#insertProfile = this.#db.prepare('INSERT INTO profile VALUES(?, ?, ?, ?, ?, ?)');
    this.#insertDocument = this.#db.prepare('INSERT INTO document VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
    this.#insertBlock = this.#db.prepare('INSERT INTO block VALUES(?, ?, ?, ?)');
    this.#insertMetadata = this.#db.prepare('INSERT INTO metadata_block VALUES(?, ?, ?)');
    this.#insertTerms = this.#db.prepare('INSERT INTO fts(rowid, title, heading, body) VALUES(?, ?, ?, ?)');
    this.#db.exec('BEGIN');

    this.#digest.update(JSON.stringify([FORMAT_VERSION, chunking, this.#columnUnits]));
  }

  /**
   * Adds a document with its chunks. After an error the writer can only be aborted.
   * @param chunks at least one, in the order of the text.
   * @returns its id in this shard.
   */
  addDocument(document: ShardDocument, chunks: readonly ShardChunk[], analyzer = this.#analyzer): DocumentId {
    if (chunks.length === 0) {
      throw new ShelfmarkError('SHELFMARK_INTERNAL', `Document ${document.uri} has no chunk.`, { uri: document.uri });
    }
    const id = (this.#chunks + 1) as DocumentId;
    const before = analyzer.counters;
    const title = titleTerms(analyzer, document.title);
    const titleCount = analyzer.counters.terms - before.terms;
    let headingCount = 0;
    let heading: readonly string[] = [];
    let headingBytes = Buffer.alloc(0);
    let headingField: Buffer = Buffer.alloc(0);
    const places = new BytePlaces(document.text);
    for (const chunk of chunks) {
      if (chunk.heading !== heading) {
        heading = chunk.heading;
        headingBytes = Buffer.from(encodeHeading(heading));
        const counted = analyzer.counters.terms;
        headingField = headingTerms(analyzer, heading);
        headingCount = analyzer.counters.terms - counted;
      }
      const textStart = places.at(chunk.start);
      const leadBytes = places.at(chunk.bodyStart) - textStart;
      const text = places.bytes.subarray(textStart, places.at(chunk.end));
      this.#chunks++;
      const counted = analyzer.counters.terms;
      this.#insertTerms.run(this.#chunks, title, headingField, bodyTerms(analyzer, text.subarray(leadBytes)));
      this.#countTokens(titleCount + headingCount + analyzer.counters.terms - counted);
      this.#pending.push({ document: id, textStart, heading: headingBytes, leadBytes, text });
      this.#pendingBytes += text.length + headingBytes.length;
      this.#textBytes += text.length;
      if (this.#pendingBytes >= BLOCK_RAW_BYTES) this.#flushBlock();
    }
    const after = analyzer.counters;
    this.#cutWords += after.cutWords - before.cutWords;
    this.#skippedRuns += after.skippedRuns - before.skippedRuns;
    this.#writeDocument(id, document, chunks.length, analyzer);
    this.#analyzers.set(analyzer, (this.#analyzers.get(analyzer) ?? 0) + 1);
    this.#attributes.add(document);
    this.#starts.push(id);
    return id;
  }

  /** Takes down the length of the chunk just added. */
  #countTokens(tokens: number): void {
    if (this.#chunks >= this.#tokens.length) {
      const larger = new Uint32Array(2 * this.#tokens.length);
      larger.set(this.#tokens);
      this.#tokens = larger;
    }
    this.#tokens[this.#chunks] = tokens;
    this.#terms += tokens;
  }

  #writeDocument(id: DocumentId, document: ShardDocument, chunkCount: number, analyzer: Analyzer): void {
    const { uri, title, kind, collection, label, sha256, source, byteStart, byteEnd } = document;
    const profile: Profile = { kind, collection, file_type: document.fileType, label, analyzer: analyzer.id };
    const row: Omit<DocumentRow, 'checksum' | 'name_sum'> = {
      ...profile,
      id,
      chunk_count: chunkCount,
      uri,
      title,
      modified_at: document.modifiedAt,
      path: source.path,
      compression: source.compression,
      byte_start: byteStart,
      byte_end: byteEnd,
      sha256,
      metadata_bytes: this.#addMetadata(id, document.metadata),
    };
    const checksum = documentChecksum(row);
    this.#insertDocument.run(
      id,
      chunkCount,
      uri,
      title,
      this.#profileId(profile),
      row.modified_at,
      this.#sourceId(source),
      byteStart,
      byteEnd,
      sha256,
      row.metadata_bytes,
      nameSum(id, uri, collection),
      checksum,
    );
    this.#digest.update(`${checksum}\n${document.metadata ?? ''}\n`);
    this.#documents++;
    this.#rawBytes += document.byteEnd - document.byteStart;
  }

  /** @returns its bytes */
  #addMetadata(id: DocumentId, metadata: string | null): number {
    if (metadata === null) return 0;
    const text = Buffer.from(metadata);
    this.#pendingMetadata.push({ id, text });
    this.#pendingMetadataBytes += text.length;
    if (this.#pendingMetadataBytes >= BLOCK_RAW_BYTES) this.#flushMetadata();
    return text.length;
  }

  /**
   * Finishes the file: one FTS5 segment, counts, sync, close, reopen and verify. Returns null when no document was
   * added; then, and after an error, no file is left.
   */
  async seal(): Promise<SealedShard | null> {
    if (this.#documents === 0) {
      this.abort();
      return null;
    }
    try {
      this.#flushBlock();
      this.#flushMetadata();
      this.#digest.update(JSON.stringify(this.#analyzerParameters()));
      const id = `s${this.#digest.digest('hex').slice(0, 10)}` as ShardId;
      this.#db.exec('COMMIT');
      const isMerged = this.#mergeSegments();
      this.#db.exec('BEGIN');
      const lists = this.#writeIndex();
      const meta = this.#writeMeta(id, lists, writeAttributes(this.#db, this.#attributes));
      this.#db.exec('COMMIT');
      this.#closeWhole(isMerged);
      syncFile(this.#file);
      this.#verify();
      const bytes = statSync(this.#file).size;
      return { id, file: this.#file, bytes, sha256: await hashFile(this.#file), meta };
    } catch (error) {
      this.abort();
      throw error;
    }
  }

  /** Throws the scratch file away. */
  abort(): void {
    this.#db.close();
    rmSync(this.#file, { force: true });
    rmSync(this.#copy, { force: true });
  }

  /** Where the file is copied to when its index had to be merged. */
  get #copy(): string {
    return `${this.#file}.whole`;
  }

  /** Leaves the index in one segment. @returns whether there were more */
  #mergeSegments(): boolean {
    if (segmentCount(this.#db) <= 1) return false;
    this.#db.exec("INSERT INTO fts(fts) VALUES('optimize')");
    return true;
  }

  #writeIndex(): number {
    const tokens = this.#tokens.subarray(0, this.#chunks + 1);
    const starts = Uint32Array.from(this.#starts);
    return writeIndex(this.#db, this.#file, { tokens, starts }, this.#columnUnits, this.#listThreshold);
  }

  /** Closes the file without free pages: merging leaves some behind, a copy has none. */
  #closeWhole(isMerged: boolean): void {
    if (isMerged) {
      rmSync(this.#copy, { force: true });
      this.#db.prepare('VACUUM INTO ?').run(this.#copy);
    }
    this.#db.close();
    if (isMerged) renameSync(this.#copy, this.#file);
  }

  #verify(): void {
    const file = this.#file;
    const report = verifyShardFile(file, { depth: 'quick' });
    const damage = report.parts.find((part) => part.status === 'damaged');
    if (damage !== undefined) {
      throw new ShelfmarkError(
        'SHELFMARK_CORRUPT',
        `${file} did not verify right after it was written (${damage.name}: ${damage.detail}). Check the disk and memory.`,
        { file, part: damage.name },
      );
    }
  }

  #analyzersById(): [Analyzer, number][] {
    return [...this.#analyzers].sort(([a], [b]) => compareTexts(a.id, b.id));
  }

  #analyzerParameters(): ShardMeta['analyzerParameters'] {
    return Object.fromEntries(this.#analyzersById().map(([{ id, parameters }]) => [id, parameters]));
  }

  #writeMeta(id: ShardId, lists: number, attributeBlocks: number): ShardMeta {
    const meta: ShardMeta = {
      format: FORMAT_VERSION,
      id,
      analyzers: Object.fromEntries(this.#analyzersById().map(([analyzer, count]) => [analyzer.id, count])),
      analyzerParameters: this.#analyzerParameters(),
      chunking: this.#chunking,
      documents: this.#documents,
      chunks: this.#chunks,
      blocks: this.#blockCount,
      metadataBlocks: this.#metadataBlockCount,
      attributeBlocks,
      lists,
      columnUnits: this.#columnUnits,
      rawBytes: this.#rawBytes,
      textBytes: this.#textBytes,
      terms: this.#terms,
      cutWords: this.#cutWords,
      skippedRuns: this.#skippedRuns,
    };
    const insert = this.#db.prepare('INSERT INTO meta VALUES(?, ?)');
    for (const [key, value] of Object.entries(meta)) insert.run(key, JSON.stringify(value));
    return meta;
  }

  #sourceId(source: { readonly path: string; readonly compression: string }): number {
    const key = JSON.stringify([source.path, source.compression]);
    const known = this.#sourceIds.get(key);
    if (known !== undefined) return known;
    const id = this.#sourceIds.size + 1;
    this.#insertSource.run(id, source.path, source.compression);
    this.#sourceIds.set(key, id);
    return id;
  }

  #profileId({ kind, collection, file_type, label, analyzer }: Profile): number {
    const key = JSON.stringify([kind, collection, file_type, label, analyzer]);
    const known = this.#profileIds.get(key);
    if (known !== undefined) return known;
    const id = this.#profileIds.size + 1;
    this.#insertProfile.run(id, kind, collection, file_type, label, analyzer);
    this.#profileIds.set(key, id);
    return id;
  }

  #flushMetadata(): void {
    if (this.#pendingMetadata.length === 0) return;
    const row = encodeMetadataBlock(this.#compressor, this.#pendingMetadata);
    this.#insertMetadata.run(row.id, row.raw_length, row.data);
    this.#metadataBlockCount++;
    this.#pendingMetadata = [];
    this.#pendingMetadataBytes = 0;
  }

  #flushBlock(): void {
    if (this.#pending.length === 0) return;
    const first = (this.#chunks - this.#pending.length + 1) as ChunkId;
    const row = this.#blocks.encode(first, this.#pending);
    this.#insertBlock.run(row.id, row.chunk_count, row.raw_length, row.data);
    this.#blockCount++;
    this.#pending = [];
    this.#pendingBytes = 0;
  }
}

/** A heading path as one text; a separator inside a part, which no reader would see anyway, becomes a space. */
function encodeHeading(heading: readonly string[]): string {
  return heading.map((part) => part.replaceAll(HEADING_SEPARATOR, ' ')).join(HEADING_SEPARATOR);
}

function syncFile(file: string): void {
  const descriptor = openSync(file, 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
