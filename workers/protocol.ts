/** What travels between the main thread and the worker threads: plain, readonly data only. */
import type {
  AttributeItem,
  ChunkExplanation,
  ColumnUnits,
  DocumentId,
  DocumentName,
  ErrorData,
  Literal,
  NearText,
  RankedChunk,
  Scoring,
  SealedShard,
  ShardFilter,
  ShardQuery,
  Snippet,
  StoredDocument,
  WordFilter,
  WordsQuery,
  Work,
} from '../shards/index.ts';
import type { PackedHits, PackedQueries } from './rank-message.ts';

/** Errors lose their class and fields between threads, so every answer is one of these. */
export type Answer<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: ErrorData };

// ── Build ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Settings that one build keeps from its first to its last document. */
export interface BuildSettings {
  /** one: of all documents; several: of each document that of its language, as the detector has it */
  readonly analyzers: readonly string[];
  /** what tells languages apart, with its version; null when there is one analyzer */
  readonly detector: string | null;
  readonly collection: string;
  readonly kind: string;
  readonly label: string;
  readonly maxWords: number;
  readonly overlapWords: number;
}

/** What tells languages apart: the package, its tables, and a number that rises when the rules around it change. */
export const DETECTOR = 'eld 2.1.0 extrasmall 1';

/** The source that some records of a batch come from. */
export interface BatchSource {
  readonly path: string;
  readonly uri: string;
  readonly format: 'jsonl' | 'markdown' | 'text';
  readonly compression: string;
}

/** Records on their way to a worker. `bytes` is transferred, not copied. */
export interface RecordBatch {
  readonly index: number;
  readonly sources: readonly BatchSource[];
  readonly bytes: Uint8Array;
  /** per record five numbers: index in `sources`, offset in `bytes`, length, byte offset in the source, 1 if a part */
  readonly records: Float64Array;
}

/** Numbers per record in {@link RecordBatch.records}. */
export const recordStride = 5;

/** What a record turned out to be. */
export const recordStatus = { document: 0, empty: 1, rejected: 2 } as const;

/** What the main thread decides about a document. */
export const verdict = { index: 0, unchanged: 1, duplicate: 2 } as const;

/** A record that was not indexed, and why. */
export interface RecordReject {
  readonly record: number;
  readonly uri: string | null;
  readonly reason: string;
}

/** Answer to `parse`. */
export interface ParsedBatch {
  readonly index: number;
  readonly status: Uint8Array;
  /** identity of each document: 64 bits of SHA-256 over collection and uri */
  readonly keys: BigInt64Array;
  /** content of each document: 64 bits of SHA-256 over its record, place and settings */
  readonly fingerprints: BigInt64Array;
  readonly rejects: readonly RecordReject[];
  /** per record 1 if invalid UTF-8 in it was replaced */
  readonly repaired: Uint8Array;
}

/** Answer to `index`. */
export interface IndexedBatch {
  readonly index: number;
  /** per record the document's id in the shard being written, 0 if it was not indexed */
  readonly documents: Float64Array;
  /** uri of each record that was dropped as a duplicate */
  readonly duplicates: readonly { readonly record: number; readonly uri: string }[];
}

export type BuildTask =
  | { readonly op: 'open'; readonly file: string; readonly settings: BuildSettings }
  | { readonly op: 'parse'; readonly settings: BuildSettings; readonly batch: RecordBatch }
  | { readonly op: 'index'; readonly index: number; readonly verdicts: Uint8Array }
  | { readonly op: 'seal' }
  | { readonly op: 'abort' };

export interface BuildAnswers {
  readonly open: null;
  readonly parse: ParsedBatch;
  readonly index: IndexedBatch;
  readonly seal: SealedShard | null;
  readonly abort: null;
}

// ── Search ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A shard as a search worker is told about it. */
export interface ShardTarget {
  readonly id: string;
  readonly file: string;
  /** counts from the catalog: a file that says otherwise is not the one that was sealed */
  readonly documents: number;
  readonly chunks: number;
  /** tokens of all chunks */
  readonly tokens: number;
  readonly dead: readonly number[];
}

/** Shared flag: 0 = go on, 1 = stop. A message could not reach a worker that is busy inside SQLite. */
export type StopFlag = Int32Array<SharedArrayBuffer>;

/** Tells a thread which shards are its own; comes before everything else. */
export interface OpenTask {
  readonly op: 'open';
  readonly shards: readonly ShardTarget[];
  /** shards open at once, at most */
  readonly maxOpen: number;
  /** budget for expanded postings of all its shards together */
  readonly postingsBytes: number;
}

