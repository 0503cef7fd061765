import type { Corpus, SearchOptions } from '../dist/src/index.js';
import type { BenchInput } from './corpora.ts';

/** A number that was measured, with its unit. */
type Measures = Readonly<Record<string, number>>;

/** A query in one of the ways to ask it. */
interface Asked {
  readonly query: string;
  readonly options: SearchOptions;
}

/** Ways to ask the same words; the first is what the others are compared with. */
const ways: Readonly<Record<string, (words: readonly string[]) => Asked>> = {
  'any word': (words) => ask(words, {}),
  'any word, --evidence 3': (words) => ask(words, { evidence: 3 }),
  strict: (words) => ask(words, { match: 'strict' }),
  'strict, --fill': (words) => ask(words, { match: 'strict', fill: true }),
  'any word, --prefix of 3 letters': (words) => ask(words, { prefixes: [longest(words).slice(0, 3)] }),
  'any word, --prefix of 2 letters': (words) => ask(words, { prefixes: ['ma'] }),
  'any word, --not the last': (words) => ask(words.slice(0, -1), { not: [words.at(-1)!] }),
  'any word, --not the last two in a row': (words) => ask(words.slice(0, -1), { not: [words.slice(-2).join(' ')] }),
  'any word, --phrase of the last two': (words) => ask(words, { phrases: [words.slice(-2).join(' ')] }),
};

/** The same for what takes as long as the text is. */
const scans: typeof ways = {
  'scan for the last two words': (words) => ask(words.slice(-2), { match: 'scan' }),
  'scan, --ignore-case': (words) => ask(words.slice(-2), { match: 'scan', ignoreCase: true }),
};

const queriesAsked = 40;
const rounds = 7;
const scanQueries = 3;
const scanRounds = 2;

/** Asks queries in several ways by turns, and takes of each the fastest of several rounds: the machine may be busy. */
export async function measureFeatures(input: BenchInput, corpus: Corpus): Promise<Record<string, Measures>> {
  const queries = input.classes
    .filter(({ match }) => match === 'any')
    .flatMap(({ queries }) => queries)
    .map((query) => query.split(/\W+/).filter((word) => word !== ''))
    .filter(({ length }) => length >= 3);
  const step = Math.max(1, Math.floor(queries.length / queriesAsked));
  const some = queries.filter((_, index) => index % step === 0);
  return {
    ...(await compare(corpus, ways, some, rounds)),
    ...(await compare(corpus, scans, some.slice(0, scanQueries), scanRounds)),
  };
}

async function compare(
  corpus: Corpus,
  asked: typeof ways,
  queries: readonly (readonly string[])[],
  count: number,
): Promise<Record<string, Measures>> {
  const best = new Map(Object.keys(asked).map((name) => [name, queries.map(() => Number.POSITIVE_INFINITY)]));
  for (let round = 0; round < count; round++) {
    for (const [index, words] of queries.entries()) {
      for (const [name, way] of Object.entries(asked)) {
        const { query, options } = way(words);
        const startedAt = performance.now();
        await corpus.search(query, options);
        const times = best.get(name)!;
        times[index] = Math.min(times[index]!, performance.now() - startedAt);
      }
    }
  }
  const meanOf = (times: readonly number[]): number => times.reduce((sum, time) => sum + time, 0) / times.length;
  const plain = meanOf(best.get(Object.keys(asked)[0]!)!);
  return Object.fromEntries(
    [...best].map(([name, times]) => {
      const sorted = [...times].sort((a, b) => a - b);
      const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
      return [
        name,
        { 'p50 ms': at(0.5), 'p95 ms': at(0.95), 'mean ms': meanOf(times), 'of the first': meanOf(times) / plain },
      ];
    }),
  );
}

function ask(words: readonly string[], options: SearchOptions): Asked {
  return { query: words.join(' '), options: { match: 'any', ...options } };
}

function longest(words: readonly string[]): string {
  return [...words].sort((a, b) => b.length - a.length)[0]!;
}
