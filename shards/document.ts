import type { DocumentId } from './format.ts';
import { murmur3 } from './postings/index.ts';
import { sha256Hex } from './sha256.ts';

/** What documents of a shard often have in common. */
export interface Profile {
  readonly kind: string;
  readonly collection: string;
  readonly file_type: string;
  readonly label: string;
  /** what made its terms */
  readonly analyzer: string;
}

/** A document's row as stored, with its profile and its source. Every field is covered by `checksum`, its name also by `name_sum`. */
export interface DocumentRow extends Profile {
  readonly id: DocumentId;
  readonly chunk_count: number;
  readonly uri: string;
  readonly title: string;
  readonly modified_at: string | null;
  readonly path: string;
  readonly compression: string;
  readonly byte_start: number;
  readonly byte_end: number;
  readonly sha256: Buffer;
  /** of the metadata's JSON in UTF-8; 0 when there is none */
  readonly metadata_bytes: number;
  readonly name_sum: number;
  readonly checksum: number;
}

/** SQL that reads a {@link DocumentRow}; fields of a profile or source that is missing are null, which no checksum matches. */
export const SELECT_DOCUMENT = `
SELECT document.id, chunk_count, uri, title, kind, collection, file_type, label, analyzer, modified_at, path, compression,
       byte_start, byte_end, sha256, metadata_bytes, name_sum, checksum
FROM document LEFT JOIN profile ON profile.id = profile_id LEFT JOIN source ON source.id = source_id`;

/** SQL that reads documents' names and what checks them. */
export const SELECT_NAME = `
SELECT document.id, uri, collection, name_sum FROM document LEFT JOIN profile ON profile.id = profile_id`;

/** What a document is called: no two of a corpus have both in common. */
export interface DocumentName {
  readonly uri: string;
  readonly collection: string;
}

/** Order of documents whose scores are equal: by uri, then collection, in UTF-16 code units. */
export function compareNames(a: DocumentName, b: DocumentName): number {
  return compareTexts(a.uri, b.uri) || compareTexts(a.collection, b.collection);
}

/** Order of texts by UTF-16 code units. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * MurmurHash3 of a document's id, uri and collection: checking a name alone must cost little, a ranking has thousands.
 * Signed, which SQLite stores in fewer bytes.
 */
export function nameSum(id: number, uri: string, collection: string): number {
  return murmur3(Buffer.from(JSON.stringify([id, uri, collection]))) | 0;
}

/**
 * 48 bits of SHA-256, signed, over a document's fields, its profile's and its source's. SQLite does not notice a flipped byte
 * inside a row; this does, so that a hit never names a wrong uri or byte range.
 */
export function documentChecksum(row: Omit<DocumentRow, 'checksum' | 'name_sum'>): number {
  const fields = [
    row.id,
    row.chunk_count,
    row.uri,
    row.title,
    row.kind,
    row.collection,
    row.file_type,
    row.modified_at,
    row.label,
    row.byte_start,
    row.byte_end,
    row.sha256.toString('hex'),
    row.metadata_bytes,
    row.path,
    row.compression,
    row.analyzer,
  ];
  return Number.parseInt(sha256Hex(JSON.stringify(fields)).slice(0, 12), 16) - 2 ** 47;
}
