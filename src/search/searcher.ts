import {
  addWork,
  COLUMN_UNITS,
  canMatch,
  DEFAULT_SCORING,
  formatShelfmark,
  languageIn,
  noWork,
  prepareQuery,
  type QueryToken,
  type RankedChunk,
  type Scoring,
  type ShardId,
  type TermTable,
  termsOf,
  visitTerms,
  type WordFilter,
  type Work,
} from '../../shards/index.ts';
import type {
  EvidenceItem,
  FetchedHit,
  Limits,
  RankedHit,
  ShardFailure,
  ShardTarget,
  Shortfall,
  StopFlag,
} from '../../workers/protocol.ts';
import type { Retriever } from '../retrieve/retriever.ts';
import { coverageOf } from './coverage.ts';
import { filterOf } from './filter.ts';
import type {
  Coverage,
  Evidence,
  Explanation,
  Hit,
  Retrieval,
  RetrieverRanks,
  RungExplanation,
  SearchAnswer,
} from './hits.ts';
import { KnownValues } from './known-values.ts';
import { planQuery, planScan, type QueryPlan, type Rung, scanRung, settlePlan } from './match-policy.ts';
import type { FilledSearchOptions } from './options.ts';
import type { QueryAnalyzer } from './query-analyzer.ts';
import { sectionAnchor } from './section-anchor.ts';
import type { ShardPool } from './shard-pool.ts';
import { type SynonymRule, Synonyms } from './synonyms.ts';
import { TermStatistics } from './term-statistics.ts';
import { planWordFilter } from './word-filter.ts';

/** A ranked hit and the step that found it. */
export interface RungHit extends RankedHit {
  readonly rung: Rung;
  /** where it stood in the lists that were joined */
  readonly retrievers?: RetrieverRanks;
}

/** A query ranked over the whole corpus; the text of its hits is not fetched yet. */
export interface RankedAnswer {
  readonly plan: QueryPlan;
  /** the first step that gave a hit; with no hits, the last */
  readonly rung: Rung;
  readonly hits: readonly RungHit[];
  readonly steps: readonly RungExplanation[];
}

