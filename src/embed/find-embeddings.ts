import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseVectorsFileName, ShelfmarkError } from '../../shards/index.ts';
import { type EmbeddingModel, VectorsReader } from '../../shards/vectors/index.ts';
import type { ShardRow } from '../catalog.ts';
import { layoutOf } from '../layout.ts';

/** The embeddings of a corpus by one model. */
export interface Embeddings {
  readonly model: EmbeddingModel;
  /** names the model and its settings in file names */
  readonly key: string;
  readonly dimensions: number;
  /** shards whose vectors are there and finished, as far as a look at the beginning of the file can tell */
  readonly shards: readonly string[];
  readonly bytes: number;
}

/** What the folder of a corpus has of vectors. */
export interface FoundEmbeddings {
  /** by model; those of most shards first */
  readonly embeddings: readonly Embeddings[];
  /** why files that are there cannot be used */
  readonly damaged: readonly ShelfmarkError[];
}

/**
 * Looks for the vectors of a corpus, at the beginning of each file only.
 * @throws ShelfmarkError SHELFMARK_IO when a file cannot be read.
 */
export function findEmbeddings(corpus: string, rows: readonly Pick<ShardRow, 'name' | 'chunks'>[]): FoundEmbeddings {
  const folder = layoutOf(corpus).shards;
  const chunksOf = new Map(rows.map(({ name, chunks }) => [name, chunks]));
  const found = new Map<string, Embeddings>();
  const damaged: ShelfmarkError[] = [];
  for (const name of readdirSync(folder).sort()) {
    const parsed = parseVectorsFileName(name);
    const chunks = chunksOf.get(parsed?.shard ?? '');
    if (parsed === null || chunks === undefined || !parsed.isFinished) continue;
    const { shard, key } = parsed;
    const file = join(folder, name);
    try {
      const vectors = VectorsReader.open(file, { shard, chunks, key });
      if (vectors === null) continue;
      vectors.close();
      const { model, dimensions } = vectors.layout.header;
      const known = found.get(key) ?? { model, key, dimensions, shards: [], bytes: 0 };
      found.set(key, { ...known, shards: [...known.shards, shard], bytes: known.bytes + statSync(file).size });
    } catch (error) {
      if (!(error instanceof ShelfmarkError) || error.code === 'SHELFMARK_IO') throw error;
      damaged.push(error);
    }
  }
  const embeddings = [...found.values()];
  embeddings.sort((a, b) => b.shards.length - a.shards.length || (a.key < b.key ? -1 : 1));
  return { embeddings, damaged };
}