/** On which shards, and when to give up. */
export interface Limits {
  /** names of shards to leave out */
  readonly excluded: readonly string[];
  /** milliseconds since the epoch, or null for no limit */
  readonly deadline: number | null;
  readonly stop: StopFlag | null;
}

/** Counts in how many chunks of a thread's shards terms are. */
export interface CountTask extends Limits {
  readonly op: 'count';
  readonly terms: readonly string[];
  readonly columnUnits: ColumnUnits;
}

/** Answer to `count`: chunks per term, over the shards that did not fail. */
export interface CountAnswer extends Shortfall {
  readonly frequencies: Float64Array;
}

/** Asks which attributes, or values of them, any document of a thread's shards has. */
export interface KnownTask extends Limits {
  readonly op: 'known';
  readonly items: readonly AttributeItem[];
}

/** Answer to `known`, one entry per item, over the shards that did not fail. */
export interface KnownAnswer extends Shortfall {
  readonly known: readonly boolean[];
}

/** Asks for what is most like an attribute or value that no document has. */
export interface NearestTask extends Limits {
  readonly op: 'nearest';
  readonly item: AttributeItem;
  readonly count: number;
}

/** Answer to `nearest`, best first. */
export interface NearestAnswer extends Shortfall {
  readonly texts: readonly NearText[];
}

/** What queries of one message have in common. */
export interface RankOptions extends Limits {
  readonly k: number;
  readonly by: 'chunk' | 'document';
  readonly filter: ShardFilter;
  /** words that hits must have or must not have, beside the query's; null: none */
  readonly words: WordFilter | null;
  readonly scoring: Scoring;
  /** count the work of each query */
  readonly countWork: boolean;
  /** a floor per query, shared by all threads; see ranking/shared-floor.ts */
  readonly floors: Int32Array<SharedArrayBuffer>;
}

/** Ranks many queries on a thread's shards. */
export interface RankTask extends RankOptions, PackedQueries {
  readonly op: 'rank';
}

/** A ranked chunk, the shard it stands in, and the name of its document. */
export interface RankedHit extends RankedChunk, DocumentName {
  readonly shard: string;
}

/** Answer to `rank`: hits per query, best first over this thread's shards. */
export interface RankAnswer extends Shortfall {
  /** packed, see rank-message.ts; hits that others have outdone meanwhile may be missing */
  readonly hits: PackedHits;
  /** shards with hits whose names cannot be read: others would have come in their place */
  readonly unnamed: readonly ShardFailure[];
  /** per query, if it was to be counted */
  readonly work: readonly Work[];
  /** milliseconds that the thread spent on the task */
  readonly ms: number;
}

/** Ranks passages of winning documents. It belongs to answering, as fetching their text does, and has no deadline. */
export interface EvidenceTask extends EvidenceOptions, PackedQueries {
  readonly op: 'evidence';
  readonly items: readonly EvidenceItem[];
}

/** What evidence of all queries has in common. */
export interface EvidenceOptions extends Pick<RankOptions, 'filter' | 'words' | 'scoring' | 'stop'> {
  /** passages wanted of each document */
  readonly count: number;
}

/** Winners of one query in one shard. */
export interface EvidenceItem {
  readonly shard: string;
  readonly documents: readonly DocumentId[];
  readonly query: number;
}

/** Answer to `evidence`, one entry per item: per document its best passages, best first. */
export type EvidenceAnswer = readonly Answer<readonly (readonly RankedChunk[])[]>[];

/** Compares embedded queries with the vectors of a thread's shards. */
export interface RankVectorsTask extends Limits {
  readonly op: 'rankVectors';
  /** embeddings of the queries */
  readonly queries: readonly Float32Array[];
  /** which model's vectors */
  readonly key: string;
  readonly k: number;
  readonly by: 'chunk' | 'document';
  readonly filter: ShardFilter;
  /** words that hits must have or must not have; null: none */
  readonly words: WordFilter | null;
  /** sequences of terms that every hit must have */
  readonly phrases: ShardQuery['phrases'];
}

/** Answer to `rankVectors`; `hits[i]` belong to `queries[i]`, best first over this thread's shards. */
export interface RankVectorsAnswer extends Shortfall {
  readonly hits: readonly (readonly RankedHit[])[];
  /** as in {@link RankAnswer} */
  readonly unnamed: readonly ShardFailure[];
  /** shards that have no vectors of the model */
  readonly bare: readonly string[];
  /** milliseconds that the thread spent on the task */
  readonly ms: number;
}

