/** Bytes that a term in the cache is reckoned to take beside its postings, and one that its shard does not have. */
const entryBytes = 512;
const absentBytes = 128;

/** Something kept for a term; `bytes` may grow while it is kept. */
export interface Cached {
  readonly bytes: number;
}

/**
 * Keeps expanded postings of all shards of a thread below one budget. Two generations: what is used moves to the young
 * one, and when that has half the budget it becomes the old one and the old one is forgotten. So a term stays as long as
 * it is asked for once a generation, and no bookkeeping per use is needed.
 */
export class PostingsCache {
  readonly #maxBytes: number;
  readonly #shards = new Set<TermCache<Cached>>();
  #youngBytes = 0;
  #oldBytes = 0;

  /** @param maxBytes budget of this cache; a query that needs more at once takes more until it ends. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes held now. */
  get bytes(): number {
    return this.#youngBytes + this.#oldBytes;
  }

  /** A cache for the terms of one shard. */
  forShard<Value extends Cached>(): TermCache<Value> {
    const terms = new TermCache<Value>(this);
    this.#shards.add(terms);
    return terms;
  }

  /** Counts bytes that an entry takes; called by the caches of shards, and by entries that have grown. */
  charge(bytes: number): void {
    this.#youngBytes += bytes;
    if (this.#youngBytes <= this.#maxBytes / 2) return;
    this.#oldBytes = this.#youngBytes;
    this.#youngBytes = 0;
    for (const shard of this.#shards) shard.age();
  }

  /** Takes a shard's cache out. */
  remove(terms: TermCache<Cached>): void {
    this.#shards.delete(terms);
  }
}

/** Terms of one shard; null stands for a term that the shard does not have. */
export class TermCache<Value extends Cached> {
  readonly #budget: PostingsCache;
  #young = new Map<string, Value | null>();
  #old = new Map<string, Value | null>();

  constructor(budget: PostingsCache) {
    this.#budget = budget;
  }

  /** What is kept for a term; undefined when nothing is known of it. */
  get(term: string): Value | null | undefined {
    const young = this.#young.get(term);
    if (young !== undefined) return young;
    const old = this.#old.get(term);
    if (old !== undefined) this.set(term, old);
    return old;
  }

  set(term: string, value: Value | null): void {
    this.#young.set(term, value);
    this.#budget.charge(value === null ? absentBytes : entryBytes + value.bytes);
  }

  /** The young generation becomes the old one. */
  age(): void {
    this.#old = this.#young;
    this.#young = new Map();
  }

  /** Forgets everything. */
  clear(): void {
    this.#young.clear();
    this.#old.clear();
  }
}
