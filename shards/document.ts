import type { DocumentId } from './format.ts';
import { sha256Hex } from './sha256.ts';

/** A document's row as stored. Every field is covered by `checksum`. */
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
  readonly checksum: number;
}

/**
 * 48 bits of SHA-256 over a document's fields and its source's. SQLite does not notice a flipped byte inside a row;
 * this does, so that a hit never names a wrong uri or byte range.
 */
export function documentChecksum(
  row: Omit<DocumentRow, 'checksum'>,
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
