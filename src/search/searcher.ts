import { type Analyzer, formatShelfmark, type QueryToken, type ShardFilter, type ShardId } from '../../shards/index.ts';
import type { FetchedHit, RankedHit, ShardFailure, ShardTarget, StopFlag } from '../../workers/protocol.ts';
import type { Coverage, Explanation, Hit, SearchAnswer } from './hits.ts';
import { planQuery, type QueryPlan, type Rung } from './match-policy.ts';
import type { FilledSearchOptions } from './options.ts';
import type { ShardPool } from './shard-pool.ts';

/** A query ranked over the whole corpus; the text of its hits is not fetched yet. */
export interface RankedAnswer {
  readonly plan: QueryPlan;
  readonly rung: Rung;
  readonly hits: readonly RankedHit[];
  readonly steps: Explanation['rungs'];
}

/** Many queries ranked together. */
export interface RankedGroup {
  readonly answers: readonly RankedAnswer[];
  readonly coverage: Coverage;
  /** names of shards that did not answer */
  readonly excluded: ReadonlySet<string>;
}

/** Plans, fans out, merges, fetches. */
export class Searcher {
  readonly #pool: ShardPool;
  readonly #shards: ReadonlyMap<string, ShardTarget>;
  readonly #analyzer: Analyzer;

  constructor(pool: ShardPool, shards: readonly ShardTarget[], analyzer: Analyzer) {
    this.#pool = pool;
    this.#shards = new Map(shards.map((shard) => [shard.id, shard]));
    this.#analyzer = analyzer;
  }

  /** @throws ShelfmarkError SHELFMARK_NO_WORDS. */
  plan(text: string, options: FilledSearchOptions): QueryPlan {
    return planQuery(this.#analyzer, text, options.match, options.also);
  }

  /** Answers planned queries with full hits. */
  async answer(plans: readonly QueryPlan[], options: FilledSearchOptions): Promise<SearchAnswer[]> {
    const startedAt = performance.now();
    const failures: ShardFailure[] = [];
    for (;;) {
      const group = await this.rank(plans, options, failures);
      const fetchStartedAt = performance.now();
      const fetched = await this.#fetch(group.answers, options);
      if (fetched.failures.length > 0) {
        // A shard whose text is damaged counts as failed as a whole; its hits make room for others.
        failures.push(...fetched.failures);
        continue;
      }
      const fetchMs = roundMs(performance.now() - fetchStartedAt);
      const tookMs = roundMs(performance.now() - startedAt);
      return group.answers.map(({ plan, rung, steps }, query) => ({
        query: plan.text,
        match: plan.match,
        rung: rung.name,
        tokens: plan.tokens.map(({ text }) => text),
        searched: rung.tokens.map(({ text }) => text),
        droppedTokens: plan.droppedTokens,
        hits: fetched.hits[query] ?? [],
        coverage: group.coverage,
        tookMs,
        ...(options.explain ? { explain: { rungs: steps, fetchMs } } : {}),
      }));
    }
  }

  /**
   * Ranks planned queries. Each query goes down its rungs until one has a hit anywhere in the corpus; the queries of a
   * group take each step together.
   * @param known shards that failed before, not to be asked again.
   * @throws the signal's reason when aborted.
   */
  async rank(
    plans: readonly QueryPlan[],
    options: FilledSearchOptions,
    known: readonly ShardFailure[] = [],
  ): Promise<RankedGroup> {
    const failures = new Map(known.map((failure) => [failure.shard, failure]));
    const timedOut = new Set<string>();
    const answers: (RankedAnswer | undefined)[] = plans.map(() => undefined);
    const steps: Explanation['rungs'][number][][] = plans.map(() => []);
    const deadline = options.timeoutMs === null ? null : Date.now() + options.timeoutMs;
    const filter: ShardFilter = { kinds: options.kinds, collections: options.collections };
    const stop = stopFlagOf(options.signal);
    for (let step = 0; ; step++) {
      const open = [...plans.keys()].filter((query) => answers[query] === undefined && plans[query]!.rungs[step]);
      if (open.length === 0) break;
      const rungs = open.map((query) => plans[query]!.rungs[step]!);
      const startedAt = performance.now();
      const request = {
        queries: rungs.map(({ query }) => query),
        k: options.limit,
        by: options.by,
        filter,
        deadline,
        stop,
      };
      const result = await this.#pool.rank(request, new Set([...failures.keys(), ...timedOut]));
      options.signal?.throwIfAborted();
      for (const failure of result.failed) failures.set(failure.shard, failure);
      for (const shard of result.timedOut) timedOut.add(shard);
      const ms = roundMs(performance.now() - startedAt);
      for (const [at, query] of open.entries()) {
        const plan = plans[query]!;
        const rung = rungs[at]!;
        const hits = result.hits[at] ?? [];
        steps[query]!.push({ name: rung.name, tokens: describeTokens(rung), hits: hits.length, ms });
        const isLast = step === plan.rungs.length - 1;
        if (hits.length > 0 || isLast) answers[query] = { plan, rung, hits, steps: steps[query]! };
      }
    }
    return {
      answers: answers.filter((answer) => answer !== undefined),
      coverage: this.#coverage(failures, timedOut),
      excluded: new Set([...failures.keys(), ...timedOut]),
    };
  }

  #coverage(failures: ReadonlyMap<string, ShardFailure>, timedOut: ReadonlySet<string>): Coverage {
    return {
      shards: this.#shards.size,
      searched: this.#shards.size - failures.size - timedOut.size,
      failed: failures.size,
      timedOut: timedOut.size,
      failures: [...failures.values()]
        .map(({ shard, error }) => ({ shard, code: error.code, message: error.message }))
        .sort((a, b) => (a.shard < b.shard ? -1 : 1)),
    };
  }

