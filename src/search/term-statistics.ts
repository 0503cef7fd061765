import { COLUMN_UNITS } from '../../shards/index.ts';
import type { Limits, Shortfall } from '../../workers/protocol.ts';
import type { ShardPool } from './shard-pool.ts';

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
    // What is remembered holds for all shards together, so with a shard excluded everything is asked for.
    const isWhole = limits.excluded.length === 0;
    const unknown = isWhole ? terms.filter((term) => !this.#known.has(term)) : terms;
    if (unknown.length === 0) {
      const counts = terms.map((term) => this.#known.get(term)!);
      return { ...this.#sum(counts), isKnown: true, failed: [], timedOut: [] };
    }
    const { perThread, ...shortfall } = await this.#pool.count({
      ...limits,
      terms: unknown,
      columnUnits: COLUMN_UNITS,
    });
    const fresh = new Map(unknown.map((term, index) => [term, perThread.map((counts) => counts[index]!)]));
    const counts = terms.map((term) => fresh.get(term) ?? this.#known.get(term)!);
    if (isWhole && shortfall.failed.length + shortfall.timedOut.length === 0) this.#remember(fresh);
    return { ...this.#sum(counts), isKnown: false, ...shortfall };
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
