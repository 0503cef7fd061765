import { COLUMN_UNITS } from '../../shards/index.ts';
import type { Limits, Shortfall } from '../../workers/protocol.ts';
import type { CountResult, ShardPool } from './shard-pool.ts';

/** In how many chunks terms are, in the order in which they were asked for. */
export interface TermCounts extends Shortfall {
  /** over all shards */
  readonly frequencies: Float64Array;
  /** over the shards of each thread */
  readonly perThread: readonly Float64Array[];
  /** true when nobody had to be asked */
  readonly isKnown: boolean;
}

/** Terms that are remembered; all are forgotten when there are more. */
const maxRemembered = 200_000;

const nothingToCount: CountResult = { perThread: [], failed: [], timedOut: [] };

/**
 * Document frequencies over the whole corpus. The threads are asked for terms that were not asked for before, which costs
 * one message more; what they look up for it they need for ranking too.
 */
export class TermStatistics {
  readonly #pool: ShardPool;
  readonly #known = new Map<string, readonly number[]>();

  constructor(pool: ShardPool) {
    this.#pool = pool;
  }

  /** Counts terms over all shards but those excluded and those that fail. */
  async count(terms: readonly string[], limits: Limits): Promise<TermCounts> {
    const counted = await this.#count(terms, limits);
    if (counted.failed.length === 0) return counted;
    // What was remembered counts the shard that has failed now.
    const excluded = [...limits.excluded, ...counted.failed.map(({ shard }) => shard)];
    const again = await this.count(terms, { ...limits, excluded });
    return { ...again, failed: [...counted.failed, ...again.failed] };
  }

  async #count(terms: readonly string[], limits: Limits): Promise<TermCounts> {
    // What is remembered holds for all shards together, so with a shard excluded everything is asked for. It is taken
    // now: while the threads are asked, another count may make all be forgotten.
    const isWhole = limits.excluded.length === 0;
    const known = terms.map((term) => (isWhole ? this.#known.get(term) : undefined));
    const unknown = terms.filter((_, index) => known[index] === undefined);
    const isKnown = unknown.length === 0;
    const { perThread, ...shortfall } = isKnown ? nothingToCount : await this.#ask(unknown, limits);
    const fresh = new Map(unknown.map((term, index) => [term, perThread.map((counts) => counts[index]!)]));
    const counts = terms.map((term, index) => known[index] ?? fresh.get(term)!);
    if (isWhole && shortfall.failed.length + shortfall.timedOut.length === 0) this.#remember(fresh);
    return { ...this.#sum(counts), isKnown, ...shortfall };
  }

  async #ask(terms: readonly string[], limits: Limits): Promise<CountResult> {
    return await this.#pool.count({ ...limits, terms, columnUnits: COLUMN_UNITS });
  }

  /** @param counts per term its chunks in each thread */
  #sum(counts: readonly (readonly number[])[]): Pick<TermCounts, 'frequencies' | 'perThread'> {
    const frequencies = new Float64Array(counts.length);
    const perThread = Array.from({ length: this.#pool.threads }, () => new Float64Array(counts.length));
    for (const [term, ofThreads] of counts.entries()) {
      for (const [thread, count] of ofThreads.entries()) {
        perThread[thread]![term] = count;
        frequencies[term]! += count;
      }
    }
    return { frequencies, perThread };
  }

  #remember(counts: ReadonlyMap<string, readonly number[]>): void {
    if (this.#known.size + counts.size > maxRemembered) this.#known.clear();
    for (const [term, perThread] of counts) this.#known.set(term, perThread);
  }
}
