/**
 * Everything that the benches need of Shelfmark's insides, in one place: what a worker does for a query, the terms of a
 * text and of a query, and what a corpus is made of.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Scoring } from '../../dist/shards/index.js';
import {
  ANALYZER_ID,
  COLUMN_UNITS,
  createAnalyzer,
  DEFAULT_SCORING,
  NO_FILTER,
  newFloors,
  prepareQuery,
  termsOf,
} from '../../dist/shards/index.js';
import { Catalog } from '../../dist/src/catalog.js';
import { layoutOf } from '../../dist/src/layout.js';
import { planQuery } from '../../dist/src/search/match-policy.js';
import { fillSearchOptions } from '../../dist/src/search/options.js';
import { QueryAnalyzer } from '../../dist/src/search/query-analyzer.js';
import { discoverSources, frameSource } from '../../dist/src/sources/index.js';
import type { ShardTarget } from '../../dist/workers/protocol.js';
import { countTerms, rankShards } from '../../dist/workers/search-shards.js';
import { ShardCache } from '../../dist/workers/shard-cache.js';

/** How the words of a query combine. */
export type QueryMode = 'or' | 'and';

/** A word of a query: its text and, per alternative, the terms that must all occur. */
export interface PlannedToken {
  readonly text: string;
  readonly alternatives: readonly (readonly string[])[];
}

const analyzer = createAnalyzer(ANALYZER_ID);
const queryAnalyzer = new QueryAnalyzer([analyzer]);

/** The terms of a text joined by spaces, in UTF-8: what every engine of a bench indexes. Valid until the next call. */
export function termsOfText(utf8: Uint8Array): Buffer {
  return analyzer.encodeField(utf8);
}

/** The content words of a query, or the five longest of them; none when it has no word. */
export function planTokens(text: string, which: 'all' | 'five-longest'): readonly PlannedToken[] {
  if (analyzer.queryTokens(text).length === 0) return [];
  const { rungs } = planQuery(queryAnalyzer, text, fillSearchOptions({ match: which === 'all' ? 'any' : 'strict' }));
  return rungs.at(-1)!.tokens;
}

/** The records of a JSONL file, plain or compressed, as text. */
export async function* recordsOf(file: string): AsyncGenerator<string> {
  const { sources } = await discoverSources([file]);
  for await (const { bytes, records } of frameSource(sources[0]!)) {
    for (let at = 0; at < records.length; at += 2) yield bytes.toString('utf8', records[at], records[at + 1]);
  }
}

/** Expanded postings that all threads of a corpus may keep by default. */
const postingsBytes = 512 * 2 ** 20;

const noLimits = { excluded: [], deadline: null, stop: null };

/**
 * One thread's view of a whole corpus: what a search worker does for each query, without messages, planning or text. Looking
 * the terms' postings up is part of it.
 */
export class WorkerView {
  readonly #cache: ShardCache;
  /** per shard the number of the record that a document was made from, by the document's id */
  readonly #records = new Map<string, Int32Array>();
  readonly #scoring: Scoring;

  /**
   * Opens shards at the first query.
   * @param threads of so many threads that share the corpus the view is the first one's
   */
  constructor(corpus: string, threads = 1) {
    const shards = targetsOf(corpus);
    const own = shards.filter((_, index) => index % threads === 0);
    this.#cache = new ShardCache({ shards: own, maxOpen: own.length, postingsBytes: postingsBytes / threads });
    for (const { id, file, chunks } of own) this.#records.set(id, recordsOfShard(file, chunks));
    this.#scoring = {
      ...DEFAULT_SCORING,
      columnUnits: COLUMN_UNITS,
      chunks: shards.reduce((total, { chunks }) => total + chunks, 0),
      tokens: shards.reduce((total, { tokens }) => total + tokens, 0),
    };
  }

  /** Makes of a query's text what a worker is sent; not part of the worker's time. */
  prepare(text: string, mode: QueryMode): () => readonly number[] {
    const plan = planQuery(queryAnalyzer, text, fillSearchOptions({ match: mode === 'or' ? 'any' : 'all' }));
    const { query } = plan.rungs[0]!;
    const terms = termsOf(query);
    const counted = countTerms({ op: 'count', terms, columnUnits: COLUMN_UNITS, ...noLimits }, this.#cache);
    const { frequencies } = counted;
    const prepared = prepareQuery(query, new Map(terms.map((term, number) => [term, number])), frequencies);
    if (prepared === null) return () => [];
    const floors = newFloors(1);
    const options = {
      k: 10,
      by: 'chunk',
      filter: NO_FILTER,
      words: null,
      scoring: this.#scoring,
      countWork: false,
      floors,
      ...noLimits,
    } as const;
    return () => {
      floors[0] = 0;
      const answer = rankShards([prepared], { terms, frequencies }, options, this.#cache);
      if (answer.failed.length > 0) throw new Error(`a shard failed: ${JSON.stringify(answer.failed[0])}`);
      return answer.hits[0]!.map(({ shard, document }) => this.#records.get(shard)![document]!);
    };
  }

  close(): void {
    this.#cache.close();
  }
}

function recordsOfShard(file: string, chunks: number): Int32Array {
  const records = new Int32Array(chunks + 1);
  const database = new Database(file, { readonly: true });
  const rows = database.prepare('SELECT id, uri FROM document').raw().iterate() as Iterable<[number, string]>;
  for (const [id, uri] of rows) records[id] = Number(uri);
  database.close();
  return records;
}

function targetsOf(corpus: string): ShardTarget[] {
  const catalog = Catalog.openReadOnly(corpus);
  try {
    const dead = catalog.tombstones();
    return catalog.shards().map(({ id, name, file, documents, chunks, terms }) => ({
      id: name,
      file: join(layoutOf(corpus).shards, file),
      documents,
      chunks,
      tokens: terms,
      dead: dead.get(id) ?? [],
    }));
  } finally {
    catalog.close();
  }
}

/** What a corpus is made of. */
export interface CorpusParts {
  readonly shards: number;
  readonly chunks: number;
  /** bytes on disk: FTS5's index and whatever else serves ranking */
  readonly indexBytes: number;
  /** bytes on disk: compressed text */
  readonly textBytes: number;
  /** bytes on disk of everything, the catalog included */
  readonly totalBytes: number;
}

/** Tables of a shard that hold the text and the documents; all others serve ranking. */
const textTables = new Set(['block']);
const documentTables = new Set(['document', 'source', 'meta', 'sqlite_schema']);

/** Adds up the pages of all shards by what they hold. */
export function partsOf(corpus: string): CorpusParts {
  const parts = { shards: 0, chunks: 0, indexBytes: 0, textBytes: 0, totalBytes: 0 };
  parts.totalBytes += statSync(layoutOf(corpus).catalog).size;
  for (const { file, chunks } of targetsOf(corpus)) {
    const database = new Database(file, { readonly: true });
    const sizes = database.prepare('SELECT name, pgsize FROM dbstat WHERE aggregate = TRUE').all();
    database.close();
    for (const { name, pgsize } of sizes as { name: string; pgsize: number }[]) {
      const table = name.replace(/^sqlite_autoindex_|_\d+$/g, '');
      if (textTables.has(table)) parts.textBytes += pgsize;
      else if (!documentTables.has(table)) parts.indexBytes += pgsize;
    }
    parts.shards++;
    parts.chunks += chunks;
    parts.totalBytes += statSync(file).size;
  }
  return parts;
}