/** Looks for literals in the text of a thread's shards, without their indexes. */
export interface ScanTask extends Limits, Pick<RankOptions, 'k' | 'by' | 'filter' | 'words' | 'scoring'> {
  readonly op: 'scan';
  readonly literals: readonly Literal[];
  /** all shards of the corpus in the order of hits; in a shard they have the order of chunks */
  readonly order: readonly string[];
  /** per literal, hits found so far in each shard of `order`; shared by all threads */
  readonly counts: Int32Array<SharedArrayBuffer>;
  /** chunks looked through so far; shared by all threads */
  readonly progress: Int32Array<SharedArrayBuffer>;
}

/** Answers queries from the text of a thread's shards alone. */
export interface ScanWordsTask extends Limits, Pick<RankOptions, 'k' | 'by' | 'filter' | 'words'> {
  readonly op: 'scanWords';
  readonly queries: readonly WordsQuery[];
}

/** Answer to `scan` and `scanWords`: hits per literal or query, best first in each shard. */
export interface ScanAnswer extends Shortfall {
  readonly hits: readonly (readonly RankedHit[])[];
}

/** Shards that a task could not be done on. */
export interface Shortfall {
  readonly failed: readonly ShardFailure[];
  readonly timedOut: readonly string[];
}

/** A shard that could not be searched. */
export interface ShardFailure {
  readonly shard: string;
  readonly error: ErrorData;
}

/** Fetches the text of winners. */
export interface FetchTask {
  readonly op: 'fetch';
  readonly items: readonly FetchItem[];
  /** items name theirs */
  readonly queries: readonly FetchQuery[];
  readonly snippetLength: number;
  /** also send the whole chunk */
  readonly text: boolean;
  /** also explain the scores, which were made with these */
  readonly explain: { readonly scoring: Scoring; readonly frequencies: ReadonlyMap<string, number> } | null;
  /** raised when nobody wants the answer any more */
  readonly stop: StopFlag | null;
}

/** What to show of a query. */
export interface FetchQuery {
  readonly tokens: ShardQuery['tokens'];
  /** shown instead of tokens, when the text was looked for as it is written */
  readonly literal: Literal | null;
  /** the terms that were scored, null when none were */
  readonly terms: readonly string[] | null;
}

/** One winner. */
export interface FetchItem {
  readonly shard: string;
  readonly chunk: number;
  readonly score: number;
  readonly query: number;
}

/** Text and place of one winner. */
export interface FetchedHit {
  readonly document: StoredDocument;
  readonly heading: readonly string[];
  readonly ordinal: number;
  readonly snippet: Snippet;
  readonly matched: readonly boolean[];
  readonly text: string | null;
  /** byte of the document's text at which the chunk begins */
  readonly textStart: number;
  readonly explanation: ChunkExplanation | null;
}

/** Answer to `fetch`, one entry per item. */
export type FetchAnswer = readonly Answer<FetchedHit>[];

/** Checks one shard file against the catalog and against itself. */
export interface VerifyTask {
  readonly op: 'verify';
  readonly shard: string;
  readonly file: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly documents: number;
  readonly chunks: number;
  readonly depth: 'sample' | 'deep';
  /** keys of the models by which the shard has vectors */
  readonly vectors: readonly string[];
}

/** Answer to `verify`: the report of the file, with the comparison to the catalog as first part. */
export interface VerifyAnswer {
  readonly shard: string;
  readonly file: string;
  readonly ok: boolean;
  readonly parts: readonly { readonly name: string; readonly status: 'ok' | 'damaged'; readonly detail: string }[];
}

export type SearchTask =
  | OpenTask
  | CountTask
  | KnownTask
  | NearestTask
  | RankTask
  | RankVectorsTask
  | EvidenceTask
  | ScanTask
  | ScanWordsTask
  | FetchTask
  | VerifyTask;

export interface SearchAnswers {
  readonly open: null;
  readonly count: CountAnswer;
  readonly known: KnownAnswer;
  readonly nearest: NearestAnswer;
  readonly evidence: EvidenceAnswer;
  readonly scan: ScanAnswer;
  readonly scanWords: ScanAnswer;
  readonly rank: RankAnswer;
  readonly rankVectors: RankVectorsAnswer;
  readonly fetch: FetchAnswer;
  readonly verify: VerifyAnswer;
}
