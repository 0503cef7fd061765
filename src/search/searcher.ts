import {
  COLUMN_UNITS,
  canMatch,
  DEFAULT_SCORING,
  prepareQuery,
  type Scoring,
  visitTerms,
  type WordFilter,
} from '../../shards/index.ts';
import type { Limits, RankedHit, ShardFailure, ShardTarget, Shortfall } from '../../workers/protocol.ts';
import type { Retriever } from '../retrieve/retriever.ts';
import { coverageOf } from './coverage.ts';
import { describeScan, describeTokens, explanationOf, roundMs, sumOf } from './explain-answer.ts';
import { fetchHits } from './fetch-hits.ts';
import { filterOf } from './filter.ts';
import type { RungExplanation, SearchAnswer } from './hits.ts';
import { KnownValues } from './known-values.ts';
import { deadlineOf, stopFlagOf } from './limits.ts';
import { planQuery, planScan, type QueryPlan, scanRung, settlePlan } from './match-policy.ts';
import type { FilledSearchOptions } from './options.ts';
import type { QueryAnalyzer } from './query-analyzer.ts';
import { keyOf, type RankedAnswer, type RankedGroup, type RungHit } from './ranked-group.ts';
import type { ShardPool } from './shard-pool.ts';
import { type SynonymRule, Synonyms } from './synonyms.ts';
import { TermStatistics } from './term-statistics.ts';
import { whileReporting } from './while-reporting.ts';
import { planWordFilter } from './word-filter.ts';

/** Plans, fans out, merges, fetches. As a retriever it finds hits by words. */
export class Searcher implements Retriever {
  readonly #pool: ShardPool;
  readonly #shards: ReadonlyMap<string, ShardTarget>;
  readonly #analyzer: QueryAnalyzer;
  readonly #statistics: TermStatistics;
  readonly #knownValues: KnownValues;
  readonly #synonyms = new WeakMap<readonly SynonymRule[], Synonyms>();

  constructor(pool: ShardPool, shards: readonly ShardTarget[], analyzer: QueryAnalyzer) {
    this.#pool = pool;
    this.#shards = new Map(shards.map((shard) => [shard.id, shard]));
    this.#analyzer = analyzer;
    this.#statistics = new TermStatistics(pool);
    this.#knownValues = new KnownValues(pool);
  }

  /** @throws ShelfmarkError SHELFMARK_NO_WORDS. */
  plan(text: string, options: FilledSearchOptions): QueryPlan {
    if (options.match === 'scan') return planScan(text, options.ignoreCase);
    return planQuery(this.#analyzer, text, options, this.#synonymsOf(options).tokensFor(text));
  }

  /** The rules of a search made ready; those of a batch once. */
  #synonymsOf({ synonyms: rules }: FilledSearchOptions): Synonyms {
    const known = this.#synonyms.get(rules) ?? new Synonyms(this.#analyzer, rules);
    this.#synonyms.set(rules, known);
    return known;
  }

