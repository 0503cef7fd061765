import type { DocumentId } from './format.ts';
import type { ShardReader } from './shard-reader.ts';

/** A document's text. */
export interface DocumentText {
  readonly document: DocumentId;
  readonly text: string;
}

/** The text of every document in order, put together from its chunks. @throws CorruptError when a block is damaged */
export function* documentTexts(reader: ShardReader): Generator<DocumentText, undefined> {
  let document: DocumentId | undefined;
  let parts: Buffer[] = [];
  let bytes = 0;
  for (const chunk of reader.chunks()) {
    if (chunk.document !== document) {
      if (document !== undefined) yield { document, text: Buffer.concat(parts).toString('utf8') };
      document = chunk.document;
      parts = [];
      bytes = 0;
    }
    // Chunks that overlap repeat the end of the one before.
    const known = Math.max(0, bytes - chunk.textStart);
    const part = Buffer.from(chunk.lead + chunk.body).subarray(known);
    parts.push(part);
    bytes += part.length;
  }
  if (document !== undefined) yield { document, text: Buffer.concat(parts).toString('utf8') };
  return undefined;
}
