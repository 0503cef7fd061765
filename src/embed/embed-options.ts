import { ShelfmarkError } from '../../shards/index.ts';
import { requireInteger } from '../require-integer.ts';
import type { Embedder } from './embedder.ts';

/** What to embed, and with what. */
export interface EmbedOptions {
  /** Folder of the corpus. */
  readonly corpus: string;
  /** See `openEmbedder`, which makes one of `hash`, of an endpoint's URL or of a model's folder. */
  readonly embedder: Embedder;
  /** Put before every query, such as `query: `, as the model was trained with. @default none */
  readonly queryPrefix?: string;
  /** Put before every passage, such as `passage: `. @default none */
  readonly passagePrefix?: string;
  /** UTF-16 units of a passage that are embedded, 1 to 1,000,000; the rest is left out. @default 2000 */
  readonly maxCharacters?: number;
  /** Passages a request, 1 to 512. @default 32 */
  readonly batchSize?: number;
  /** Requests at a time, 1 to 64. @default 2 */
  readonly parallel?: number;
  /** Stops the work; what is done is kept. */
  readonly signal?: AbortSignal;
  /** Called after each request. */
  readonly onProgress?: (progress: EmbedProgress) => void;
}

/** How far the work is, in chunks. */
export interface EmbedProgress {
  readonly done: number;
  readonly total: number;
  /** done by this run */
  readonly embedded: number;
  readonly elapsedMs: number;
}

/** What was done. */
export interface EmbedReport {
  readonly corpus: string;
  readonly model: string;
  /** names the model and its settings in file names */
  readonly key: string;
  /** null for a corpus without shards */
  readonly dimensions: number | null;
  readonly shards: number;
  readonly chunks: number;
  /** chunks embedded by this run, and those that had their vectors before */
  readonly embedded: number;
  readonly kept: number;
  /** of all vectors files of the model */
  readonly bytes: number;
  readonly elapsedMs: number;
}

/** {@link EmbedOptions} with nothing left open. */
export interface FilledEmbedOptions extends Required<Omit<EmbedOptions, 'signal' | 'onProgress'>> {
  readonly signal: AbortSignal | undefined;
  readonly onProgress: (progress: EmbedProgress) => void;
}

/** Checks and fills options. @throws ShelfmarkError SHELFMARK_USAGE naming the option. */
export function fillEmbedOptions(options: EmbedOptions): FilledEmbedOptions {
  const filled: FilledEmbedOptions = {
    corpus: options.corpus,
    embedder: options.embedder,
    queryPrefix: options.queryPrefix ?? '',
    passagePrefix: options.passagePrefix ?? '',
    maxCharacters: options.maxCharacters ?? 2000,
    batchSize: options.batchSize ?? 32,
    parallel: options.parallel ?? 2,
    signal: options.signal,
    onProgress: options.onProgress ?? (() => {}),
  };
  for (const name of ['corpus', 'queryPrefix', 'passagePrefix'] as const) {
    if (typeof filled[name] === 'string') continue;
    throw new ShelfmarkError('SHELFMARK_USAGE', `${name}: expected a text.`, { option: name });
  }
  requireInteger('maxCharacters', filled.maxCharacters, 1, 1_000_000);
  requireInteger('batchSize', filled.batchSize, 1, 512);
  requireInteger('parallel', filled.parallel, 1, 64);
  return filled;
}
