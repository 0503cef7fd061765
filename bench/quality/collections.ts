import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { sharedData } from '../corpora.ts';

/** Figures that others reached, BM25 all of them. */
export interface Baseline {
  /** the program and its setting */
  readonly engine: string;
  readonly ndcg10: number;
  readonly recall100?: number;
}

/** A test collection: documents, questions, judgements. */
export interface Collection {
  readonly name: string;
  /** its own, to build it in besides the default; null where that is the default, or there is no analyzer for it */
  readonly language: string | null;
  readonly baselines: readonly Baseline[];
}

const bm25s = (ndcg10: number): Baseline[] => [{ engine: 'bm25s', ndcg10 }];
const fts5 = (ndcg10: number): Baseline[] => [{ engine: 'SQLite FTS5, porter unicode61', ndcg10 }];

/** All collections, English ones first. */
export const collections: readonly Collection[] = [
  {
    name: 'scifact',
    language: null,
    baselines: [
      { engine: 'Anserini, flat', ndcg10: 0.6789, recall100: 0.9253 },
      { engine: 'bm25s', ndcg10: 0.6874 },
      { engine: 'QuackIR, SQLite FTS5', ndcg10: 0.6862 },
    ],
  },
  { name: 'cranfield', language: null, baselines: fts5(0.353) },
  { name: 'medquad', language: null, baselines: fts5(0.502) },
  { name: 'xquad-en', language: null, baselines: bm25s(0.965) },
  { name: 'xquad-de', language: 'de', baselines: bm25s(0.925) },
  { name: 'xquad-ar', language: 'ar', baselines: bm25s(0.888) },
  { name: 'xquad-hi', language: 'hi', baselines: bm25s(0.751) },
  {
    name: 'xquad-zh',
    language: 'cjk',
    baselines: [...bm25s(0.121), { engine: 'character bigrams', ndcg10: 0.965 }],
  },
  {
    name: 'jsquad-ja',
    language: 'cjk',
    baselines: [{ engine: 'character bigrams', ndcg10: 0.932 }],
  },
  {
    name: 'miracl-yo',
    language: null,
    baselines: [
      { engine: 'Pyserini', ndcg10: 0.4059, recall100: 0.7325 },
      { engine: 'diacritics folded', ndcg10: 0.639 },
    ],
  },
];

/** Files of a collection, or null where the shared data is missing. */
export function filesOf({ name }: Pick<Collection, 'name'>): { corpus: string; queries: string; qrels: string } | null {
  const folder = join(sharedData, 'collections', name);
  const files = {
    corpus: join(folder, 'corpus.jsonl.zst'),
    queries: join(folder, 'queries.jsonl'),
    qrels: join(folder, 'qrels/test.tsv'),
  };
  return Object.values(files).every((file) => existsSync(file)) ? files : null;
}

/** A build of a collection, and what its measurements are called. */
export interface CollectionBuild {
  readonly input: string;
  readonly language: string;
}

/** The default build of a collection, and one in its own language where that is another. */
export function buildsOf({ name, language }: Collection): readonly CollectionBuild[] {
  const byDefault = { input: name, language: 'en' };
  return language === null ? [byDefault] : [byDefault, { input: `${name}, ${language}`, language }];
}
