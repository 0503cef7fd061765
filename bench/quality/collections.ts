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
  /** of documents and questions, ISO 639-1 */
  readonly language: string;
  readonly baselines: readonly Baseline[];
}

const bm25s = (ndcg10: number): Baseline[] => [{ engine: 'bm25s', ndcg10 }];
const fts5 = (ndcg10: number): Baseline[] => [{ engine: 'SQLite FTS5, porter unicode61', ndcg10 }];

/** All collections, smallest languages last. */
export const collections: readonly Collection[] = [
  {
    name: 'scifact',
    language: 'en',
    baselines: [
      { engine: 'Anserini, flat', ndcg10: 0.6789, recall100: 0.9253 },
      { engine: 'bm25s', ndcg10: 0.6874 },
      { engine: 'QuackIR, SQLite FTS5', ndcg10: 0.6862 },
    ],
  },
  { name: 'cranfield', language: 'en', baselines: fts5(0.353) },
  { name: 'medquad', language: 'en', baselines: fts5(0.502) },
  { name: 'xquad-en', language: 'en', baselines: bm25s(0.965) },
  { name: 'xquad-de', language: 'de', baselines: bm25s(0.925) },
  { name: 'xquad-ar', language: 'ar', baselines: bm25s(0.888) },
  { name: 'xquad-hi', language: 'hi', baselines: bm25s(0.751) },
  { name: 'xquad-zh', language: 'zh', baselines: [...bm25s(0.121), { engine: 'character bigrams', ndcg10: 0.965 }] },
  { name: 'jsquad-ja', language: 'ja', baselines: [{ engine: 'character bigrams', ndcg10: 0.932 }] },
  {
    name: 'miracl-yo',
    language: 'yo',
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
