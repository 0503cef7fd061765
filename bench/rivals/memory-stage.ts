/**
 * Stages of MiniSearch and FlexSearch, one a process: `memory-stage.ts ENGINE STAGE - INPUT …`. Both keep their index in
 * JavaScript's memory, so every stage builds it first, and there is no file.
 */
import FlexSearch from 'flexsearch';
import MiniSearch from 'minisearch';
import type { RivalQuery } from './query-classes.ts';
import {
  answer,
  type BatchAnswer,
  type BuildAnswer,
  batchClassesOf,
  documentsOf,
  measureBatch,
  measureLatency,
  parseRounds,
  peakMB,
  queriesOf,
  type RunQuery,
} from './stages.ts';

/** What the stages need of an engine. */
interface MemoryEngine {
  add(number: number, terms: string): void;
  prepare(query: Pick<RivalQuery, 'mode' | 'terms'>): RunQuery;
  /** bytes of the index as the engine saves it */
  savedBytes(): number;
}

const engines: Readonly<Record<string, () => MemoryEngine>> = { minisearch, flexsearch };

const [name, stage, , folder, ...rest] = process.argv.slice(2) as [string, string, string, string, ...string[]];

switch (stage) {
  case 'build':
    answer(build());
    break;
  case 'latency': {
    const { engine } = filled();
    const queries = queriesOf(folder).map((query) => ({ class: query.class, run: engine.prepare(query) }));
    answer(measureLatency(queries, parseRounds(rest)));
    break;
  }
  case 'batch':
    answer(batch(Number(rest[1])));
    break;
  default:
    throw new Error(`unknown stage ${stage}`);
}

function filled(): { readonly engine: MemoryEngine; readonly seconds: number } {
  const engine = engines[name]!();
  const startedAt = performance.now();
  let number = 0;
  for (const terms of documentsOf(folder)) engine.add(number++, terms.toString());
  return { engine, seconds: (performance.now() - startedAt) / 1000 };
}

function build(): BuildAnswer {
  const { engine, seconds } = filled();
  const peak = peakMB();
  const bytes = engine.savedBytes();
  return { seconds, mergeSeconds: 0, indexBytes: bytes, totalBytes: bytes, peakMB: peak };
}

function batch(seconds: number): BatchAnswer {
  const { engine } = filled();
  const rates: Record<string, number> = {};
  for (const [name, queries] of batchClassesOf(folder)) {
    rates[name] = measureBatch(
      queries.map((query) => engine.prepare(query)),
      seconds,
    );
  }
  return rates;
}

/** BM25 with the parameters of the others; the delta of MiniSearch's BM25+ is 0. It has no limit: all hits are ranked. */
function minisearch(): MemoryEngine {
  const index = new MiniSearch({
    fields: ['body'],
    tokenize: (text) => text.split(' '),
    processTerm: (term) => term,
    searchOptions: { bm25: { k: 0.9, b: 0.4, d: 0 } },
  });
  return {
    add: (number, terms) => index.add({ id: number, body: terms }),
    prepare: ({ mode, terms }) => {
      const text = terms.join(' ');
      const combineWith = mode === 'or' ? 'OR' : 'AND';
      return () =>
        index
          .search(text, { combineWith })
          .slice(0, 10)
          .map(({ id }) => id as number);
    },
    savedBytes: () => JSON.stringify(index).length,
  };
}

/** Scored by FlexSearch's own measure, not BM25; `suggest` is the nearest that it has to OR. */
function flexsearch(): MemoryEngine {
  const index = new FlexSearch.Index({ tokenize: 'strict', encode: (text: string) => text.split(' '), cache: false });
  return {
    add: (number, terms) => {
      index.add(number, terms);
    },
    prepare: ({ mode, terms }) => {
      const text = terms.join(' ');
      return () => index.search(text, { limit: 10, suggest: mode === 'or' }) as number[];
    },
    savedBytes: () => {
      let bytes = 0;
      index.export((_key: string, data: string) => {
        bytes += data?.length ?? 0;
      });
      return bytes;
    },
  };
}
