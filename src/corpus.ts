import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import {
  ANALYZER_ID,
  ANALYZER_IDS,
  analyzerFor,
  type ChunkId,
  formatShelfmark,
  languageIn,
  parseShelfmark,
  type ShardId,
  ShardReader,
  ShelfmarkError,
  type StoredDocument,
} from '../shards/index.ts';
import type { ShardTarget } from '../workers/protocol.ts';
import { answerBatch, type BatchQuery, type BatchRow, type RankedRow, rankBatch } from './batch/answer-batch.ts';
import { isLost } from './build/lost-shards.ts';
import { Catalog, type ShardRow } from './catalog.ts';
import type { Citation } from './cite.ts';
import type { Embeddings } from './embed/find-embeddings.ts';
import { layoutOf } from './layout.ts';
import { requireInteger } from './require-integer.ts';
import type { Retriever } from './retrieve/retriever.ts';
import type { HitSource, SearchAnswer } from './search/hits.ts';
import { type FilledSearchOptions, fillSearchOptions, type SearchOptions } from './search/options.ts';
import { QueryAnalyzer } from './search/query-analyzer.ts';
import { Searcher } from './search/searcher.ts';
import { sectionAnchor } from './search/section-anchor.ts';
import { ShardPool } from './search/shard-pool.ts';
import { type CorpusReport, type VerifyOptions, verifyCorpus } from './verify-corpus.ts';

/** How to open a corpus. */
export interface CorpusOptions {
  /**
   * Search threads, 0 to 64. 0 searches in the calling thread and starts none: best for a few questions, and an abort is
   * heard only between the steps of a search. @default the machine's cores, at most 8 and at most one a shard
   */
  readonly workers?: number;
  /** Memory for expanded postings, all threads together, in bytes; at least 1 MiB. @default 512 MiB */
  readonly cacheBytes?: number;
}

const defaultCacheBytes = 512 * 2 ** 20;

/** How much to show. */
export interface ShowOptions {
  /** Chunks before and after the one named, in the same document. @default 0 */
  readonly around?: number;
  /** All chunks of the document. @default false */
  readonly document?: boolean;
}

/** A passage read back from the corpus. */
export interface Passage {
  readonly shelfmark: string;
  readonly uri: string;
  readonly title: string;
  readonly heading: readonly string[];
  readonly section: string;
  readonly ordinal: number;
  readonly chunkCount: number;
  readonly text: string;
  readonly label: string;
  readonly kind: string;
  readonly collection: string;
  /** of the document, as it was built */
  readonly language: string;
  readonly modified_at: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  /** byte range of the chunk in the document's text */
  readonly textStart: number;
  readonly textEnd: number;
  readonly source: HitSource;
}

/** What a corpus holds. */
export interface CorpusStats {
  readonly corpus: string;
  readonly shards: number;
  readonly documents: number;
  readonly chunks: number;
  readonly terms: number;
  readonly textBytes: number;
  readonly rawBytes: number;
  readonly shardBytes: number;
  readonly replacedDocuments: number;
  /** shards whose files are missing or cut off */
  readonly lostShards: number;
  readonly sources: number;
  readonly unfinishedBuilds: number;
  readonly analyzers: readonly string[];
}

/**
 * An open corpus. Threads start with the first search; `close` ends them, after which a script can exit. Shards that a
 * later build adds are seen by the next `Corpus.open`.
 */
export class Corpus {
  readonly path: string;
  readonly #rows: readonly ShardRow[];
  readonly #targets: readonly (ShardTarget & { readonly bytes: number })[];
  readonly #threads: number;
  readonly #cacheBytes: number;
  #search: { readonly pool: ShardPool; readonly searcher: Searcher } | undefined;
  #lastRetriever:
    | (Pick<FilledSearchOptions, 'retriever' | 'embedder' | 'model'> & { readonly opened: Promise<Retriever> })
    | undefined;
  #isClosed = false;