  /** What prefixes and exclusions ask of every hit, or null. @throws ShelfmarkError SHELFMARK_USAGE when they are none. */
  wordFilter(options: FilledSearchOptions): WordFilter | null {
    return planWordFilter(this.#analyzer, options);
  }

  /**
   * Refuses filters by what no document has.
   * @param failures shards that are not asked; those that fail now are added.
   * @throws ShelfmarkError SHELFMARK_USAGE; the signal's reason when aborted.
   */
  async checkFilter(
    options: FilledSearchOptions,
    failures: Map<string, ShardFailure>,
    limits: Omit<Limits, 'excluded'>,
  ): Promise<void> {
    const failed = await this.#knownValues.check(filterOf(options), { excluded: [...failures.keys()], ...limits });
    options.signal?.throwIfAborted();
    for (const failure of failed) failures.set(failure.shard, failure);
  }

  /** Answers planned queries with full hits. @param retriever what finds them; by words unless told otherwise */
  async answer(
    plans: readonly QueryPlan[],
    options: FilledSearchOptions,
    retriever: Retriever = this,
  ): Promise<SearchAnswer[]> {
    const startedAt = performance.now();
    const deadline = deadlineOf(options);
    const failures: ShardFailure[] = [];
    for (;;) {
      const group = await retriever.rank(plans, options, failures, deadline);
      const fetchStartedAt = performance.now();
      const fetched = await fetchHits(this.#pool, group, this.wordFilter(options), options);
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
        ...(group.retrieval === undefined ? {} : { retrieval: group.retrieval }),
        tookMs,
        ...(options.explain ? { explain: explanationOf(group, steps, fetchMs) } : {}),
      }));
    }
  }

  /**
   * Ranks planned queries. Each query goes down its rungs until one has a hit anywhere in the corpus, or with `fill` until
   * there are enough; the queries of a group take each step together.
   * @param known shards that failed before, not to be asked again.
   * @param deadline milliseconds since the epoch; of the whole answer, however often it is ranked.
   * @throws the signal's reason when aborted; ShelfmarkError SHELFMARK_USAGE for prefixes and exclusions that are none, and
   * for filters by what no document has.
   */
  async rank(
    planned: readonly QueryPlan[],
    options: FilledSearchOptions,
    known: readonly ShardFailure[] = [],
    deadline: number | null = deadlineOf(options),
  ): Promise<RankedGroup> {
    const failures = new Map(known.map((failure) => [failure.shard, failure]));
    const stop = stopFlagOf(options.signal);
    await this.checkFilter(options, failures, { deadline, stop });
    for (;;) {
      const limits = { deadline, stop };
      const group =
        options.match === 'scan'
          ? await this.#scan(planned, options, failures, limits)
          : await this.#rank(planned, options, failures, limits);
      if (group === null) continue;
      // What has failed before had its text damaged, or a name.
      const damaged = [...failures.values()].filter(
        ({ shard, error }) => error.code === 'SHELFMARK_CORRUPT' && !known.some((failure) => failure.shard === shard),
      );
      return damaged.length > 0 && options.match !== 'scan' && options.scanDamaged
        ? await this.#scanDamaged(group, damaged, options, limits)
        : group;
    }
  }

  /** Adds hits from the text of shards whose index is damaged, where there are fewer than wanted. */
  async #scanDamaged(
    group: RankedGroup,
    damaged: readonly ShardFailure[],
    options: FilledSearchOptions,
    { deadline, stop }: Omit<Limits, 'excluded'>,
  ): Promise<RankedGroup> {
    const open = group.answers.filter(({ hits }) => hits.length < options.limit);
    if (open.length === 0) return group;
    const order = [...this.#shards.keys()];
    const startedAt = performance.now();
    const rungs = open.map(({ plan }) => scanRung(plan));
    const result = await this.#pool.scanWords(
      {
        queries: rungs.map(({ tokens, query }, index) => ({
          words: tokens.map(({ text }) => text),
          isStrict: open[index]!.plan.match === 'all',
          phrases: query.phrases,
        })),
        k: options.limit,
        by: options.by,
        filter: filterOf(options),
        words: this.wordFilter(options),
        excluded: order.filter((id) => !damaged.some(({ shard }) => shard === id)),
        deadline,
        stop,
      },
      order,
    );
    options.signal?.throwIfAborted();
    const ms = roundMs(performance.now() - startedAt);
    const scanned = damaged.length - result.failed.length - result.timedOut.length;
    const { coverage } = group;
    return {
      ...group,
      answers: group.answers.map((answer) => {
        const at = open.indexOf(answer);
        if (at < 0) return answer;
        const rung = rungs[at]!;
        const added = result.hits[at]!.slice(0, options.limit - answer.hits.length).map((hit) => ({ ...hit, rung }));
        const hits = [...answer.hits, ...added];
        const steps = options.explain ? [...answer.steps, describeScan(rung, added.length, ms)] : answer.steps;
        return { ...answer, rung: hits[0]?.rung ?? answer.rung, hits, steps };
      }),
      coverage: { ...coverage, failed: coverage.failed - scanned, scanned },
    };
  }

  /**
   * @param failures shards that are not asked; those that fail now are added.
   * @returns null when hits were found in a shard that failed after all: they had kept out others.
   */
  async #rank(
    planned: readonly QueryPlan[],
    options: FilledSearchOptions,
    failures: Map<string, ShardFailure>,
    { deadline, stop }: Omit<Limits, 'excluded'>,
  ): Promise<RankedGroup | null> {
    const timedOut = new Set<string>();
    const excluded = (): string[] => [...failures.keys(), ...timedOut];
    const words = this.wordFilter(options);
    const fail = ({ failed, timedOut: late }: Shortfall): void => {
      options.signal?.throwIfAborted();
      for (const failure of failed) failures.set(failure.shard, failure);
      for (const shard of late) timedOut.add(shard);
    };

    const startedAt = performance.now();
    const numberOf = numberTerms(planned);
    const terms = [...numberOf.keys()];
    const counted = await this.#statistics.count(terms, { excluded: excluded(), deadline, stop });
    fail(counted);
    const countMs = counted.isKnown ? 0 : roundMs(performance.now() - startedAt);
    const scoring = this.#scoring(options, new Set(excluded()));
    const table = { terms, frequencies: counted.frequencies };
    const plans = planned.map((plan) => settlePlan(plan, (term) => counted.frequencies[numberOf.get(term)!]!));

    const found: RungHit[][] = plans.map(() => []);
    const steps: RungExplanation[][] = plans.map(() => []);
    const enough = options.fill ? options.limit : 1;
    for (let step = 0; ; step++) {
      const open = [...plans.keys()].filter((query) => found[query]!.length < enough && plans[query]!.rungs[step]);
      if (open.length === 0) break;
      const rungs = open.map((query) => plans[query]!.rungs[step]!);
      const queries = rungs.map(({ query }) => prepareQuery(query, numberOf, table.frequencies));
      const rungStartedAt = performance.now();
      const result = await this.#pool.rank(
        queries,
        table,
        {
          k: options.limit,
          by: options.by,
          filter: filterOf(options),
          words,
          scoring,
          countWork: options.explain,
          excluded: excluded(),
          deadline,
          stop,
        },
        (thread) => queries.some((query) => query !== null && canMatch(query, counted.perThread[thread]!)),
      );
      fail(result);
      for (const failure of result.unnamed) failures.set(failure.shard, failure);
      const ms = roundMs(performance.now() - rungStartedAt);
      const threadMs = roundMs(result.ms);
      const isFailed = ({ shard }: RankedHit): boolean => failures.has(shard);
      // Those of a query that is done, too: the steps of another may be the first to come upon the damage.
      if (result.unnamed.length > 0 || found.some((hits) => hits.some(isFailed))) return null;
      for (const [at, query] of open.entries()) {
        const rung = rungs[at]!;
        const hits = result.hits[at]!;
        if (options.explain) {
          const work = sumOf(result.work[at]!);
          steps[query]!.push({ name: rung.name, tokens: describeTokens(rung), hits: hits.length, ms, threadMs, work });
        }
        found[query]!.push(...newHits(found[query]!, hits, options).map((hit) => ({ ...hit, rung })));
      }
    }
    return {
      answers: plans.map((plan, query) => {
        const hits = found[query]!;
        return { plan, rung: hits[0]?.rung ?? plan.rungs.at(-1)!, hits, steps: steps[query]! };
      }),
      coverage: coverageOf(this.#shards.size, failures, timedOut),
      failures,
      timedOut,
      scoring,
      table,
      countMs,
    };
  }

  /**
   * Looks for queries as they are written.
   * @param failures as with {@link #rank}
   * @returns null when a shard has failed: what was found in it had kept others from going on.
   */
  async #scan(
    plans: readonly QueryPlan[],
    options: FilledSearchOptions,
    failures: Map<string, ShardFailure>,
    { deadline, stop }: Omit<Limits, 'excluded'>,
  ): Promise<RankedGroup | null> {
    const excluded = [...failures.keys()];
    const scoring = this.#scoring(options, new Set(excluded));
    const progress = new Int32Array(new SharedArrayBuffer(4));
    const startedAt = performance.now();
    const result = await whileReporting(options, progress, scoring.chunks, () =>
      this.#pool.scan({
        literals: plans.map(({ rungs }) => rungs[0]!.literal!),
        order: [...this.#shards.keys()],
        progress,
        k: options.limit,
        by: options.by,
        filter: filterOf(options),
        words: this.wordFilter(options),
        scoring,
        excluded,
        deadline,
        stop,
      }),
    );
    options.signal?.throwIfAborted();
    for (const failure of result.failed) failures.set(failure.shard, failure);
    if (result.failed.length > 0) return null;
    const ms = roundMs(performance.now() - startedAt);
    const answers = plans.map((plan, query): RankedAnswer => {
      const rung = plan.rungs[0]!;
      const hits = result.hits[query]!.map((hit) => ({ ...hit, rung }));
      return { plan, rung, hits, steps: [describeScan(rung, hits.length, ms)] };
    });
    const timedOut = new Set(result.timedOut);
    const coverage = coverageOf(this.#shards.size, failures, timedOut);
    const table = { terms: [], frequencies: new Float64Array(0) };
    return { answers, coverage, failures, timedOut, scoring, table, countMs: 0 };
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
}

/** Numbers the terms of all rungs. */
function numberTerms(plans: readonly QueryPlan[]): Map<string, number> {
  const numberOf = new Map<string, number>();
  const add = (term: string): void => {
    if (!numberOf.has(term)) numberOf.set(term, numberOf.size);
  };
  for (const { rungs } of plans) for (const { query } of rungs) visitTerms(query, add);
  return numberOf;
}

/** Hits of a step that an earlier one has not given, as many as are still wanted. */
function newHits(
  known: readonly RankedHit[],
  hits: readonly RankedHit[],
  { by, limit }: FilledSearchOptions,
): readonly RankedHit[] {
  if (known.length === 0) return hits;
  const seen = new Set(known.map((hit) => keyOf(hit, by)));
  return hits.filter((hit) => !seen.has(keyOf(hit, by))).slice(0, limit - known.length);
}
