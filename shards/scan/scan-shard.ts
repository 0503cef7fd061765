import { type DocumentText, documentTexts } from '../document-texts.ts';
import type { ChunkId } from '../format.ts';
import type { ChunkFilter } from '../ranking/context.ts';
import type { RankedChunk } from '../ranking/rank-shard.ts';
import type { ShardReader } from '../shard-reader.ts';
import { type LiteralFinder, SearchedText } from './literal.ts';

/** What is wanted of a scan. */
export interface ScanOptions {
  /** one hit per chunk, or the first chunk of each document */
  readonly by: 'chunk' | 'document';
  /** chunks of the documents that may have hits, all of a document or none; null: every document */
  readonly documents: ChunkFilter | null;
  /** which of them may be hits; null: every chunk */
  readonly filter: ChunkFilter | null;
  /** whether more hits of a literal are of no use; asked now and then */
  readonly isEnough: (literal: number) => boolean;
  /** told of hits when they are found */
  readonly onHits: (literal: number, hits: readonly RankedChunk[]) => void;
  /** told of chunks that were looked through */
  readonly onProgress: (chunks: number) => void;
  /** called once a document; throws to stop */
  readonly check: () => void;
}

/** Documents after which it is asked again whether more hits are of use. */
const askEvery = 64;

/**
 * Looks for literals in the text of a shard, without its index. Hits come in the order of the shard; a hit's score is
 * how often the literal begins in it.
 * @throws CorruptError when a text is damaged
 */
export function scanShard(reader: ShardReader, finders: readonly LiteralFinder[], options: ScanOptions): void {
  const { isEnough, onHits, onProgress, check } = options;
  let open = [...finders.keys()];
  let untilAsked = 0;
  for (const document of documentTexts(reader, options.documents)) {
    check();
    if (untilAsked-- === 0) {
      open = open.filter((literal) => !isEnough(literal));
      untilAsked = askEvery;
    }
    if (open.length === 0) return;
    const text = new SearchedText(document.bytes);
    for (const literal of open) {
      const hits = hitsIn(document, text, finders[literal]!, options);
      if (hits.length === 0) continue;
      onHits(literal, hits);
      untilAsked = 0;
    }
    onProgress(document.chunks.length);
  }
}

function hitsIn(
  { document, chunks }: DocumentText,
  text: SearchedText,
  finder: LiteralFinder,
  { by, filter }: ScanOptions,
): RankedChunk[] {
  const counts = new Map<ChunkId, number>();
  let at = 0;
  finder.find(text, (byte) => {
    while (chunks[at]!.end <= byte) at++;
    // With overlap a match can stand in two chunks; it counts for the first.
    const { chunk } = chunks[at]!;
    if (filter === null || filter.bitmap[chunk] === 1) counts.set(chunk, (counts.get(chunk) ?? 0) + 1);
  });
  const hits = [...counts].map(([chunk, score]) => ({ score, chunk, document, ordinal: chunk - document + 1 }));
  return by === 'document' ? hits.slice(0, 1) : hits;
}