  private constructor(path: string, catalog: Catalog, threads: number, cacheBytes: number) {
    const { shards } = layoutOf(path);
    const dead = catalog.tombstones();
    this.path = path;
    this.#threads = threads;
    this.#cacheBytes = cacheBytes;
    this.#rows = catalog.shards();
    this.#targets = this.#rows.map((row) => ({
      id: row.name,
      file: join(shards, row.file),
      documents: row.documents,
      chunks: row.chunks,
      tokens: row.terms,
      dead: dead.get(row.id) ?? [],
      bytes: row.bytes,
    }));
  }

  /**
   * Opens a corpus for searching.
   * @throws ShelfmarkError SHELFMARK_NOT_FOUND when the folder is no corpus, SHELFMARK_TOO_NEW or _CORRUPT for its catalog.
   */
  static async open(path: string, options: CorpusOptions = {}): Promise<Corpus> {
    if (typeof path !== 'string' || path === '') {
      throw new ShelfmarkError('SHELFMARK_USAGE', 'corpus: expected the name of a folder.');
    }
    const { workers = Math.min(8, availableParallelism()), cacheBytes = defaultCacheBytes } = options;
    requireInteger('workers', workers, 0, 64);
    requireInteger('cacheBytes', cacheBytes, 2 ** 20, 2 ** 40);
    const root = resolve(path);
    const catalog = Catalog.openReadOnly(root);
    try {
      return new Corpus(root, catalog, workers, cacheBytes);
    } finally {
      catalog.close();
    }
  }

  /**
   * Answers one query from all shards.
   * @throws ShelfmarkError SHELFMARK_NO_WORDS, SHELFMARK_USAGE; the signal's reason when aborted.
   */
  async search(query: string, options: SearchOptions = {}): Promise<SearchAnswer> {
    if (typeof query !== 'string') throw new ShelfmarkError('SHELFMARK_USAGE', 'query: expected a text.');
    const filled = fillSearchOptions(options);
    const { searcher } = this.#started();
    const plan = searcher.plan(query, filled);
    const [answer] = await searcher.answer([plan], filled, await this.#retriever(filled));
    return answer!;
  }

  /**
   * Answers many queries with full hits, in their order. Queries are read as they are needed; a few groups of them are
   * under way at a time, so memory stays bounded however many there are.
   */
  batch(
    queries: AsyncIterable<BatchQuery> | Iterable<BatchQuery>,
    options: SearchOptions = {},
  ): AsyncGenerator<BatchRow> {
    const filled = fillSearchOptions(options);
    return answerBatch(this.#started().searcher, queries, filled, () => this.#retriever(filled));
  }

  /** Ranks many queries without fetching text: what a TREC run needs, and much faster than `batch`. */
  rank(
    queries: AsyncIterable<BatchQuery> | Iterable<BatchQuery>,
    options: SearchOptions = {},
  ): AsyncGenerator<RankedRow> {
    const filled = fillSearchOptions(options);
    return rankBatch(this.#started().searcher, queries, filled, () => this.#retriever(filled));
  }

  /**
   * Reads passages back.
   * @throws ShelfmarkError SHELFMARK_NOT_FOUND when there is no such passage, SHELFMARK_CORRUPT when it is damaged.
   */
  async show(shelfmark: string, options: ShowOptions = {}): Promise<Passage[]> {
    requireInteger('around', options.around ?? 0, 0, 1_000_000_000);
    return this.#withDocument(shelfmark, (reader, document, ordinal) => {
      const around = options.document === true ? document.chunkCount : (options.around ?? 0);
      const first = Math.max(1, ordinal - around);
      const last = Math.min(document.chunkCount, ordinal + around);
      const passages: Passage[] = [];
      for (let at = first; at <= last; at++) passages.push(toPassage(reader, document, at));
      return passages;
    });
  }

  /** Reads the source again and says whether the record cited is still there. */
  async cite(shelfmark: string): Promise<Citation> {
    const source = this.#withDocument(shelfmark, (_, document) => document.source);
    // Decompressors take longer to load than a search takes, and only this needs them.
    const { checkCitation } = await import('./cite.ts');
    return await checkCitation(shelfmark, source);
  }

  /** Checks every shard and the catalog. */
  async verify(options: VerifyOptions = {}): Promise<CorpusReport> {
    return await verifyCorpus(this.path, this.#rows, this.#started().pool, options);
  }

  /** What the corpus holds, from its catalog. @throws ShelfmarkError as {@link Corpus.open} does. */
  stats(): CorpusStats {
    // Counting sources and looking at files takes time that opening for a search must not.
    const catalog = Catalog.openReadOnly(this.path);
    try {
      const replaced = this.#targets.reduce((total, { dead }) => total + dead.length, 0);
      return statsOf(this.path, this.#rows, catalog, replaced);
    } finally {
      catalog.close();
    }
  }

  /** The embeddings that the corpus has, by model; those of most shards first. */
  async embeddings(): Promise<readonly Embeddings[]> {
    const { findEmbeddings } = await import('./embed/find-embeddings.ts');
    return findEmbeddings(this.path, this.#rows).embeddings;
  }

  /** SHA-256 over what is searched: the shards by hash, and the documents in them that were replaced. */
  fingerprint(): string {
    const parts = this.#targets.map(({ id, dead }, index) => [id, this.#rows[index]!.sha256, dead]);
    return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  }

  /** Ends the threads and closes all files. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const search = this.#search;
    this.#search = undefined;
    await search?.pool.close();
  }

  #started(): { readonly pool: ShardPool; readonly searcher: Searcher } {
    if (this.#isClosed) throw new ShelfmarkError('SHELFMARK_CLOSED', 'The corpus is closed.');
    if (this.#search === undefined) {
      const pool = new ShardPool(this.#targets, this.#threads, this.#cacheBytes);
      this.#search = { pool, searcher: new Searcher(pool, this.#targets, queryAnalyzerOf(this.#rows)) };
    }
    return this.#search;
  }

  /** What finds hits. What was opened for it last is kept: a model takes seconds to load. */
  #retriever({ retriever, embedder, model }: FilledSearchOptions): Promise<Retriever> {
    const { pool, searcher } = this.#started();
    if (retriever === 'lexical') return Promise.resolve(searcher);
    const last = this.#lastRetriever;
    if (last?.retriever === retriever && last.embedder === embedder && last.model === model) return last.opened;
    const parts = { corpus: this.path, rows: this.#rows, pool, searcher };
    const opened = import('./retrieve/open-retriever.ts').then(({ openRetriever }) =>
      openRetriever(parts, { retriever, embedder, model }),
    );
    this.#lastRetriever = { retriever, embedder, model, opened };
    // What failed may go well another time.
    opened.catch(() => {
      if (this.#lastRetriever?.opened === opened) this.#lastRetriever = undefined;
    });
    return opened;
  }

  #withDocument<Result>(
    shelfmark: string,
    use: (reader: ShardReader, document: StoredDocument, ordinal: number) => Result,
  ): Result {
    const parts = parseShelfmark(shelfmark);
    const target = this.#targets.find(({ id }) => id === parts.shard);
    if (target === undefined) throw notFound(shelfmark, `this corpus has no shard ${parts.shard}`);
    const reader = new ShardReader(target.file);
    try {
      const document = reader.document(parts.document);
      if (document === undefined) throw notFound(shelfmark, `the shard has no document ${parts.document}`);
      if (parts.ordinal > document.chunkCount) {
        throw notFound(shelfmark, `the document has ${document.chunkCount} chunks`);
      }
      return use(reader, document, parts.ordinal);
    } finally {
      reader.close();
    }
  }
}

/** For all languages of the corpus. Shards of analyzers that this version does not have fail when they are opened. */
function queryAnalyzerOf(shards: readonly ShardRow[]): QueryAnalyzer {
  const present = analyzersIn(shards);
  const known = ANALYZER_IDS.filter((id) => present.includes(id));
  return new QueryAnalyzer((known.length === 0 ? [ANALYZER_ID] : known).map(analyzerFor));
}

function analyzersIn(shards: readonly ShardRow[]): string[] {
  return [...new Set(shards.flatMap(({ analyzer }) => analyzer.split(' ')))];
}

function notFound(shelfmark: string, why: string): ShelfmarkError {
  return new ShelfmarkError('SHELFMARK_NOT_FOUND', `${shelfmark} is not in this corpus: ${why}.`, { shelfmark });
}

function toPassage(reader: ShardReader, document: StoredDocument, ordinal: number): Passage {
  const chunk = reader.chunk((document.id + ordinal - 1) as ChunkId);
  const metadata = reader.metadata(document);
  const { path, byteStart, byteEnd, sha256 } = document.source;
  return {
    shelfmark: formatShelfmark({ shard: reader.meta.id as ShardId, document: document.id, ordinal }),
    uri: document.uri,
    title: document.title,
    heading: chunk.heading,
    section: sectionAnchor(chunk.heading),
    ordinal,
    chunkCount: document.chunkCount,
    text: chunk.lead + chunk.body,
    label: document.label,
    kind: document.kind,
    collection: document.collection,
    language: languageIn(document.analyzer),
    modified_at: document.modifiedAt,
    metadata: metadata === null ? null : (JSON.parse(metadata) as Record<string, unknown>),
    textStart: chunk.textStart,
    textEnd: chunk.textStart + chunk.textBytes,
    source: { path, byteStart, byteEnd, sha256 },
  };
}

function statsOf(
  corpus: string,
  shards: readonly ShardRow[],
  catalog: Catalog,
  replacedDocuments: number,
): CorpusStats {
  const sum = (pick: (row: ShardRow) => number): number => shards.reduce((total, row) => total + pick(row), 0);
  return {
    corpus,
    shards: shards.length,
    documents: sum(({ documents }) => documents) - replacedDocuments,
    chunks: sum(({ chunks }) => chunks),
    terms: sum(({ terms }) => terms),
    textBytes: sum((row) => row.text_bytes),
    rawBytes: sum((row) => row.raw_bytes),
    shardBytes: sum(({ bytes }) => bytes),
    replacedDocuments,
    lostShards: shards.filter((shard) => isLost(corpus, shard)).length,
    sources: catalog.sourceCount(),
    unfinishedBuilds: catalog.unfinishedBuilds(),
    analyzers: analyzersIn(shards),
  };
}
