import type { DocumentId } from './format.ts';
import { murmur3 } from './postings/index.ts';
import { sha256Hex } from './sha256.ts';

/** A document's row as stored. Every field is covered by `checksum`, its name also by `name_sum`. */
export interface DocumentRow {
  readonly id: DocumentId;
  readonly chunk_count: number;
  readonly uri: string;
  readonly title: string;
  readonly kind: string;
  readonly collection: string;
  readonly file_type: string;
  readonly modified_at: string | null;
  readonly label: string;
  readonly source_id: number;
  readonly byte_start: number;
  readonly byte_end: number;
  readonly sha256: Buffer;
  readonly metadata: string | null;
  readonly name_sum: number;
  readonly checksum: number;
}

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

/** MurmurHash3 of a document's id, uri and collection: checking a name alone must cost little, a ranking has thousands. */
export function nameSum(id: number, uri: string, collection: string): number {
  return murmur3(Buffer.from(JSON.stringify([id, uri, collection])));
}

/**
 * 48 bits of SHA-256 over a document's fields and its source's. SQLite does not notice a flipped byte inside a row;
 * this does, so that a hit never names a wrong uri or byte range.
 */
export function documentChecksum(
  row: Omit<DocumentRow, 'checksum' | 'name_sum'>,
  source: { readonly path: string; readonly compression: string },
): number {
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
    row.metadata,
    source.path,
    source.compression,
  ];
  return Number.parseInt(sha256Hex(JSON.stringify(fields)).slice(0, 12), 16);
}
