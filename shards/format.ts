import type { ColumnUnits } from './postings/index.ts';

/**
 * The shard file, format version 3 (history: 1 = first; 2 = offset lists, packed columns and a leaf directory beside the
 * index, so that postings can be read without FTS5; 3 = attribute index, profiles and metadata blocks). FORMAT.md describes it for readers; a test keeps both in step.
 *
 * ```
 * meta      what the shard is: format, analyzers, settings, counts (values are JSON)
 * source    the files that its documents come from
 * profile   what many documents have in common: kind, collection, file type, label, analyzer
 * document  one row a document; id = id of its first chunk, so chunk n of document d has id d + n - 1
 * metadata_block  compressed metadata of consecutive documents; id = id of its first document (see metadata-block.ts)
 * block     compressed text of consecutive chunks; id = id of its first chunk (see block.ts)
 * fts       contentless FTS5 over the analyzers' terms; rowid = chunk id
 * packed    columns over all chunks, documents and pages of the index, one compressed value each
 * list      frequent terms: what is known of their postings without loading them (see lists/list-format.ts)
 * list_segment  their postings
 * attribute_block  which documents have which attributes (see attributes/attribute-format.ts)
 * ```
 * Chunk ids run from 1 without gaps. That makes a chunk table needless: the document of chunk c is the last one whose
 * id is at most c, and so is its block.
 */
export const FORMAT_VERSION = 3;

/** Oldest format that this code reads. */
export const LOWEST_READABLE_FORMAT = 3;

/** ASCII characters other than letters and digits that a term may contain; the FTS5 tokenizer must not split on them. */
export const TERM_PUNCTUATION = '+#.-_';

/** DDL of a shard file. */
export const SHARD_SCHEMA = `
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE source(id INTEGER PRIMARY KEY, path TEXT NOT NULL, compression TEXT NOT NULL);
CREATE TABLE profile(
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  collection TEXT NOT NULL,
  file_type TEXT NOT NULL,
  label TEXT NOT NULL,
  analyzer TEXT NOT NULL
);
CREATE TABLE document(
  id INTEGER PRIMARY KEY,
  chunk_count INTEGER NOT NULL,
  uri TEXT NOT NULL,
  title TEXT NOT NULL,
  profile_id INTEGER NOT NULL,
  modified_at TEXT,
  source_id INTEGER NOT NULL,
  byte_start INTEGER NOT NULL,
  byte_end INTEGER NOT NULL,
  sha256 BLOB NOT NULL,
  metadata_bytes INTEGER NOT NULL,
  name_sum INTEGER NOT NULL,
  checksum INTEGER NOT NULL
);
CREATE TABLE metadata_block(id INTEGER PRIMARY KEY, raw_length INTEGER NOT NULL, data BLOB NOT NULL);
CREATE TABLE block(id INTEGER PRIMARY KEY, chunk_count INTEGER NOT NULL, raw_length INTEGER NOT NULL, data BLOB NOT NULL);
CREATE VIRTUAL TABLE fts USING fts5(
  title, heading, body,
  content='', detail=full, columnsize=0, tokenize="ascii tokenchars '${TERM_PUNCTUATION}'"
);
CREATE TABLE packed(name TEXT PRIMARY KEY, raw_length INTEGER NOT NULL, data BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE list(term TEXT PRIMARY KEY, first_segment INTEGER NOT NULL, head BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE list_segment(id INTEGER PRIMARY KEY, raw_length INTEGER NOT NULL, data BLOB NOT NULL);
CREATE TABLE attribute_block(id INTEGER PRIMARY KEY, raw_length INTEGER NOT NULL, data BLOB NOT NULL);
`;

/** Raw bytes of text or metadata after which a block is closed; a chunk is never split, so one large chunk makes one large block. */
export const BLOCK_RAW_BYTES = 64 * 1024;

/** zstd level of text blocks. */
export const BLOCK_LEVEL = 3;

/** A raw block length above this is not believed when read from disk. */
export const MAX_BLOCK_RAW_BYTES = 512 * 1024 * 1024;

/** Separates the parts of a heading path inside a block (U+001F, unit separator). */
export const HEADING_SEPARATOR = '\u001f';

/** Memory that FTS5 may fill before it writes a segment; a shard below this is one segment without any merging. */
export const FTS_HASH_BYTES = 512 * 1024 * 1024;

declare const brand: unique symbol;
type Branded<Base, Name extends string> = Base & { readonly [brand]: Name };

/** Name of a shard in a corpus, `s` and ten hex digits of its content's digest. */
export type ShardId = Branded<string, 'ShardId'>;
/** Id of a document inside a shard = id of its first chunk. */
export type DocumentId = Branded<number, 'DocumentId'>;
/** Id of a chunk inside a shard = rowid in its FTS5 table. */
export type ChunkId = Branded<number, 'ChunkId'>;

/** How the bytes of a source file are packed. */
export type Compression = 'none' | 'gzip' | 'zstd' | 'bzip2' | 'xz';

/** What `meta` holds, parsed. */
export interface ShardMeta {
  readonly format: number;
  readonly id: ShardId;
  /** documents whose terms each analyzer made */
  readonly analyzers: Readonly<Record<string, number>>;
  /** of each analyzer */
  readonly analyzerParameters: Readonly<Record<string, unknown>>;
  readonly chunking: Readonly<Record<string, unknown>>;
  readonly documents: number;
  readonly chunks: number;
  readonly blocks: number;
  readonly metadataBlocks: number;
  readonly attributeBlocks: number;
  /** terms that have an offset list */
  readonly lists: number;
  /** what an occurrence in title, heading and body counts in the lists */
  readonly columnUnits: ColumnUnits;
  readonly rawBytes: number;
  readonly textBytes: number;
  readonly terms: number;
  readonly cutWords: number;
  readonly skippedRuns: number;
}
