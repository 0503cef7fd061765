import { type DocumentText, documentTexts } from '../document-texts.ts';
import { CorruptError } from '../errors.ts';
import type { DocumentId } from '../format.ts';
import type { ShardReader } from '../shard-reader.ts';
import { ATTRIBUTES, type AttributedDocument } from './document-attributes.ts';

/**
 * All documents of a shard in order with what their attributes are made from, read from their rows, metadata and text: slow,
 * for what the index does not have, and to check it.
 * @param name the attribute that is wanted, or null for all; without need of it no text is read, and none is given
 * @throws CorruptError
 */
export function* attributedDocuments(reader: ShardReader, name: string | null): Generator<AttributedDocument> {
  const texts = name === null || name === ATTRIBUTES.mention ? documentTexts(reader, null) : null;
  try {
    for (const document of reader.documents()) {
      const { kind, collection, fileType, label } = document;
      const text = texts === null ? '' : textOf(reader, document.id, texts.next().value);
      yield { kind, collection, fileType, label, metadata: reader.metadata(document), text };
    }
  } finally {
    // A query that is left half-way keeps the file from being closed.
    texts?.return(undefined);
  }
}

function textOf(reader: ShardReader, document: DocumentId, next: DocumentText | undefined): string {
  if (next?.document !== document) {
    throw new CorruptError(reader.file, 'document', `the text of document ${document} is missing`);
  }
  return next.bytes.toString('utf8');
}
