import { COLUMN_UNITS, type ShardQuery } from '../../shards/index.ts';
import type { Limits, Shortfall } from '../../workers/protocol.ts';
import type { ShardPool } from './shard-pool.ts';

/** In how many chunks terms are. */
export interface TermCounts extends Shortfall {
  /** chunks of the corpus per term */
  readonly frequencies: ReadonlyMap<string, number>;
  /** the same for the shards of one thread */
  readonly inThread: (term: string, thread: number) => number;
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
    const unknown = isWhole ? terms.filter((term) => !this.#known.has(term)) : [...terms];
    const perThread = new Map<string, readonly number[]>();
    let shortfall: Shortfall = { failed: [], timedOut: [] };
    if (unknown.length > 0) {
      const { frequencies, ...rest } = await this.#pool.count({
        ...limits,
        terms: unknown,
        columnUnits: COLUMN_UNITS,
      });
      shortfall = rest;
      for (const [index, term] of unknown.entries())
        perThread.set(
          term,
          frequencies.map((counts) => counts[index]!),
        );
      if (isWhole && rest.failed.length + rest.timedOut.length === 0) this.#remember(perThread);
    }
    for (const term of terms) if (!perThread.has(term)) perThread.set(term, this.#known.get(term)!);
    return {
      frequencies: new Map(
        [...perThread].map(([term, counts]) => [term, counts.reduce((sum, count) => sum + count, 0)]),
      ),
      inThread: (term, thread) => perThread.get(term)?.[thread] ?? 0,
      isKnown: unknown.length === 0,
      ...shortfall,
    };
  }

  #remember(counts: ReadonlyMap<string, readonly number[]>): void {
    if (this.#known.size + counts.size > maxRemembered) this.#known.clear();
    for (const [term, perThread] of counts) this.#known.set(term, perThread);
  }
}

/** Whether a query can have a hit where terms are in that many chunks. */
export function canMatch({ mode, tokens, phrases }: ShardQuery, countOf: (term: string) => number): boolean {
  const occurs = (term: string): boolean => countOf(term) > 0;
  if (!phrases.every((terms) => terms.every(occurs))) return false;
  if (mode === 'and') return tokens.every((alternatives) => alternatives.some((terms) => terms.every(occurs)));
  return tokens.length === 0 || tokens.flat(2).some(occurs);
}
