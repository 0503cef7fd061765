import { existsSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { Bench } from 'tinybench';
import { buildCorpus, Corpus } from '../dist/src/index.js';
import { discoverSources, frameSource } from '../dist/src/sources/index.js';
import { type BenchInput, workFolder } from './corpora.ts';
import { measureFeatures } from './features.ts';

/** A number that a case measured, with its unit. */
export type Measures = Readonly<Record<string, number>>;

/** What can be measured. Each case runs in a process of its own. */
export const cases: Readonly<Record<string, (input: BenchInput) => Promise<Readonly<Record<string, Measures>>>>> = {
  build: measureBuild,
  'plain-fts5': measurePlainFts5,
  search: measureSearch,
  batch: measureBatch,
  features: measureFeaturesOf,
  filters: measureFilters,
};

const megabyte = 1e6;

/** Times that each filter is measured. */
const filterRounds = 12;

function corpusOf(input: BenchInput): string {
  return join(workFolder, `corpus-${input.name.split(' ')[0]}`);
}

async function measureBuild(input: BenchInput): Promise<Record<string, Measures>> {
  const corpus = corpusOf(input);
  await rm(corpus, { recursive: true, force: true });
  const report = await buildCorpus({ sources: [input.source], corpus });
  const opened = await Corpus.open(corpus);
  const { textBytes } = opened.stats();
  await opened.close();
  const seconds = report.elapsedMs / 1000;
  return {
    build: {
      documents: report.indexed,
      'text MB': textBytes / megabyte,
      seconds,
      'MB/s': textBytes / megabyte / seconds,
      'corpus/text': report.corpusBytes / textBytes,
      'peak MB': process.resourceUsage().maxRSS / 1024,
    },
  };
}

/** The floor under any build on FTS5: the same documents' raw text into one table, nothing stored, one thread. */
async function measurePlainFts5(input: BenchInput): Promise<Record<string, Measures>> {
  const texts: string[] = [];
  let textBytes = 0;
  const { sources } = await discoverSources([input.source]);
  for await (const { bytes, records } of frameSource(sources[0]!)) {
    for (let at = 0; at < records.length; at += 2) {
      const { text } = JSON.parse(bytes.toString('utf8', records[at], records[at + 1])) as { text: string };
      texts.push(text);
      textBytes += Buffer.byteLength(text);
    }
  }
  const file = join(workFolder, 'plain-fts5.db');
  await rm(file, { force: true });
  const database = new Database(file);
  database.unsafeMode(true);
  database.pragma('journal_mode=OFF');
  database.pragma('synchronous=OFF');
  database.exec(`CREATE VIRTUAL TABLE plain USING fts5(body, content='', tokenize='porter unicode61')`);
  const configure = database.prepare('INSERT INTO plain(plain, rank) VALUES(?, ?)');
  configure.run('hashsize', 1n << 30n);
  configure.run('automerge', 0n);
  const insert = database.prepare('INSERT INTO plain(rowid, body) VALUES(?, ?)');
  const startedAt = performance.now();
  database.exec('BEGIN');
  for (const [index, text] of texts.entries()) insert.run(index + 1, text);
  database.exec('COMMIT');
  database.close();
  const seconds = (performance.now() - startedAt) / 1000;
  const size = statSync(file).size;
  await rm(file);
  return {
    'plain FTS5, porter unicode61, one thread': {
      'text MB': textBytes / megabyte,
      seconds,
      'MB/s': textBytes / megabyte / seconds,
      'index/text': size / textBytes,
    },
  };
}

async function measureSearch(input: BenchInput): Promise<Record<string, Measures>> {
  const corpus = await openBuilt(input);
  const results: Record<string, Measures> = {};
  try {
    const bench = new Bench({
      time: 0,
      warmup: true,
      warmupTime: 0,
      warmupIterations: 50,
      iterations: 400,
      retainSamples: true,
    });
    for (const { name, match, queries } of shuffled(input.classes)) {
      let next = 0;
      bench.add(name, async () => {
        await corpus.search(queries[next++ % queries.length]!, { match });
      });
    }
    for (const task of await bench.run()) {
      const { result } = task;
      if (result.state !== 'completed') throw new Error(`${task.name}: ${result.state}`);
      results[`search ${task.name}`] = percentiles([...(result.latency.samples ?? [])]);
    }
  } finally {
    await corpus.close();
  }
  return results;
}

async function measureBatch(input: BenchInput): Promise<Record<string, Measures>> {
  const corpus = await openBuilt(input);
  const results: Record<string, Measures> = {};
  try {
    for (const { name, match, queries } of input.classes) {
      const many = Array.from({ length: 400 }, (_, index) => ({
        id: String(index),
        text: queries[index % queries.length]!,
      }));
      const startedAt = performance.now();
      for await (const row of corpus.rank(many, { match, limit: 100 })) void row;
      results[`batch ${name}`] = { 'queries/s': (many.length * 1000) / (performance.now() - startedAt) };
    }
  } finally {
    await corpus.close();
  }
  return results;
}

async function measureFeaturesOf(input: BenchInput): Promise<Record<string, Measures>> {
  const corpus = await openBuilt(input);
  try {
    return await measureFeatures(input, corpus);
  } finally {
    await corpus.close();
  }
}

/** Questions under filters that let more or less through, and under none, in turn; the least time of each counts. */
async function measureFilters(input: BenchInput): Promise<Record<string, Measures>> {
  const corpus = await openBuilt(input);
  const filters: Readonly<Record<string, readonly string[]>> = { none: [], ...input.prefixes };
  const results: Record<string, Measures> = {};
  try {
    for (const { name, match, queries } of input.classes.filter(({ match }) => match === 'any')) {
      const many = queries.map((text, index) => ({ id: String(index), text }));
      const least = new Map<string, number>();
      for (let round = 0; round < filterRounds; round++) {
        for (const [filter, pathPrefixes] of Object.entries(filters)) {
          const startedAt = performance.now();
          for await (const row of corpus.rank(many, { match, pathPrefixes, limit: 10 })) void row;
          const ms = (performance.now() - startedAt) / many.length;
          least.set(filter, Math.min(ms, least.get(filter) ?? ms));
        }
      }
      for (const [filter, ms] of least) {
        results[`${name}, filter ${filter}`] = { 'ms a query': ms, 'times no filter': ms / least.get('none')! };
      }
    }
  } finally {
    await corpus.close();
  }
  return results;
}

async function openBuilt(input: BenchInput): Promise<Corpus> {
  if (!existsSync(join(corpusOf(input), 'catalog.db')))
    await buildCorpus({ sources: [input.source], corpus: corpusOf(input) });
  return await Corpus.open(corpusOf(input));
}

/** Classes in an order of their own each time: the first task of a run can look faster. */
function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, key: Math.random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

function percentiles(samples: number[]): Measures {
  samples.sort((a, b) => a - b);
  const at = (share: number): number =>
    samples[Math.min(samples.length - 1, Math.floor(samples.length * share))] ?? Number.NaN;
  const mean = samples.reduce((sum, sample) => sum + sample, 0) / samples.length;
  return { 'p50 ms': at(0.5), 'p95 ms': at(0.95), 'p99 ms': at(0.99), 'mean ms': mean };
}
