import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readQueries } from '../../dist/src/batch/read-queries.js';
import {
  buildCorpus,
  Corpus,
  escapeTrecId,
  evaluateRun,
  parseMetrics,
  readQrels,
  type SearchOptions,
} from '../../dist/src/index.js';
import { findLines } from '../../dist/src/sources/index.js';
import { workFolder } from '../corpora.ts';
import type { filesOf } from './collections.ts';
import type { Mode } from './modes.ts';

type Files = NonNullable<ReturnType<typeof filesOf>>;

/** What a mode reaches on a collection. */
export interface Quality {
  readonly ndcg10: number;
  readonly recall100: number;
  readonly mrr10: number;
  readonly questionsPerSecond: number;
}

/** What is counted of a collection. */
export interface CollectionSize {
  readonly documents: number;
  /** judged ones, over which the means are */
  readonly questions: number;
}

const metrics = parseMetrics('ndcg@10,recall@100,mrr@10');

/** Builds a collection with default settings but for the language, and measures modes on it, by document, 100 hits a question. */
export async function measureCollection(
  files: Files,
  language: string,
  modes: readonly Mode[],
  onMeasured: (mode: Mode, quality: Quality) => void,
): Promise<CollectionSize> {
  const path = join(workFolder, 'quality');
  await rm(path, { recursive: true, force: true });
  const { indexed } = await buildCorpus({ sources: [files.corpus], corpus: path, language });
  const qrels = await readQrels(files.qrels);
  const corpus = await Corpus.open(path);
  try {
    // Reads what all modes read, so that the first one does not pay for it.
    await answer(corpus, files.queries, { limit: 100, match: 'any' });
    for (const mode of modes) {
      const { run, seconds } = await answer(corpus, files.queries, { limit: 100, by: 'document', ...mode.search });
      const { means } = evaluateRun(run, qrels, metrics);
      onMeasured(mode, {
        ndcg10: means['ndcg@10']!,
        recall100: means['recall@100']!,
        mrr10: means['mrr@10']!,
        questionsPerSecond: run.size / seconds,
      });
    }
  } finally {
    await corpus.close();
    await rm(path, { recursive: true, force: true });
  }
  return { documents: indexed, questions: qrels.size };
}

async function answer(
  corpus: Corpus,
  queries: string,
  options: SearchOptions,
): Promise<{ readonly run: Map<string, string[]>; readonly seconds: number }> {
  const run = new Map<string, string[]>();
  const source = await findLines(queries, 'questions');
  const startedAt = performance.now();
  for await (const { id, hits } of corpus.rank(readQueries(source), options)) {
    run.set(
      escapeTrecId(id),
      hits.map(({ uri }) => escapeTrecId(uri)),
    );
  }
  return { run, seconds: (performance.now() - startedAt) / 1000 };
}