/** Many queries ranked together. */
export interface RankedGroup {
  readonly answers: readonly RankedAnswer[];
  readonly coverage: Coverage;
  readonly failures: ReadonlyMap<string, ShardFailure>;
  readonly timedOut: ReadonlySet<string>;
  /** only when hits were to be found by more than words */
  readonly retrieval?: Retrieval;
  readonly scoring: Scoring;
  /** the terms of the queries */
  readonly table: TermTable;
  readonly countMs: number;
}

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
      const evidence = await this.#evidence(group, options);
      options.signal?.throwIfAborted();
      const isWhole = evidence.failures.length === 0;
      const fetched = isWhole ? await this.#fetch(group, evidence.passages, options) : { ...evidence, hits: [] };
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
        words: planWordFilter(this.#analyzer, options),
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
        const step = {
          name: rung.name,
          tokens: describeTokens(rung),
          hits: added.length,
          ms,
          threadMs: ms,
          work: noWork(),
        };
        const steps = options.explain ? [...answer.steps, step] : answer.steps;
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
      if (result.unnamed.length > 0 || open.some((query) => found[query]!.some(isFailed))) return null;
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
      const step = {
        name: rung.name,
        tokens: describeTokens(rung),
        hits: hits.length,
        ms,
        threadMs: ms,
        work: noWork(),
      };
      return { plan, rung, hits, steps: [step] };
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

  /** The best passages of each hit's document, its own first; only its own when no more are wanted. */
  async #evidence(
    { answers, scoring, table }: RankedGroup,
    options: FilledSearchOptions,
  ): Promise<{ readonly passages: ReadonlyMap<RungHit, readonly RankedChunk[]>; readonly failures: ShardFailure[] }> {
    const hits = answers.flatMap((answer) => answer.hits);
    if (options.evidence <= 1) return { passages: new Map(hits.map((hit) => [hit, [hit]])), failures: [] };
    // Of what was found by scanning, the index knows nothing.
    const passages = new Map<RungHit, readonly RankedChunk[]>(hits.map((hit) => [hit, [hit]]));
    const ranked = hits.filter(({ rung }) => rung.name !== 'scan');
    const rungs = [...new Set(ranked.map(({ rung }) => rung))];
    const groups = new Map<string, RungHit[]>();
    for (const hit of ranked) {
      const key = `${rungs.indexOf(hit.rung)} ${hit.shard}`;
      groups.set(key, [...(groups.get(key) ?? []), hit]);
    }
    const together = [...groups.values()];
    const numberOf = new Map(table.terms.map((term, number) => [term, number]));
    const found = await this.#pool.evidence(
      together.map(
        (group): EvidenceItem => ({
          shard: group[0]!.shard,
          documents: group.map(({ document }) => document),
          query: rungs.indexOf(group[0]!.rung),
        }),
      ),
      rungs.map(({ query }) => prepareQuery(query, numberOf, table.frequencies)),
      table,
      {
        count: options.evidence,
        filter: filterOf(options),
        words: this.wordFilter(options),
        scoring,
        stop: stopFlagOf(options.signal),
      },
    );
    const failures: ShardFailure[] = [];
    for (const [index, group] of together.entries()) {
      const answer = found[index]!;
      if (!answer.ok) failures.push({ shard: group[0]!.shard, error: answer.error });
      else for (const [at, hit] of group.entries()) passages.set(hit, answer.value[at]!);
    }
    return { passages, failures };
  }

  async #fetch(
    { answers, scoring, table }: RankedGroup,
    passages: ReadonlyMap<RungHit, readonly RankedChunk[]>,
    options: FilledSearchOptions,
  ): Promise<{ readonly hits: Hit[][]; readonly failures: ShardFailure[] }> {
    const steps = answers.flatMap(({ plan, hits }) =>
      [...new Set(hits.map(({ rung }) => rung))].map((rung) => ({ rung, tokens: shownTokens(plan, rung) })),
    );
    const stepOf = new Map(steps.map(({ rung }, index) => [rung, index]));
    const wanted = answers.flatMap(({ hits }) =>
      hits.flatMap((hit) => passages.get(hit)!.map((passage) => ({ hit, passage, step: stepOf.get(hit.rung)! }))),
    );
    const fetched = await this.#pool.fetch({
      items: wanted.map(({ hit: { shard }, passage: { chunk, score }, step }) => ({
        shard,
        chunk,
        score,
        query: step,
      })),
      queries: steps.map(({ rung, tokens }) => ({
        tokens: tokens.map(({ alternatives }) => alternatives),
        literal: rung.literal,
        terms: rung.name === 'scan' ? null : termsOf(rung.query),
      })),
      snippetLength: options.snippetLength,
      text: options.text,
      explain: options.explain ? { scoring, frequencies: frequenciesOf(table) } : null,
      stop: stopFlagOf(options.signal),
    });
    const failures = new Map<string, ShardFailure>();
    const shown = new Map<RungHit, ShownPassage[]>();
    for (const [index, { hit, passage, step }] of wanted.entries()) {
      const result = fetched[index]!;
      if (!result.ok) failures.set(hit.shard, { shard: hit.shard, error: result.error });
      else
        shown.set(hit, [
          ...(shown.get(hit) ?? []),
          { shard: hit.shard, passage, tokens: steps[step]!.tokens, fetched: result.value },
        ]);
    }
    if (failures.size > 0) return { hits: [], failures: [...failures.values()] };
    const hits = answers.map((answer) =>
      answer.hits.map((hit, index) => toHit(hit, index + 1, shown.get(hit)!, options.evidence > 0)),
    );
    return { hits, failures: [] };
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

function frequenciesOf({ terms, frequencies }: TermTable): Map<string, number> {
  return new Map(terms.map((term, number) => [term, frequencies[number]!]));
}

