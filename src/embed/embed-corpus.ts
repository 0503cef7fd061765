import { rename, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type ChunkId, ShardReader, ShelfmarkError, unfinishedSuffix, vectorsFileName } from '../../shards/index.ts';
import {
  type EmbeddingModel,
  modelKey,
  readUnfinished,
  type VectorsHeader,
  VectorsReader,
  VectorsWriter,
} from '../../shards/vectors/index.ts';
import { Catalog, type ShardRow } from '../catalog.ts';
import { describeDiskError } from '../disk-error.ts';
import { layoutOf } from '../layout.ts';
import { FileLock } from '../lock.ts';
import { syncPath } from '../sync-path.ts';
import { type EmbedOptions, type EmbedReport, type FilledEmbedOptions, fillEmbedOptions } from './embed-options.ts';
import { embedChecked, embedderError } from './embedder.ts';
import { passageText } from './passage-text.ts';

/**
 * Embeds every chunk of a corpus that has no vector of the model yet. Each shard gets a file beside it, which is published when
 * it is whole; until then it grows by 512 chunks at a time. Killed, the same call goes on there, and the files come out the same
 * as without, if the embedder gives the same vectors for the same texts. Builds and searches may go on meanwhile.
 *
 * @throws ShelfmarkError SHELFMARK_EMBEDDER, SHELFMARK_USAGE, SHELFMARK_NOT_FOUND (no corpus), SHELFMARK_BUSY (another process embeds it),
 * SHELFMARK_CORRUPT (a shard is damaged), SHELFMARK_IO; the signal's reason when aborted.
 */
export async function embedCorpus(options: EmbedOptions): Promise<EmbedReport> {
  const filled = fillEmbedOptions(options);
  const root = resolve(filled.corpus);
  const catalog = Catalog.openReadOnly(root);
  const rows = catalog.shards();
  catalog.close();
  try {
    const lock = new FileLock(layoutOf(root).embedLock, 'the embeddings of this corpus');
    try {
      return await new EmbedJob(root, rows, filled).run();
    } finally {
      lock.release();
    }
  } catch (error) {
    throw describeDiskError(error, root, 'Vectors written so far are kept');
  }
}

/** A shard and its vectors file. */
interface Target {
  readonly row: ShardRow;
  readonly file: string;
  /** what the file's header says, or that of the unfinished one; null when there is neither */
  readonly header: VectorsHeader | null;
  readonly isFinished: boolean;
}

class EmbedJob {
  readonly #root: string;
  readonly #options: FilledEmbedOptions;
  readonly #model: EmbeddingModel;
  readonly #rows: readonly ShardRow[];
  readonly #startedAt = performance.now();
  readonly #total: number;
  #kept = 0;
  #embedded = 0;

  constructor(root: string, rows: readonly ShardRow[], options: FilledEmbedOptions) {
    const { embedder, queryPrefix, passagePrefix, maxCharacters } = options;
    this.#root = root;
    this.#rows = rows;
    this.#options = options;
    this.#model = { name: embedder.model, queryPrefix, passagePrefix, maxCharacters };
    this.#total = rows.reduce((sum, { chunks }) => sum + chunks, 0);
  }

