/** What may leave the lowest floor: the shard file, its analyzer, its reader and writer. */
export * from './analysis/index.ts';
export { ATTRIBUTES, METADATA_PREFIX } from './attributes/document-attributes.ts';
export { withoutDot } from './attributes/mentioned-paths.ts';
export { compareNames, compareTexts, type DocumentName } from './document.ts';
export {
  CorruptError,
  decodeError,
  type ErrorCode,
  type ErrorData,
  type ErrorFacts,
  encodeError,
  explainReadError,
  ShelfmarkError,
} from './errors.ts';
export { hashFile } from './file-hash.ts';
export {
  type AttributeItem,
  hasAttribute,
  type NearText,
  nearest,
  nearestAttributes,
} from './filter/known-attributes.ts';
export { NO_FILTER, type ShardFilter } from './filter/shard-filter.ts';
export {
  type ChunkId,
  type Compression,
  type DocumentId,
  SHARD_SCHEMA,
  type ShardId,
} from './format.ts';
export type { ColumnUnits } from './postings/index.ts';
export { COLUMN_UNITS, DEFAULT_SCORING, type Scoring } from './ranking/bm25.ts';
export { type ChunkExplanation, explainChunk, type TermExplanation } from './ranking/explain.ts';
export { PostingsCache } from './ranking/postings-cache.ts';
export type { Phrase } from './ranking/prepared-query.ts';
export {
  canMatch,
  type PreparedQuery,
  prepareQuery,
  type ShardQuery,
  type TermTable,
  termsOf,
  visitTerms,
} from './ranking/prepared-query.ts';
export { rankPassages } from './ranking/rank-passages.ts';
export { type RankedChunk, type RankOptions, rankShard, weighTerms } from './ranking/rank-shard.ts';
export { newFloors, SharedFloor } from './ranking/shared-floor.ts';
export { filterByWords, type WordFilter } from './ranking/word-filter.ts';
export { addWork, noWork, type Work } from './ranking/work.ts';
export { type Literal, LiteralFinder, literalSpans } from './scan/literal.ts';
export { scanShard } from './scan/scan-shard.ts';
export { scanForWords, type WordsQuery } from './scan/scan-words.ts';
export { sha256Hex } from './sha256.ts';
export {
  analyzerFor,
  ShardReader,
  type ShardReaderOptions,
  type StoredDocument,
  type StoredSource,
} from './shard-reader.ts';
export {
  type SealedShard,
  type ShardChunk,
  type ShardDocument,
  ShardWriter,
  type ShardWriterOptions,
} from './shard-writer.ts';
export { formatShelfmark, parseShelfmark } from './shelfmark.ts';
export { type Excerpt, excerptAround, excerptOf, renderSnippet, type Snippet } from './snippet.ts';
export { type Database, openDurable, openReadOnly, type Statement } from './sqlite.ts';
export { parseVectorsFileName, unfinishedSuffix, vectorsFileName } from './vectors/file-names.ts';
export { type VerifyDepth, verifyShardFile } from './verify.ts';
