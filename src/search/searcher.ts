import {
  type Analyzer,
  addWork,
  COLUMN_UNITS,
  DEFAULT_SCORING,
  type DocumentName,
  formatShelfmark,
  noWork,
  type QueryToken,
  type Scoring,
  type ShardId,
  termsOf,
  type Work,
} from '../../shards/index.ts';
import type { FetchedHit, FetchTask, RankedHit, ShardFailure, ShardTarget, StopFlag } from '../../workers/protocol.ts';
import type { Coverage, Explanation, Hit, RungExplanation, SearchAnswer } from './hits.ts';
import { planQuery, type QueryPlan, type Rung } from './match-policy.ts';
import type { FilledSearchOptions } from './options.ts';
import type { ShardPool } from './shard-pool.ts';
import { canMatch, TermStatistics } from './term-statistics.ts';

/** A query ranked over the whole corpus; the text of its hits is not fetched yet. */
export interface RankedAnswer {
  readonly plan: QueryPlan;
  readonly rung: Rung;
  readonly hits: readonly RankedHit[];
  readonly steps: readonly RungExplanation[];
}

/** Many queries ranked together. */
export interface RankedGroup {
  readonly answers: readonly RankedAnswer[];
  readonly coverage: Coverage;
  readonly scoring: Scoring;
  /** chunks of the corpus per term of the queries */
  readonly frequencies: ReadonlyMap<string, number>;
  readonly countMs: number;
}

/** A ranked hit and the name of its document. */
export interface NamedHit extends RankedHit, DocumentName {}

/** Plans, fans out, merges, fetches. */
export class Searcher {
  readonly #pool: ShardPool;
  readonly #shards: ReadonlyMap<string, ShardTarget>;
  readonly #analyzer: Analyzer;
  readonly #statistics: TermStatistics;

  constructor(pool: ShardPool, shards: readonly ShardTarget[], analyzer: Analyzer) {
    this.#pool = pool;
    this.#shards = new Map(shards.map((shard) => [shard.id, shard]));
    this.#analyzer = analyzer;
    this.#statistics = new TermStatistics(pool);
  }

