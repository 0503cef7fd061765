import { type NearText, newFloors, type PreparedQuery, type TermTable, type Work } from '../../shards/index.ts';
import { byName, mergeRanked } from '../../workers/merge-ranked.ts';
import type {
  CountTask,
  EvidenceAnswer,
  EvidenceItem,
  EvidenceOptions,
  FetchAnswer,
  FetchTask,
  KnownAnswer,
  KnownTask,
  NearestTask,
  RankedHit,
  RankOptions,
  RankTask,
  RankVectorsTask,
  ScanAnswer,
  ScanTask,
  ScanWordsTask,
  SearchAnswers,
  SearchTask,
  ShardFailure,
  ShardTarget,
  Shortfall,
  VerifyAnswer,
  VerifyTask,
} from '../../workers/protocol.ts';
import { packGroup, unpackHits } from '../../workers/rank-message.ts';
import type { Lane } from '../lane.ts';
import { ThreadLane } from '../thread-lane.ts';
import { CallingLane } from './calling-lane.ts';

/** Answers of all threads merged; `hits[i]` and `work[i]` belong to query i. */
export interface RankResult extends Shortfall {
  readonly hits: readonly (readonly RankedHit[])[];
  /** shards with hits whose names cannot be read; the hits are not those of a corpus without them */
  readonly unnamed: readonly ShardFailure[];
  /** what each thread did, if it was to be counted */
  readonly work: readonly (readonly Work[])[];
  /** milliseconds of the thread that took longest */
  readonly ms: number;
}

/** Answers of all threads merged; `hits[i]` belong to `queries[i]`. */
export interface RankVectorsResult extends Omit<RankResult, 'work'> {
  /** shards that have no vectors of the model */
  readonly bare: readonly string[];
}

/** Chunks with each term, per thread. */
export interface CountResult extends Shortfall {
  readonly perThread: readonly Float64Array[];
}

/**
 * Shards that a thread has open at once; with at most 1 MiB of page cache each, this bounds its share of memory. The
 * calling thread is alone with all shards, and asks them at most a few questions.
 */
const maxOpenInThread = 128;
const maxOpenInCaller = 256;

/**
 * The threads that search a corpus. Each shard belongs to one thread, so its file is opened once; a query is one message
 * to each thread, never one per shard.
 */
export class ShardPool {
  readonly #lanes: readonly Lane<SearchTask, SearchAnswers>[];
  readonly #laneOf = new Map<string, number>();