  async run(): Promise<EmbedReport> {
    const targets: Target[] = [];
    for (const row of this.#rows) targets.push(await this.#targetOf(row));
    const missing = targets.filter(({ isFinished }) => !isFinished);
    for (const { row, isFinished } of targets) if (isFinished) this.#kept += row.chunks;
    const known = targets.find(({ header }) => header !== null);
    const dimensions =
      missing.length === 0 ? (known?.header?.dimensions ?? null) : await this.#askDimensions(known ?? null);
    this.#report();
    for (const { row, file } of missing) await this.#embedShard(row, file, dimensions!);
    let bytes = 0;
    for (const { file } of targets) bytes += (await stat(file)).size;
    return {
      corpus: this.#root,
      model: this.#model.name,
      key: modelKey(this.#model),
      dimensions,
      shards: targets.length,
      chunks: this.#total,
      embedded: this.#embedded,
      kept: this.#kept,
      bytes,
      elapsedMs: performance.now() - this.#startedAt,
    };
  }

  async #targetOf(row: ShardRow): Promise<Target> {
    const key = modelKey(this.#model);
    const file = join(layoutOf(this.#root).shards, vectorsFileName(row.name, key));
    const finished = readHeader(file, { shard: row.name, chunks: row.chunks, key });
    const header = finished ?? (await readUnfinished(file + unfinishedSuffix));
    return { row, file, header, isFinished: finished !== null };
  }

  /** How many dimensions the embedder gives: those of the vectors that are there, if there are any. */
  async #askDimensions(known: Target | null): Promise<number> {
    const { embedder, signal } = this.#options;
    const [vector] = await embedChecked(embedder, [`${this.#model.passagePrefix}dimensions`], null, signal);
    const dimensions = vector!.length;
    const expected = known?.header?.dimensions ?? dimensions;
    if (dimensions === expected) return dimensions;
    throw embedderError(
      embedder.model,
      `it gives ${dimensions} dimensions, and what was embedded before has ${expected}, as ${known!.file}. It is another model by the same name; delete the files *.${modelKey(this.#model)}.vectors* to embed anew`,
    );
  }

  async #embedShard(row: ShardRow, file: string, dimensions: number): Promise<void> {
    const { shards } = layoutOf(this.#root);
    const reader = new ShardReader(join(shards, row.file));
    try {
      const unfinished = file + unfinishedSuffix;
      const header = { shard: row.name, chunks: row.chunks, dimensions, model: this.#model };
      const writer = await VectorsWriter.open(unfinished, header);
      try {
        this.#kept += writer.chunks;
        while (!writer.isComplete) {
          const first = writer.chunks + 1;
          const texts = Array.from({ length: writer.nextCount }, (_, index) =>
            passageText(reader, (first + index) as ChunkId, this.#model),
          );
          await writer.add(await this.#embedTexts(texts, dimensions));
        }
        await writer.finish();
      } finally {
        await writer.close();
      }
      await rename(unfinished, file);
      await syncPath(shards);
    } finally {
      reader.close();
    }
  }

  /** Embeds texts, some requests at a time. When one fails the others are given up. */
  async #embedTexts(texts: readonly string[], dimensions: number): Promise<ArrayLike<number>[]> {
    const { embedder, batchSize, parallel, signal } = this.#options;
    const vectors: ArrayLike<number>[] = texts.map(() => new Float32Array(dimensions));
    // A blank text has no meaning, and many servers refuse it: its vector stays zero, which is like nothing.
    const wanted = [...texts.keys()].filter((index) => texts[index] !== '');
    this.#embedded += texts.length - wanted.length;
    const failed = new AbortController();
    const abort = (): void => failed.abort(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, { once: true });
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < wanted.length) {
        failed.signal.throwIfAborted();
        const batch = wanted.slice(next, next + batchSize);
        next += batch.length;
        const found = await embedChecked(
          embedder,
          batch.map((index) => texts[index]!),
          dimensions,
          failed.signal,
        );
        for (const [at, index] of batch.entries()) vectors[index] = found[at]!;
        this.#embedded += batch.length;
        this.#report();
      }
    };
    try {
      await Promise.all(Array.from({ length: parallel }, work));
    } catch (error) {
      failed.abort(error);
      throw error;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
    return vectors;
  }

  #report(): void {
    this.#options.onProgress({
      done: this.#kept + this.#embedded,
      total: this.#total,
      embedded: this.#embedded,
      elapsedMs: performance.now() - this.#startedAt,
    });
  }
}

/** The header of a finished file, or null when there is none or it cannot be used: then it is written anew. */
function readHeader(
  file: string,
  owner: { readonly shard: string; readonly chunks: number; readonly key: string },
): VectorsHeader | null {
  try {
    const vectors = VectorsReader.open(file, owner);
    vectors?.close();
    return vectors?.layout.header ?? null;
  } catch (error) {
    if (error instanceof ShelfmarkError && error.code === 'SHELFMARK_CORRUPT') return null;
    throw error;
  }
}
