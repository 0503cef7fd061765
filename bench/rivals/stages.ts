/** What the drivers written in TypeScript have in common: how stages are named, timed and answered. */
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { decodeQueries, type RivalQuery } from './query-classes.ts';

/** Answer to `build`. */
export interface BuildAnswer {
  /** until everything can be searched and is on disk */
  readonly seconds: number;
  /** time that the engine takes after that to make one segment of several, 0 where it does not */
  readonly mergeSeconds: number;
  /** bytes that serve ranking */
  readonly indexBytes: number;
  /** bytes of everything kept, stored text included */
  readonly totalBytes: number;
  readonly peakMB: number;
}

/** Answer to `latency`: of the last round, per class, in the order of the queries. */
export interface LatencyAnswer {
  readonly classes: Readonly<Record<string, { readonly ms: readonly number[]; readonly top: readonly number[][] }>>;
  readonly rounds: number;
  readonly peakMB: number;
}

/** Answer to `batch`: queries per second by class. */
export type BatchAnswer = Readonly<Record<string, number>>;

/** Answer to `library`, which only Shelfmark has: what a user of the library waits for, one query at a time. */
export interface LibraryAnswer {
  /** ms inside the worker, measured in this process beside the others, by query */
  readonly worker: readonly number[];
  /** ms of `Corpus.rank` with one query and one thread */
  readonly rank: readonly number[];
  /** ms of `Corpus.search` with the default threads, text and snippets included */
  readonly search: readonly number[];
}

/** A query ready to be run: gives the numbers of its ten best documents. */
export type RunQuery = () => readonly number[];

/** How long and how often `latency` measures. */
export interface Rounds {
  /** rounds over all queries before the first that counts */
  readonly warmups: number;
  readonly rounds: number;
  /** no further round is begun after this time, but the last round is always a whole one */
  readonly budgetSeconds: number;
}

/** Reads the arguments that `latency` ends with. */
export function parseRounds([warmups, rounds, budgetSeconds]: readonly string[]): Rounds {
  return { warmups: Number(warmups), rounds: Number(rounds), budgetSeconds: Number(budgetSeconds) };
}

/** Runs all queries round after round, the classes mixed as a service would see them, and keeps the last round. */
export function measureLatency(
  queries: readonly { readonly class: string; readonly run: RunQuery }[],
  { warmups, rounds, budgetSeconds }: Rounds,
): LatencyAnswer {
  const startedAt = performance.now();
  let classes: Record<string, { ms: number[]; top: number[][] }> = {};
  let round = 0;
  do {
    classes = {};
    for (const { class: name, run } of interleaved(queries)) {
      const queryStartedAt = performance.now();
      const top = run();
      const ms = performance.now() - queryStartedAt;
      classes[name] ??= { ms: [], top: [] };
      classes[name].ms.push(ms);
      classes[name].top.push([...top]);
    }
    round++;
  } while (round < warmups + rounds && performance.now() - startedAt < budgetSeconds * 1000);
  return { classes, rounds: round, peakMB: peakMB() };
}

/** One query of each class in turn, in the order of each class. */
function interleaved<Query extends { readonly class: string }>(queries: readonly Query[]): Query[] {
  const byClass = new Map<string, Query[]>();
  for (const query of queries) byClass.set(query.class, [...(byClass.get(query.class) ?? []), query]);
  const longest = Math.max(...[...byClass.values()].map(({ length }) => length));
  return Array.from({ length: longest }, (_, index) =>
    [...byClass.values()].flatMap((list) => list.slice(index, index + 1)),
  ).flat();
}

/** Whole passes over some queries for about `seconds`, after as many to warm up; gives queries per second. */
export function measureBatch(queries: readonly RunQuery[], seconds: number): number {
  const passes = (): number => {
    const startedAt = performance.now();
    let answered = 0;
    do {
      for (const run of queries) run();
      answered += queries.length;
    } while (performance.now() - startedAt < seconds * 1000);
    return (answered * 1000) / (performance.now() - startedAt);
  };
  passes();
  return passes();
}

/** The queries of an input. */
export function queriesOf(folder: string): RivalQuery[] {
  return decodeQueries(readFileSync(join(folder, 'queries.tsv'), 'utf8'));
}

/** The queries whose classes `batch` is measured on, by class. */
export function batchClassesOf(folder: string): Map<string, RivalQuery[]> {
  const classes = new Map<string, RivalQuery[]>();
  for (const query of queriesOf(folder)) {
    if (/^(questions|mixed)-/.test(query.class)) classes.set(query.class, [...(classes.get(query.class) ?? []), query]);
  }
  return classes;
}

/** The documents of an input as terms joined by spaces, in order; each is valid until the next. */
export function* documentsOf(folder: string): Generator<Buffer> {
  const descriptor = openSync(join(folder, 'tokens.txt'), 'r');
  try {
    let buffer = Buffer.allocUnsafe(1 << 20);
    let length = 0;
    for (;;) {
      const read = readSync(descriptor, buffer, length, buffer.length - length, null);
      if (read === 0) return;
      length += read;
      let start = 0;
      for (;;) {
        const end = buffer.subarray(0, length).indexOf(10, start);
        if (end === -1) break;
        yield buffer.subarray(start, end);
        start = end + 1;
      }
      buffer.copyWithin(0, start, length);
      length -= start;
      if (length === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length)]);
    }
  } finally {
    closeSync(descriptor);
  }
}

/** Most memory that this process has had, in MB. */
export function peakMB(): number {
  return (process.resourceUsage().maxRSS * 1024) / 1e6;
}

/** Ends a stage: the driver's last line on standard output is its answer. */
export function answer(value: BuildAnswer | LatencyAnswer | BatchAnswer | LibraryAnswer | readonly number[]): void {
  console.log(JSON.stringify(value));
}