/** A passage with its text. */
interface ShownPassage {
  readonly shard: string;
  readonly passage: RankedChunk;
  readonly tokens: readonly QueryToken[];
  readonly fetched: FetchedHit;
}

/** When time is up for an answer that begins now. */
export function deadlineOf({ timeoutMs }: FilledSearchOptions): number | null {
  return timeoutMs === null ? null : Date.now() + timeoutMs;
}

/** Hits of a step that an earlier one has not given, as many as are still wanted. */
function newHits(
  known: readonly RankedHit[],
  hits: readonly RankedHit[],
  { by, limit }: FilledSearchOptions,
): readonly RankedHit[] {
  if (known.length === 0) return hits;
  const keyOf = ({ shard, chunk, document }: RankedHit): string => `${shard}/${by === 'chunk' ? chunk : document}`;
  const seen = new Set(known.map(keyOf));
  return hits.filter((hit) => !seen.has(keyOf(hit))).slice(0, limit - known.length);
}

/** What is highlighted in a step's hits: the words of the query, searched or not, and what the step adds. */
function shownTokens(plan: QueryPlan, rung: Rung): QueryToken[] {
  return [...new Set([...plan.tokens, ...rung.tokens, ...plan.phraseTokens])];
}

/** Milliseconds between reports of progress. */
const reportEveryMs = 100;

/** Reports how far a counter is while something runs. */
async function whileReporting<Result>(
  { onProgress }: FilledSearchOptions,
  counter: Int32Array,
  total: number,
  run: () => Promise<Result>,
): Promise<Result> {
  if (onProgress === undefined) return await run();
  const startedAt = performance.now();
  const report = (): void =>
    onProgress({ done: Atomics.load(counter, 0), total, elapsedMs: performance.now() - startedAt });
  const timer = setInterval(report, reportEveryMs);
  try {
    return await run();
  } finally {
    clearInterval(timer);
    report();
  }
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

/** @param shown the passages of a hit, its own first */
function toHit({ rung, retrievers }: RungHit, rank: number, shown: readonly ShownPassage[], hasEvidence: boolean): Hit {
  const [own] = shown;
  const { document } = own!.fetched;
  const { path, byteStart, byteEnd, sha256 } = document.source;
  const { text, textStart, explain, ...passage } = toPassage(own!);
  return {
    rank,
    ...passage,
    uri: document.uri,
    title: document.title,
    rung: rung.name,
    ...(retrievers === undefined ? {} : { retrievers }),
    label: document.label,
    kind: document.kind,
    collection: document.collection,
    language: languageIn(document.analyzer),
    modified_at: document.modifiedAt,
    source: { path, byteStart, byteEnd, sha256 },
    ...(text === undefined || textStart === undefined ? {} : { text, textStart }),
    ...(explain === undefined ? {} : { explain }),
    ...(hasEvidence ? { evidence: shown.map(toPassage) } : {}),
  };
}

function toPassage({ shard, passage, tokens, fetched }: ShownPassage): Evidence {
  const { document, heading, ordinal, snippet, matched, text, textStart, explanation } = fetched;
  const names = tokens.map(({ text }) => text);
  return {
    score: passage.score,
    shelfmark: formatShelfmark({ shard: shard as ShardId, document: document.id, ordinal }),
    heading,
    section: sectionAnchor(heading),
    ordinal,
    snippet: snippet.text,
    highlights: snippet.highlights,
    matched: names.filter((_, token) => matched[token]),
    missing: names.filter((_, token) => !matched[token]),
    ...(text === null ? {} : { text, textStart }),
    ...(explanation === null ? {} : { explain: explanation }),
  };
}

/** Milliseconds to the microsecond: more digits are noise. */
function roundMs(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

const stopFlags = new WeakMap<AbortSignal, StopFlag>();

/** A flag that threads can see, raised when the signal aborts; one listener a signal, however many searches it serves. */
export function stopFlagOf(signal: AbortSignal | undefined): StopFlag | null {
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
