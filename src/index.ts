/** Shelfmark as a library: build a corpus, search it, answer batches, cite. */

export {
  type ChunkExplanation,
  type ErrorCode,
  type ErrorFacts,
  ShelfmarkError,
  type TermExplanation,
  type Work,
} from '../shards/index.ts';
export type { EmbeddingModel } from '../shards/vectors/index.ts';
export type { VerifyAnswer } from '../workers/protocol.ts';
export type { BatchQuery, BatchRow, RankedRow } from './batch/answer-batch.ts';
export { type Context, type ContextBudget, chooseContexts } from './batch/contexts.ts';
export { escapeTrecId } from './batch/trec.ts';
export { type AdoptReport, adoptParts } from './build/adopt-parts.ts';
export { buildCorpus } from './build/build-corpus.ts';
export type { BuildOptions, BuildProgress, BuildReport } from './build/options.ts';
export type { Counters } from './catalog.ts';
export type { Citation } from './cite.ts';
export { Corpus, type CorpusOptions, type CorpusStats, type Passage, type ShowOptions } from './corpus.ts';
export { embedCorpus } from './embed/embed-corpus.ts';
export type { EmbedOptions, EmbedProgress, EmbedReport } from './embed/embed-options.ts';
export type { Embedder } from './embed/embedder.ts';
export type { EndpointOptions } from './embed/endpoint-embedder.ts';
export type { Embeddings } from './embed/find-embeddings.ts';
export { type EmbedderOptions, openEmbedder } from './embed/open-embedder.ts';
export {
  type Comparison,
  compareEvaluations,
  type Evaluation,
  evaluateAnswers,
  evaluateRun,
  type GoldAnswers,
  type JudgedRanking,
  type Metric,
  type MetricValues,
  parseMetrics,
  type Qrels,
  type QueryValues,
  type Run,
  readAnswers,
  readQrels,
  readRun,
} from './eval/index.ts';
export type { RetrieverName } from './retrieve/retriever.ts';
export {
  type Coverage,
  type Evidence,
  type Explanation,
  type Hit,
  type HitSource,
  type Markers,
  markSnippet,
  type Retrieval,
  type RetrieverRanks,
  type RungExplanation,
  type SearchAnswer,
} from './search/hits.ts';
export type { Fallback, MatchMode, RungName } from './search/match-policy.ts';
export type { MetadataValue, ScanProgress, SearchOptions } from './search/options.ts';
export { readSynonyms, type SynonymRule } from './search/synonyms.ts';
export type { CorpusReport, VerifyOptions } from './verify-corpus.ts';