  /** @throws ShelfmarkError SHELFMARK_NO_WORDS. */
  plan(text: string, options: FilledSearchOptions): QueryPlan {
    return planQuery(this.#analyzer, text, options.match, options.also, options.phrases);
  }

  /** Answers planned queries with full hits. */
  async answer(plans: readonly QueryPlan[], options: FilledSearchOptions): Promise<SearchAnswer[]> {
    const startedAt = performance.now();
    const deadline = deadlineOf(options);
    const failures: ShardFailure[] = [];
    for (;;) {
      const group = await this.rank(plans, options, failures, deadline);
      const fetchStartedAt = performance.now();
      const fetched = await this.#fetch(group, options);
      options.signal?.throwIfAborted();
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
        ...(options.explain ? { explain: explanationOf(group, steps, fetchMs) } : {}),
      }));
    }
  }

  /** Ranks planned queries and names the documents of their hits, without reading any text. */
  async rankNamed(
    plans: readonly QueryPlan[],
    options: FilledSearchOptions,
  ): Promise<{
    readonly answers: readonly { readonly rung: Rung; readonly hits: NamedHit[] }[];
    readonly coverage: Coverage;
  }> {
    const deadline = deadlineOf(options);
    const failures: ShardFailure[] = [];
    for (;;) {
      const { answers, coverage } = await this.rank(plans, options, failures, deadline);
      const wanted = answers.flatMap(({ hits }) => hits);
      const names = await this.#pool.locate(wanted);
      const failed = wanted.flatMap(({ shard }, index) => {
        const name = names[index]!;
        return name.ok ? [] : [{ shard, error: name.error }];
      });
      if (failed.length > 0) {
        failures.push(...failed);
        continue;
      }
      let next = 0;
      const named = (hit: RankedHit): NamedHit => {
        const name = names[next++]!;
        return { ...hit, ...(name as Extract<typeof name, { ok: true }>).value };
      };
      return { answers: answers.map(({ rung, hits }) => ({ rung, hits: hits.map(named) })), coverage };
    }
  }

  /**
   * Ranks planned queries. Each query goes down its rungs until one has a hit anywhere in the corpus; the queries of a
   * group take each step together.
   * @param known shards that failed before, not to be asked again.
   * @param deadline milliseconds since the epoch; of the whole answer, however often it is ranked.
   * @throws the signal's reason when aborted.
   */
  async rank(
    plans: readonly QueryPlan[],
    options: FilledSearchOptions,
    known: readonly ShardFailure[] = [],
    deadline: number | null = deadlineOf(options),
  ): Promise<RankedGroup> {
    const failures = new Map(known.map((failure) => [failure.shard, failure]));
    const timedOut = new Set<string>();
    const excluded = (): string[] => [...failures.keys(), ...timedOut];
    const stop = stopFlagOf(options.signal);

    const startedAt = performance.now();
    const terms = [...new Set(plans.flatMap(({ rungs }) => rungs.flatMap(({ query }) => termsOf(query))))];
    const counted = await this.#statistics.count(terms, { excluded: excluded(), deadline, stop });
    options.signal?.throwIfAborted();
    for (const failure of counted.failed) failures.set(failure.shard, failure);
    for (const shard of counted.timedOut) timedOut.add(shard);
    const countMs = counted.isKnown ? 0 : roundMs(performance.now() - startedAt);
    const scoring = this.#scoring(options, new Set(excluded()));

    const answers: (RankedAnswer | undefined)[] = plans.map(() => undefined);
    const steps: RungExplanation[][] = plans.map(() => []);
    for (let step = 0; ; step++) {
      const open = [...plans.keys()].filter((query) => answers[query] === undefined && plans[query]!.rungs[step]);
      if (open.length === 0) break;
      const rungs = open.map((query) => plans[query]!.rungs[step]!);
      const queries = rungs.map(({ query }) => query);
      const rungStartedAt = performance.now();
      const result = await this.#pool.rank(
        {
          queries,
          k: options.limit,
          by: options.by,
          filter: { kinds: options.kinds, collections: options.collections },
          scoring,
          frequencies: counted.frequencies,
          excluded: excluded(),
          deadline,
          stop,
        },
        (thread) => queries.some((query) => canMatch(query, (term) => counted.inThread(term, thread))),
      );
      options.signal?.throwIfAborted();
      for (const failure of result.failed) failures.set(failure.shard, failure);
      for (const shard of result.timedOut) timedOut.add(shard);
      const ms = roundMs(performance.now() - rungStartedAt);
      for (const [at, query] of open.entries()) {
        const plan = plans[query]!;
        const rung = rungs[at]!;
        const hits = result.hits[at] ?? [];
        const work = sumOf(result.work[at] ?? []);
        const threadMs = roundMs(result.ms);
        steps[query]!.push({ name: rung.name, tokens: describeTokens(rung), hits: hits.length, ms, threadMs, work });
        const isLast = step === plan.rungs.length - 1;
        if (hits.length > 0 || isLast) answers[query] = { plan, rung, hits, steps: steps[query]! };
      }
    }
    return {
      answers: answers.filter((answer) => answer !== undefined),
      coverage: this.#coverage(failures, timedOut),
      scoring,
      frequencies: counted.frequencies,
      countMs,
    };
  }

  /** Statistics of the shards that can be searched. */
  #scoring({ k1, b }: FilledSearchOptions, excluded: ReadonlySet<string>): Scoring {
    let chunks = 0;
    let tokens = 0;
    for (const shard of this.#shards.values()) {
      if (excluded.has(shard.id)) continue;
      chunks += shard.chunks;
      tokens += shard.tokens;
    }
    return { ...DEFAULT_SCORING, k1, b, columnUnits: COLUMN_UNITS, chunks, tokens };
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
    { answers, scoring, frequencies }: RankedGroup,
    options: FilledSearchOptions,
  ): Promise<{ readonly hits: Hit[][]; readonly failures: ShardFailure[] }> {
    const shown = answers.map(({ plan, rung }) => [...new Set([...plan.tokens, ...rung.tokens, ...plan.phraseTokens])]);
    const wanted = answers.flatMap((answer, query) => answer.hits.map((hit) => ({ hit, query })));
    const task: Omit<FetchTask, 'op'> = {
      items: wanted.map(({ hit: { shard, chunk, score }, query }) => ({ shard, chunk, score, query })),
      queries: answers.map(({ rung }, query) => ({
        tokens: shown[query]!.map(({ alternatives }) => alternatives),
        terms: termsOf(rung.query),
      })),
      snippetLength: options.snippetLength,
      text: options.text,
      explain: options.explain ? { scoring, frequencies } : null,
    };
    const fetched = await this.#pool.fetch(task);
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

/** When time is up for an answer that begins now. */
function deadlineOf({ timeoutMs }: FilledSearchOptions): number | null {
  return timeoutMs === null ? null : Date.now() + timeoutMs;
}

function describeTokens(rung: Rung): RungExplanation['tokens'] {
  return rung.tokens.map(({ text, alternatives }) => ({ text, alternatives }));
}

function sumOf(parts: readonly Work[]): Work {
  const sum = noWork();
  for (const part of parts) addWork(sum, part);
  return { ...sum, lookUpMs: roundMs(sum.lookUpMs), rankMs: roundMs(sum.rankMs) };
}

function explanationOf(
  { scoring, countMs }: RankedGroup,
  rungs: readonly RungExplanation[],
  fetchMs: number,
): Explanation {
  const { k1, b, chunks, tokens, columnUnits } = scoring;
  const [title, heading, body] = columnUnits;
  return {
    scoring: {
      k1,
      b,
      columnWeights: [title / body, heading / body, 1],
      chunks,
      averageLength: chunks === 0 ? 0 : tokens / chunks,
    },
    countMs,
    rungs,
    fetchMs,
  };
}

function toHit(ranked: RankedHit, rank: number, rung: Rung, tokens: readonly QueryToken[], fetched: FetchedHit): Hit {
  const { document, heading, ordinal, snippet, matched, text, explanation } = fetched;
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
    ...(explanation === null ? {} : { explain: explanation }),
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
