import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ShelfmarkError } from '../../shards/index.ts';
import { documentKey } from '../../workers/document-key.ts';
import { Corpus } from '../corpus.ts';
import { describeDiskError } from '../disk-error.ts';
import { FileLock } from '../lock.ts';
import type { Coverage, Retrieval } from '../search/hits.ts';
import { fillSearchOptions, type SearchOptions } from '../search/options.ts';
import { findLines, type Source } from '../sources/index.ts';
import type { BatchQuery, BatchRow } from './answer-batch.ts';
import { type ContextBudget, chooseContexts } from './contexts.ts';
import { readQueries } from './read-queries.ts';
import { RunFile } from './run-file.ts';
import { formatTrecRows } from './trec.ts';

/** What to answer, from what, and where to. */
export interface BatchRunOptions {
  /** File of queries, see `readQueries`; may be compressed. */
  readonly queries: string;
  readonly corpus: string;
  readonly output: string;
  /**
   * `trec`: lines of a TREC run; `jsonl`: one answer with full hits a line; `contexts`: the best passages that fit into
   * `budget`, one question a line, searched by chunk and with text whatever `search` says.
   */
  readonly format: 'trec' | 'jsonl' | 'contexts';
  /** How much text a line of `contexts` may have. @default 2,000 tokens */
  readonly budget?: ContextBudget;
  /** Last column of a TREC run. */
  readonly tag: string;
  /** Go on when a shard cannot be searched; else the run stops. */
  readonly allowPartial: boolean;
  readonly workers?: number;
  readonly search: SearchOptions;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: BatchProgress) => void;
}

/** How far a run is, in queries. */
export interface BatchProgress {
  readonly done: number;
  readonly total: number;
  /** queries that an earlier, interrupted run had answered */
  readonly resumedAt: number;
  readonly elapsedMs: number;
}

/** How a run ended. */
export interface BatchReport {
  readonly queries: number;
  /** answered by this run */
  readonly answered: number;
  readonly withoutHits: number;
  readonly withoutWords: number;
  readonly resumedAt: number;
  /** an earlier run had finished the file; nothing was done */
  readonly alreadyComplete: boolean;
  readonly output: string;
  readonly elapsedMs: number;
  readonly coverage: Coverage | null;
  /** null when hits were to be found by words, or nothing was left to do */
  readonly retrieval: Retrieval | null;
}

/** A few pages: what a small model reads with a question. */
export const defaultBudget: ContextBudget = { limit: 2000, unit: 'tokens' };

/** Rows in memory are made durable at this length, and at least every second. */
const flushLength = 4 * 1024 * 1024;
const flushEveryMs = 1000;

/**
 * Answers a file of queries into an output file. Order and content do not depend on timing: a run that was killed and
 * run again leaves the same bytes as one that was not.
 *
 * @throws ShelfmarkError SHELFMARK_USAGE (a query cannot be read, an id comes twice), SHELFMARK_MISMATCH (the output
 * belongs to another run), SHELFMARK_BUSY (another process writes it), SHELFMARK_PARTIAL (a shard could not be searched), SHELFMARK_IO (disk full and the like); the signal's reason when aborted.
 */
export async function runBatch(options: BatchRunOptions): Promise<BatchReport> {
  const output = resolve(options.output);
  if (!existsSync(dirname(output))) {
    throw new ShelfmarkError('SHELFMARK_IO', `${output} cannot be written: its folder does not exist.`, { output });
  }
  const lockFile = `${output}.lock`;
  const lock = new FileLock(lockFile, output);
  try {
    return await runLocked(options, output);
  } finally {
    // Removed while it is held: whoever comes next makes a new one.
    await rm(lockFile, { force: true });
    lock.release();
  }
}

async function runLocked(options: BatchRunOptions, output: string): Promise<BatchReport> {
  const startedAt = performance.now();
  const source = await findQueries(options.queries);
  const { total, sha256 } = await checkQueries(source);
  const corpus = await Corpus.open(options.corpus, options.workers === undefined ? {} : { workers: options.workers });
  try {
    const file = await RunFile.open(output, await fingerprintOf(options, corpus, sha256));
    const resumedAt = file.done;
    const counts = { answered: 0, withoutHits: 0, withoutWords: 0 };
    let coverage: Coverage | null = null;
    let retrieval: Retrieval | null = null;
    const elapsed = (): number => performance.now() - startedAt;
    const report = (): void => options.onProgress?.({ done: file.done, total, resumedAt, elapsedMs: elapsed() });
    if (!file.isComplete) {
      try {
        report();
        let flushedAt = performance.now();
        for await (const row of answerRows(corpus, skip(readQueries(source), resumedAt), options)) {
          options.signal?.throwIfAborted();
          coverage = row.coverage;
          retrieval = row.retrieval;
          if (!options.allowPartial) requireFull(row.coverage, file.done);
          file.add(row.text);
          counts.answered++;
          if (row.hits === 0) counts.withoutHits++;
          if (!row.hasWords) counts.withoutWords++;
          if (file.pendingLength < flushLength && performance.now() - flushedAt < flushEveryMs) continue;
          await file.flush();
          flushedAt = performance.now();
          report();
        }
        await file.complete();
      } catch (error) {
        await file.flush().finally(() => file.abandon());
        throw error;
      }
    }
    report();
    return {
      queries: total,
      ...counts,
      resumedAt,
      alreadyComplete: file.isComplete,
      output,
      elapsedMs: elapsed(),
      coverage,
      retrieval,
    };
  } catch (error) {
    throw describeDiskError(error, output, 'Answers written so far are kept');
  } finally {
    await corpus.close();
  }
}

