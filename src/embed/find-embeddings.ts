import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { encodeError, parseVectorsFileName } from '../../shards/index.ts';
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
  /** files that are there and cannot be used, and why */
  readonly damaged: readonly { readonly shard: string; readonly message: string }[];
}

/** The embeddings of a corpus, those of most shards first. */
export function findEmbeddings(corpus: string, rows: readonly Pick<ShardRow, 'name' | 'chunks'>[]): Embeddings[] {
  const folder = layoutOf(corpus).shards;
  const chunksOf = new Map(rows.map(({ name, chunks }) => [name, chunks]));
  const found = new Map<string, Embeddings>();
  const damaged = new Map<string, { shard: string; message: string }[]>();
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
      const known = found.get(key) ?? { model, key, dimensions, shards: [], bytes: 0, damaged: [] };
      found.set(key, { ...known, shards: [...known.shards, shard], bytes: known.bytes + statSync(file).size });
    } catch (error) {
      damaged.set(key, [...(damaged.get(key) ?? []), { shard, message: encodeError(error).message }]);
    }
  }
  return [...found.values()]
    .map((embeddings) => ({ ...embeddings, damaged: damaged.get(embeddings.key) ?? [] }))
    .sort((a, b) => b.shards.length - a.shards.length || (a.key < b.key ? -1 : 1));
}
