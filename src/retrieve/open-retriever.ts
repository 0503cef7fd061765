import { ShelfmarkError } from '../../shards/index.ts';
import type { ShardRow } from '../catalog.ts';
import type { Embedder } from '../embed/embedder.ts';
import { type Embeddings, findEmbeddings } from '../embed/find-embeddings.ts';
import { hashEmbedder } from '../embed/hash-embedder.ts';
import { openEmbedder } from '../embed/open-embedder.ts';
import type { FilledSearchOptions } from '../search/options.ts';
import type { Searcher } from '../search/searcher.ts';
import type { ShardPool } from '../search/shard-pool.ts';
import { HybridRetriever } from './hybrid-retriever.ts';
import type { Retriever } from './retriever.ts';
import { VectorRetriever } from './vector-retriever.ts';

/** The parts of an open corpus that retrievers are made of. */
export interface CorpusParts {
  readonly corpus: string;
  readonly rows: readonly ShardRow[];
  readonly pool: ShardPool;
  readonly searcher: Searcher;
}

/**
 * The retriever that a search asks for.
 * @throws ShelfmarkError SHELFMARK_USAGE when no embedder fits the corpus, SHELFMARK_NOT_FOUND when hits are wanted by vectors
 * alone and there are none, SHELFMARK_CORRUPT when none can be read; what `openEmbedder` throws.
 */
export async function openRetriever(
  { corpus, rows, pool, searcher }: CorpusParts,
  options: Pick<FilledSearchOptions, 'retriever' | 'embedder' | 'model'>,
): Promise<Retriever> {
  const { retriever, embedder, model } = options;
  const { embeddings: found, damaged } = findEmbeddings(corpus, rows);
  const wanted = model ?? (typeof embedder === 'object' ? (embedder?.model ?? null) : null);
  const embeddings = chooseEmbeddings(found, wanted);
  if (embeddings === null) {
    const [damage] = damaged;
    const missing = damage?.message ?? describeMissing(found, wanted);
    if (retriever === 'hybrid') return lexicalAlone(searcher, missing);
    if (damage !== undefined) throw damage;
    throw new ShelfmarkError('SHELFMARK_NOT_FOUND', `${missing} Run "shelfmark embed".`, { corpus });
  }
  const opened = await embedderFor(embeddings, embedder);
  const names = rows.map(({ name }) => name);
  const vector = new VectorRetriever(pool, searcher, names, embeddings, opened);
  return retriever === 'vector' ? vector : new HybridRetriever(searcher, vector);
}

/**
 * The embeddings by a model: with several settings those of most shards.
 * @param wanted null: any model, if there is only one.
 * @throws ShelfmarkError SHELFMARK_USAGE when one of several models has to be named.
 */
export function chooseEmbeddings(found: readonly Embeddings[], wanted: string | null): Embeddings | null {
  const names = [...new Set(found.map(({ model }) => model.name))];
  if (wanted === null && names.length > 1) {
    const message = `model: the corpus has embeddings by ${names.join(', ')}; name the one to search with.`;
    throw new ShelfmarkError('SHELFMARK_USAGE', message, { option: 'model' });
  }
  return found.find(({ model }) => wanted === null || model.name === wanted) ?? null;
}

function describeMissing(found: readonly Embeddings[], wanted: string | null): string {
  if (wanted === null || found.length === 0) return 'The corpus has no embeddings.';
  const names = [...new Set(found.map(({ model }) => model.name))];
  return `The corpus has no embeddings by ${wanted}, only by ${names.join(', ')}.`;
}

/** The ranking by words, unchanged, that says why it is no other. */
function lexicalAlone(searcher: Searcher, missing: string): Retriever {
  const note = `${missing} The hits are those of words alone.`;
  return {
    async rank(...request) {
      return { ...(await searcher.rank(...request)), retrieval: { retriever: 'hybrid', model: null, note } };
    },
  };
}

/** An embedder for questions to these embeddings. */
async function embedderFor({ model }: Embeddings, embedder: FilledSearchOptions['embedder']): Promise<Embedder> {
  const opened =
    typeof embedder === 'string' ? await openEmbedder(embedder, { model: model.name, retries: 1 }) : embedder;
  const usable = opened ?? hashEmbedder();
  if (usable.model === model.name) return usable;
  const message =
    opened === null
      ? `embedder: the corpus was embedded with ${model.name}; say where that model can be asked.`
      : `embedder: it is ${opened.model}, and the corpus was embedded with ${model.name}.`;
  throw new ShelfmarkError('SHELFMARK_USAGE', message, { option: 'embedder', model: model.name });
}
