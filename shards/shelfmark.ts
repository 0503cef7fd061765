import { ShelfmarkError } from './errors.ts';
import type { DocumentId, ShardId } from './format.ts';

/** A citation taken apart: shard, document in it, ordinal of the chunk in the document (from 1). */
export interface ShelfmarkParts {
  readonly shard: ShardId;
  readonly document: DocumentId;
  readonly ordinal: number;
}

const pattern = /^(s[0-9a-f]{10})\/([1-9][0-9]{0,14})\/([1-9][0-9]{0,14})$/;

/** Writes a shelfmark, `s3f9c21a07b/418/2`: stable for as long as the shard exists. */
export function formatShelfmark(parts: ShelfmarkParts): string {
  return `${parts.shard}/${parts.document}/${parts.ordinal}`;
}

/** Reads a shelfmark. @throws ShelfmarkError SHELFMARK_USAGE when the text is not one. */
export function parseShelfmark(text: string): ShelfmarkParts {
  const match = pattern.exec(text.trim());
  if (match === null) {
    throw new ShelfmarkError(
      'SHELFMARK_USAGE',
      `"${text.slice(0, 80)}" is not a shelfmark. Expected shard/document/chunk, for example s3f9c21a07b/418/2.`,
      { shelfmark: text.slice(0, 80) },
    );
  }
  return { shard: match[1] as ShardId, document: Number(match[2]) as DocumentId, ordinal: Number(match[3]) };
}
