import type { BlockText } from './block.ts';
import type { ChunkId, DocumentId } from './format.ts';
import type { ChunkFilter } from './ranking/context.ts';
import type { ShardReader } from './shard-reader.ts';

/** The whole text of a document and where its chunks stand in it. */
export interface DocumentText {
  readonly document: DocumentId;
  readonly bytes: Buffer;
  /** in order; `start` and `end` are bytes of the text. With overlap a chunk begins before the one before it ends. */
  readonly chunks: readonly { readonly chunk: ChunkId; readonly start: number; readonly end: number }[];
}

/**
 * The documents of a shard in their order, each put together from its chunks, so that what stands across a cut is whole.
 * Blocks in which no chunk is allowed are not read, so documents that are not allowed may be missing, or parts of them.
 * @param filter chunks of the documents that are wanted, all of a document or none; null: all documents
 * @throws CorruptError
 */
export function* documentTexts(reader: ShardReader, filter: ChunkFilter | null): Generator<DocumentText, undefined> {
  let own: BlockText[] = [];
  for (const text of reader.blockTexts((first, count) => isAnyAllowed(filter, first, count))) {
    const [before] = own;
    if (before !== undefined && before.document !== text.document) {
      yield joined(own);
      own = [];
    }
    own.push(text);
  }
  if (own.length > 0) yield joined(own);
  return undefined;
}

function isAnyAllowed(filter: ChunkFilter | null, first: number, count: number): boolean {
  return filter === null || filter.bitmap.subarray(first, first + count).includes(1);
}

function joined(texts: readonly BlockText[]): DocumentText {
  const parts: Buffer[] = [];
  let [length, reached] = [0, 0];
  const chunks = texts.map(({ chunk, textStart, text }) => {
    // With overlap its beginning is there already; after a part that is missing nothing is.
    const known = Math.min(text.length, Math.max(0, reached - textStart));
    const start = length - known;
    if (known < text.length) parts.push(text.subarray(known));
    length += text.length - known;
    reached = Math.max(reached, textStart + text.length);
    return { chunk, start, end: start + text.length };
  });
  const bytes = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  return { document: texts[0]!.document, bytes, chunks };
}
