import { COLUMN_UNITS, DEFAULT_SCORING } from '../../shards/index.ts';
import type { RankedHit, ShardFailure } from '../../workers/protocol.ts';
import { type Embedder, embedChecked } from '../embed/embedder.ts';
import type { Embeddings } from '../embed/find-embeddings.ts';
import { coverageOf } from '../search/coverage.ts';
import { filterOf } from '../search/filter.ts';
import { deadlineOf, stopFlagOf } from '../search/limits.ts';
import type { QueryPlan, Rung } from '../search/match-policy.ts';
import type { FilledSearchOptions } from '../search/options.ts';
import type { RankedGroup } from '../search/ranked-group.ts';
import type { Searcher } from '../search/searcher.ts';
import type { ShardPool } from '../search/shard-pool.ts';
import type { Retriever } from './retriever.ts';

/** Ranks chunks by the cosine of their vectors and the query's. Every vector is compared. */
export class VectorRetriever implements Retriever {
  readonly #pool: ShardPool;
  readonly #searcher: Searcher;
  readonly #shards: readonly string[];
  readonly #embeddings: Embeddings;
  readonly #embedder: Embedder;
  /** a query is embedded once, however often it is ranked */
  readonly #vectors = new WeakMap<QueryPlan, Float32Array>();

  /** @param shards names of all shards of the corpus */
  constructor(
    pool: ShardPool,
    searcher: Searcher,
    shards: readonly string[],
    embeddings: Embeddings,
    embedder: Embedder,
  ) {
    this.#pool = pool;
    this.#searcher = searcher;
    this.#shards = shards;
    this.#embeddings = embeddings;
    this.#embedder = embedder;
  }

  async rank(
    plans: readonly QueryPlan[],
    options: FilledSearchOptions,
    known: readonly ShardFailure[] = [],
    deadline: number | null = deadlineOf(options),
  ): Promise<RankedGroup> {
    const failures = new Map(known.map((failure) => [failure.shard, failure]));
    const stop = stopFlagOf(options.signal);
    await this.#searcher.checkFilter(options, failures, { deadline, stop });
    const queries = await this.#embed(plans, options, deadline);
    if (queries === null) {
      const late = this.#shards.filter((shard) => !failures.has(shard));
      return this.#group(plans, [], failures, new Set(late), []);
    }
    for (;;) {
      const result = await this.#pool.rankVectors({
        queries,
        key: this.#embeddings.key,
        k: options.limit,
        by: options.by,
        filter: filterOf(options),
        words: this.#searcher.wordFilter(options),
        phrases: plans[0]?.rungs[0]?.query.phrases ?? [],
        excluded: [...failures.keys()],
        deadline,
        stop,
      });
      options.signal?.throwIfAborted();
      for (const failure of [...result.failed, ...result.unnamed]) failures.set(failure.shard, failure);
      // Hits whose names cannot be read had kept out others.
      if (result.unnamed.length > 0) continue;
      return this.#group(plans, result.hits, failures, new Set(result.timedOut), result.bare);
    }
  }

  /** Vectors of the queries, or null when time was up before they came. */
  async #embed(
    plans: readonly QueryPlan[],
    { phrases, signal }: FilledSearchOptions,
    deadline: number | null,
  ): Promise<Float32Array[] | null> {
    const missing = [...new Set(plans)].filter((plan) => !this.#vectors.has(plan));
    if (missing.length > 0) {
      const { model, dimensions } = this.#embeddings;
      // A query of phrases alone means what they say.
      const texts = missing.map(({ text }) => model.queryPrefix + (text.trim() === '' ? phrases.join(' ') : text));
      const found = await withDeadline(deadline, signal, (limit) =>
        embedChecked(this.#embedder, texts, dimensions, limit),
      );
      if (found === null) return null;
      for (const [index, plan] of missing.entries()) this.#vectors.set(plan, Float32Array.from(found[index]!));
    }
    return plans.map((plan) => this.#vectors.get(plan)!);
  }

  #group(
    plans: readonly QueryPlan[],
    hits: readonly (readonly RankedHit[])[],
    failures: ReadonlyMap<string, ShardFailure>,
    timedOut: ReadonlySet<string>,
    bare: readonly string[],
  ): RankedGroup {
    const withoutVectors = [...bare].sort();
    return {
      answers: plans.map((plan, query) => {
        const rung = vectorRung(plan);
        return { plan, rung, hits: (hits[query] ?? []).map((hit) => ({ ...hit, rung })), steps: [] };
      }),
      coverage: { ...coverageOf(this.#shards.length, failures, timedOut), withoutVectors },
      failures,
      timedOut,
      retrieval: {
        retriever: 'vector',
        model: this.#embeddings.model.name,
        note: noteOf(withoutVectors.length, this.#shards.length, this.#embeddings.model.name),
      },
      scoring: { ...DEFAULT_SCORING, columnUnits: COLUMN_UNITS, chunks: 0, tokens: 0 },
      table: { terms: [], frequencies: new Float64Array(0) },
      countMs: 0,
    };
  }
}

/** The only step of a plan: the words of the query, or of its phrases alone, are shown, and decide on nothing. */
function vectorRung({ tokens, phraseTokens }: QueryPlan): Rung {
  const shown = tokens.length > 0 ? tokens : phraseTokens;
  return { name: 'vector', tokens: shown, query: { mode: 'or', tokens: [], phrases: [] }, literal: null };
}

function noteOf(bare: number, shards: number, model: string): string | null {
  if (bare === 0) return null;
  return `${bare} of ${shards} shards have no vectors by ${model}; run "shelfmark embed" again.`;
}

/** Runs something until time is up: then it is aborted, and the result is null. */
async function withDeadline<Result>(
  deadline: number | null,
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result | null> {
  const limit = new AbortController();
  const late = new Error('time is up');
  const abort = (): void => limit.abort(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  const timer = deadline === null ? undefined : setTimeout(() => limit.abort(late), Math.max(0, deadline - Date.now()));
  // Raced, since an embedder need not listen to its signal.
  const aborted = new Promise<never>((_, reject) => {
    limit.signal.addEventListener('abort', () => reject(limit.signal.reason), { once: true });
  });
  try {
    return await Promise.race([run(limit.signal), aborted]);
  } catch (error) {
    if (error === late) return null;
    throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