/** One query's rows in the output's format. */
interface OutputRow {
  readonly text: string;
  readonly hits: number;
  readonly hasWords: boolean;
  readonly coverage: Coverage;
  readonly retrieval: Retrieval | null;
}

async function* answerRows(
  corpus: Corpus,
  queries: AsyncIterable<BatchQuery>,
  options: BatchRunOptions,
): AsyncGenerator<OutputRow> {
  const search = {
    ...searchOf(options),
    // A run that stops at a damaged shard need not look through its text first.
    scanDamaged: options.allowPartial,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  };
  const { by } = fillSearchOptions(search);
  if (options.format !== 'trec') {
    const toLine = options.format === 'jsonl' ? toJsonLine : toContextsLine(options.budget ?? defaultBudget);
    for await (const row of corpus.batch(queries, search)) {
      const { coverage, retrieval = null } = row;
      yield { text: toLine(row), hits: row.hits.length, hasWords: row.searched.length > 0, coverage, retrieval };
    }
    return;
  }
  for await (const row of corpus.rank(queries, search)) {
    const text = formatTrecRows(row, by, options.tag);
    const { coverage, retrieval = null } = row;
    yield { text, hits: row.hits.length, hasWords: row.rung !== null, coverage, retrieval };
  }
}

function searchOf({ format, search }: BatchRunOptions): SearchOptions {
  return format === 'contexts' ? { ...search, by: 'chunk', text: true } : search;
}

/** An answer as one line. Times are left out: the same run gives the same bytes. */
function toJsonLine({ id, query, match, rung, tokens, searched, hits, coverage, retrieval }: BatchRow): string {
  return `${JSON.stringify({ id, query, match, rung, tokens, searched, hits, coverage, retrieval })}\n`;
}

function toContextsLine(budget: ContextBudget): (row: BatchRow) => string {
  return ({ id, query, match, rung, hits, coverage, retrieval }) => {
    const { contexts, used } = chooseContexts(hits, budget);
    return `${JSON.stringify({ id, query, match, rung, budget: { ...budget, used }, contexts, coverage, retrieval })}\n`;
  };
}

function requireFull(coverage: Coverage, done: number): void {
  if (coverage.searched === coverage.shards) return;
  const failure = coverage.failures[0];
  throw new ShelfmarkError(
    'SHELFMARK_PARTIAL',
    `Only ${coverage.searched} of ${coverage.shards} shards could be searched${failure === undefined ? '' : ` (${failure.shard}: ${failure.message})`}. Stopped after ${done} queries; mend the corpus and run the same command again, or allow partial answers.`,
    { searched: coverage.searched, shards: coverage.shards, done },
  );
}

async function findQueries(name: string): Promise<Source> {
  if (name === '-') {
    throw new ShelfmarkError('SHELFMARK_USAGE', 'Queries must be a file: a run that is resumed reads them again.');
  }
  return await findLines(name, 'queries');
}

/** Reads all queries once, so that a bad one is found before hours of work, and takes their fingerprint. */
async function checkQueries(source: Source): Promise<{ readonly total: number; readonly sha256: string }> {
  const hash = createHash('sha256');
  const seen = new Set<bigint>();
  let total = 0;
  for await (const { id, text } of readQueries(source)) {
    const key = documentKey('', id);
    if (seen.has(key)) {
      throw new ShelfmarkError('SHELFMARK_USAGE', `${source.uri}: the query id "${id.slice(0, 80)}" comes twice.`, {
        id,
      });
    }
    seen.add(key);
    total++;
    hash.update(JSON.stringify([id, text]));
  }
  return { total, sha256: hash.digest('hex') };
}

async function fingerprintOf(
  options: BatchRunOptions,
  corpus: Corpus,
  queries: string,
): Promise<Record<string, unknown>> {
  const { signal: _, explain: __, onProgress: ___, embedder: ____, ...search } = fillSearchOptions(searchOf(options));
  const { format, tag, budget = defaultBudget } = options;
  const ofFormat = format === 'contexts' ? { format, budget } : { format };
  const run = { queries, corpus: corpus.fingerprint(), ...ofFormat, tag, ...search };
  if (search.retriever === 'lexical') return run;
  const vectors = (await corpus.embeddings()).map(({ key, shards }) => ({ key, shards }));
  return { ...run, vectors };
}

async function* skip(queries: AsyncIterable<BatchQuery>, count: number): AsyncGenerator<BatchQuery> {
  let seen = 0;
  for await (const query of queries) if (seen++ >= count) yield query;
}
