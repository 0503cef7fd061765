/** What answering a query took, counted. */
export interface Work {
  /** shards ranked, and shards passed over because a term is missing there or nothing in them could score enough */
  readonly shards: number;
  readonly shardsSkipped: number;
  /** terms looked up, and how many of them were in the cache */
  readonly terms: number;
  readonly termsCached: number;
  /** pages of the index, heads and segments of offset lists read from the file */
  readonly pages: number;
  readonly lists: number;
  readonly segments: number;
  /** blocks of 4,096 chunks searched, and passed over because nothing in them could score enough */
  readonly blocks: number;
  readonly blocksSkipped: number;
  /** postings looked at, and chunks that were scored to the end */
  readonly postings: number;
  readonly candidates: number;
  /** milliseconds spent on finding the terms' postings, and on ranking with that included */
  readonly lookUpMs: number;
  readonly rankMs: number;
}

/** {@link Work} while it is being counted. */
export type WorkCounter = { -readonly [Name in keyof Work]: number };

/** Nothing done yet. */
export function noWork(): WorkCounter {
  return {
    shards: 0,
    shardsSkipped: 0,
    terms: 0,
    termsCached: 0,
    pages: 0,
    lists: 0,
    segments: 0,
    blocks: 0,
    blocksSkipped: 0,
    postings: 0,
    candidates: 0,
    lookUpMs: 0,
    rankMs: 0,
  };
}

/** Adds what another part did. */
export function addWork(to: WorkCounter, more: Work): void {
  for (const name of Object.keys(to) as (keyof Work)[]) to[name] += more[name];
}
