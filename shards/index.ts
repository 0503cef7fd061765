/** What may leave the lowest floor: the shard file, its analyzer, its reader and writer. */
export * from './analysis/index.ts';
export type { StoredChunk } from './block.ts';
export {
  CorruptError,
  decodeError,
  type ErrorCode,
  type ErrorData,
  type ErrorFacts,
  encodeError,
  ShelfmarkError,
} from './errors.ts';
export { hashFile } from './file-hash.ts';
export {
  type ChunkId,
  type Compression,
  type DocumentId,
  FORMAT_VERSION,
  SHARD_SCHEMA,
  type ShardId,
  type ShardMeta,
} from './format.ts';
export { compareRanked, type MatchOptions, matchShard, type RankedChunk, type ShardQuery } from './match.ts';
export { analyzerFor, type ShardFilter, ShardReader, type StoredDocument, type StoredSource } from './shard-reader.ts';
export { type SealedShard, type ShardChunk, type ShardDocument, ShardWriter } from './shard-writer.ts';
export { formatShelfmark, parseShelfmark, type ShelfmarkParts } from './shelfmark.ts';
export { type Excerpt, excerptOf, type RenderOptions, renderSnippet, type Snippet, type Span } from './snippet.ts';
export { type Database, openDurable, openReadOnly, type Statement } from './sqlite.ts';
export { type VerifyDepth, type VerifyPart, type VerifyReport, verifyShardFile } from './verify.ts';