  async #fetch(
    answers: readonly RankedAnswer[],
    options: FilledSearchOptions,
  ): Promise<{ readonly hits: Hit[][]; readonly failures: ShardFailure[] }> {
    const shown = answers.map(({ plan, rung }) => [...new Set([...plan.tokens, ...rung.tokens])]);
    const wanted = answers.flatMap((answer, query) => answer.hits.map((hit) => ({ hit, query })));
    const fetched = await this.#pool.fetch({
      items: wanted.map(({ hit, query }) => ({ shard: this.#shards.get(hit.shard)!, chunk: hit.chunk, query })),
      queries: shown.map((tokens) => tokens.map(({ alternatives }) => alternatives)),
      snippetLength: options.snippetLength,
      text: options.text,
    });
    const hits: Hit[][] = answers.map(() => []);
    const failures = new Map<string, ShardFailure>();
    for (const [index, { hit, query }] of wanted.entries()) {
      const result = fetched[index]!;
      if (result.ok)
        hits[query]!.push(toHit(hit, hits[query]!.length + 1, answers[query]!.rung, shown[query]!, result.value));
      else failures.set(hit.shard, { shard: hit.shard, error: result.error });
    }
    return { hits, failures: [...failures.values()] };
  }
}

function describeTokens(rung: Rung): Explanation['rungs'][number]['tokens'] {
  return rung.tokens.map(({ text, alternatives }) => ({ text, alternatives }));
}

function toHit(ranked: RankedHit, rank: number, rung: Rung, tokens: readonly QueryToken[], fetched: FetchedHit): Hit {
  const { document, heading, ordinal, snippet, matched, text } = fetched;
  const { path, byteStart, byteEnd, sha256 } = document.source;
  const names = tokens.map(({ text }) => text);
  return {
    rank,
    score: ranked.score,
    shelfmark: formatShelfmark({ shard: ranked.shard as ShardId, document: document.id, ordinal }),
    uri: document.uri,
    title: document.title,
    heading,
    ordinal,
    snippet: snippet.text,
    highlights: snippet.highlights,
    rung: rung.name,
    matched: names.filter((_, token) => matched[token]),
    missing: names.filter((_, token) => !matched[token]),
    label: document.label,
    kind: document.kind,
    collection: document.collection,
    modified_at: document.modifiedAt,
    source: { path, byteStart, byteEnd, sha256 },
    ...(text === null ? {} : { text }),
  };
}

/** Milliseconds to the microsecond: more digits are noise. */
function roundMs(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

const stopFlags = new WeakMap<AbortSignal, StopFlag>();

/** A flag that threads can see, raised when the signal aborts; one listener a signal, however many searches it serves. */
function stopFlagOf(signal: AbortSignal | undefined): StopFlag | null {
  if (signal === undefined) return null;
  signal.throwIfAborted();
  let stop = stopFlags.get(signal);
  if (stop === undefined) {
    const flag = new Int32Array(new SharedArrayBuffer(4));
    signal.addEventListener('abort', () => Atomics.store(flag, 0, 1), { once: true });
    stopFlags.set(signal, flag);
    stop = flag;
  }
  return stop;
}