  /**
   * @param threads how many to start; 0 searches in the calling thread.
   * @param postingsBytes budget for expanded postings of all threads together
   */
  constructor(shards: readonly (ShardTarget & { readonly bytes: number })[], threads: number, postingsBytes: number) {
    const groups = spread(shards, Math.max(1, Math.min(threads, shards.length)));
    this.#lanes = groups.map((group, lane) => {
      const thread = threads === 0 ? new CallingLane() : new ThreadLane<SearchTask, SearchAnswers>('search-thread');
      for (const { id } of group) this.#laneOf.set(id, lane);
      const share = Math.floor(postingsBytes / groups.length);
      const maxOpen = threads === 0 ? maxOpenInCaller : maxOpenInThread;
      // A failure to start comes out with the first question.
      thread.run<'open'>({ op: 'open', shards: group, maxOpen, postingsBytes: share }).catch(() => {});
      return thread;
    });
  }

  /** How many threads there are. */
  get threads(): number {
    return this.#lanes.length;
  }

  /** Counts chunks with terms in all shards but those excluded. */
  async count(request: Omit<CountTask, 'op'>): Promise<CountResult> {
    const answers = await Promise.all(this.#lanes.map((thread) => thread.run<'count'>({ op: 'count', ...request })));
    return { perThread: answers.map(({ frequencies }) => frequencies), ...joinShortfalls(answers) };
  }

  /** Which attributes and values any document has, in all shards but those excluded. */
  async known(request: Omit<KnownTask, 'op'>): Promise<KnownAnswer> {
    const answers = await Promise.all(this.#lanes.map((thread) => thread.run<'known'>({ op: 'known', ...request })));
    const known = request.items.map((_, index) => answers.some((answer) => answer.known[index]));
    return { known, ...joinShortfalls(answers) };
  }

  /** What each thread knows that is most like an attribute or value. */
  async nearest(request: Omit<NearestTask, 'op'>): Promise<NearText[]> {
    const lanes = this.#lanes.map((thread) => thread.run<'nearest'>({ op: 'nearest', ...request }));
    return (await Promise.all(lanes)).flatMap(({ texts }) => texts);
  }

  /**
   * Ranks queries on all shards but those excluded.
   * @param queries null for one that can have no hit
   * @param isNeeded false for a thread none of whose shards can have a hit; it is not asked.
   */
  async rank(
    queries: readonly (PreparedQuery | null)[],
    table: TermTable,
    options: Omit<RankOptions, 'floors'>,
    isNeeded: (thread: number) => boolean,
  ): Promise<RankResult> {
    const asked = this.#lanes.filter((_, index) => isNeeded(index));
    const task: RankTask = {
      op: 'rank',
      ...packGroup(queries, table),
      ...options,
      floors: newFloors(queries.length),
    };
    const answers = await Promise.all(asked.map((thread) => thread.run<'rank'>(task)));
    const hits = answers.map((answer) => unpackHits(answer.hits));
    return {
      hits: queries.map((_, query) => mergeThreads(hits, query, options.k)),
      unnamed: answers.flatMap(({ unnamed }) => unnamed),
      work: queries.map((_, query) => answers.flatMap(({ work }) => work[query] ?? [])),
      ms: Math.max(0, ...answers.map(({ ms }) => ms)),
      ...joinShortfalls(answers),
    };
  }

  /** Finds the best passages of winning documents; the answer has the order of the items. */
  async evidence(
    items: readonly EvidenceItem[],
    queries: readonly (PreparedQuery | null)[],
    table: TermTable,
    options: EvidenceOptions,
  ): Promise<EvidenceAnswer> {
    const task = { ...packGroup(queries, table), ...options };
    return await this.#askOwners(
      items.map(({ shard }) => shard),
      (thread, positions) =>
        thread.run<'evidence'>({ op: 'evidence', ...task, items: positions.map((index) => items[index]!) }),
    );
  }

  /** Compares embedded queries with the vectors of all shards but those excluded. */
  async rankVectors(request: Omit<RankVectorsTask, 'op'>): Promise<RankVectorsResult> {
    const answers = await Promise.all(
      this.#lanes.map((thread) => thread.run<'rankVectors'>({ op: 'rankVectors', ...request })),
    );
    const hits = answers.map((answer) => answer.hits);
    return {
      hits: request.queries.map((_, query) => mergeThreads(hits, query, request.k)),
      unnamed: answers.flatMap(({ unnamed }) => unnamed),
      bare: answers.flatMap(({ bare }) => bare),
      ms: Math.max(0, ...answers.map(({ ms }) => ms)),
      ...joinShortfalls(answers),
    };
  }

  /** Looks for literals in the text of all shards but those excluded; hits in the order of shards and chunks. */
  async scan(request: Omit<ScanTask, 'op' | 'counts'>): Promise<ScanAnswer> {
    const { literals, order, k } = request;
    const counts = new Int32Array(new SharedArrayBuffer(4 * literals.length * order.length));
    const task: ScanTask = { op: 'scan', ...request, counts };
    const answers = await Promise.all(this.#lanes.map((thread) => thread.run<'scan'>(task)));
    const byPlace = archiveOrder(order);
    const hits = literals.map((_, literal) =>
      answers
        .flatMap((answer) => answer.hits[literal]!)
        .sort(byPlace)
        .slice(0, k),
    );
    return { hits, ...joinShortfalls(answers) };
  }

  /**
   * Answers queries from the text of all shards but those excluded; hits with most words first, then in the order of shards
   * and chunks.
   */
  async scanWords(request: Omit<ScanWordsTask, 'op'>, order: readonly string[]): Promise<ScanAnswer> {
    const task: ScanWordsTask = { op: 'scanWords', ...request };
    const answers = await Promise.all(this.#lanes.map((thread) => thread.run<'scanWords'>(task)));
    const byPlace = archiveOrder(order);
    const hits = request.queries.map((_, query) =>
      answers
        .flatMap((answer) => answer.hits[query]!)
        .sort((a, b) => b.score - a.score || byPlace(a, b))
        .slice(0, request.k),
    );
    return { hits, ...joinShortfalls(answers) };
  }

  /** Fetches winners' text; the answer has the order of the items. */
  async fetch(task: Omit<FetchTask, 'op'>): Promise<FetchAnswer> {
    return await this.#askOwners(
      task.items.map(({ shard }) => shard),
      (thread, positions) =>
        thread.run<'fetch'>({ op: 'fetch', ...task, items: positions.map((index) => task.items[index]!) }),
    );
  }

  /** Asks the thread of each shard once for all positions of it, and puts the results into the order of `shards`. */
  async #askOwners<Result>(
    shards: readonly string[],
    ask: (thread: Lane<SearchTask, SearchAnswers>, positions: readonly number[]) => Promise<readonly Result[]>,
  ): Promise<Result[]> {
    const positions = this.#lanes.map((): number[] => []);
    for (const [index, shard] of shards.entries()) positions[this.#laneOf.get(shard)!]!.push(index);
    const results: Result[] = new Array(shards.length);
    await Promise.all(
      this.#lanes.map(async (thread, lane) => {
        const own = positions[lane]!;
        if (own.length === 0) return;
        const found = await ask(thread, own);
        for (const [at, index] of own.entries()) results[index] = found[at]!;
      }),
    );
    return results;
  }

  /** Verifies shards, all threads at once; yields reports as they come. */
  async *verify(tasks: readonly Omit<VerifyTask, 'op'>[]): AsyncGenerator<VerifyAnswer> {
    const waiting = [...tasks];
    const running = new Map<number, Promise<{ readonly lane: number; readonly report: VerifyAnswer }>>();
    const start = (lane: number): void => {
      const task = waiting.shift();
      if (task === undefined) return;
      const report = this.#lanes[lane]!.run<'verify'>({ op: 'verify', ...task });
      running.set(
        lane,
        report.then((value) => ({ lane, report: value })),
      );
    };
    for (const lane of this.#lanes.keys()) start(lane);
    while (running.size > 0) {
      const { lane, report } = await Promise.race(running.values());
      running.delete(lane);
      start(lane);
      yield report;
    }
  }

  /** Ends the threads and closes their files. */
  async close(): Promise<void> {
    await Promise.all(this.#lanes.map((thread) => thread.close()));
  }
}

/** Spreads shards over threads so that each has about the same bytes; the order inside a group is that of the catalog. */
function spread<Shard extends { readonly bytes: number }>(shards: readonly Shard[], groups: number): Shard[][] {
  const loads = new Array<number>(groups).fill(0);
  const owner = new Map<Shard, number>();
  for (const shard of [...shards].sort((a, b) => b.bytes - a.bytes)) {
    const lightest = loads.indexOf(Math.min(...loads));
    loads[lightest]! += shard.bytes;
    owner.set(shard, lightest);
  }
  return loads.map((_, group) => shards.filter((shard) => owner.get(shard) === group));
}

/** Order of hits by shard, then chunk. */
function archiveOrder(order: readonly string[]): (a: RankedHit, b: RankedHit) => number {
  const placeOf = new Map(order.map((shard, place) => [shard, place]));
  return (a, b) => placeOf.get(a.shard)! - placeOf.get(b.shard)! || a.chunk - b.chunk;
}

const compareHits = byName((hit: RankedHit) => hit);

/** The k best hits of a query, of all threads'. */
function mergeThreads(threads: readonly (readonly (readonly RankedHit[])[])[], query: number, k: number): RankedHit[] {
  return mergeRanked(
    threads.map((hits) => hits[query]!),
    k,
    compareHits,
  );
}

function joinShortfalls(parts: readonly Shortfall[]): Shortfall {
  return { failed: parts.flatMap(({ failed }) => failed), timedOut: parts.flatMap(({ timedOut }) => timedOut) };
}
