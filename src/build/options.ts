import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { ANALYZER_IDS, analyzerOf, LANGUAGES, ShelfmarkError } from '../../shards/index.ts';
import { type BuildSettings, DETECTOR } from '../../workers/protocol.ts';
import type { Counters } from '../catalog.ts';
import { requireInteger } from '../require-integer.ts';

/** What to build, from what, and how. */
export interface BuildOptions {
  /** Files, folders, or `-` for standard input, in the order in which duplicates are decided: the first one stays. */
  readonly sources: readonly string[];
  /** The corpus folder; created if it is missing. */
  readonly corpus: string;
  /** How sources are read. @default 'auto': by the file's extension */
  readonly format?: 'auto' | 'jsonl' | 'markdown' | 'text';
  /** Patterns as in .gitignore for files of folders to leave out. @default [] */
  readonly ignore?: readonly string[];
  /**
   * Language of the documents, such as `en`, `de` or `cjk`: how their words are stemmed and which count in a question. `auto`:
   * told of each document by its text. @default 'en'
   */
  readonly language?: string;
  /** Collection of documents that do not name their own. @default 'default' */
  readonly collection?: string;
  /** Kind of documents that do not name their own. @default 'document' */
  readonly kind?: string;
  /** Label that every hit carries. @default 'ungrounded' */
  readonly label?: string;
  /** Raw bytes of records per shard, at least 4,096. @default 256 MiB */
  readonly shardBytes?: number;
  /** Shards written at once, each by a thread of its own, 1 to 64. An interrupted build goes on with the number it began with. @default the machine's cores, at most 8 */
  readonly workers?: number;
  /** Builds the i-th of n disjoint parts (i from 1), for job arrays; `adoptParts` joins them. @default the whole */
  readonly part?: { readonly index: number; readonly count: number };
  /** Words that a chunk repeats from the one before it, 0 to 150. @default 0 */
  readonly overlapWords?: number;
  /** Stop at the first record that cannot be indexed. @default false */
  readonly strict?: boolean;
  /** Index the documents of shards anew whose files are missing or cut off, as far as their sources are named. @default false */
  readonly rebuildLost?: boolean;
  /** Stops the build; what is sealed stays. */
  readonly signal?: AbortSignal;
  /** Called a few times a second while the build runs. */
  readonly onProgress?: (progress: BuildProgress) => void;
}

/** How far a build is. */
export interface BuildProgress {
  readonly phase: 'discover' | 'build' | 'finish';
  readonly counters: Counters;
  /** bytes of records handed to workers or passed as sealed */
  readonly recordBytes: number;
  /** bytes on disk of all sources to read, and of those read so far */
  readonly sourceBytes: number;
  readonly sourceBytesDone: number;
  readonly shards: number;
  readonly elapsedMs: number;
}

/** How a build ended. `seen` = indexed + unchanged + empty + duplicate + skipped. */
export interface BuildReport extends Counters {
  readonly corpus: string;
  readonly seen: number;
  readonly sources: number;
  readonly unchangedSources: number;
  readonly ignoredFiles: number;
  readonly removed: number;
  readonly newShards: number;
  readonly shards: number;
  readonly corpusBytes: number;
  readonly recordBytes: number;
  /** JSONL file that names every skipped or duplicate record, or null when there are none */
  readonly rejects: string | null;
  readonly resumed: boolean;
  readonly elapsedMs: number;
}

/** {@link BuildOptions} with nothing left open. */
export interface FilledBuildOptions {
  readonly sources: readonly string[];
  readonly corpus: string;
  readonly format: 'auto' | 'jsonl' | 'markdown' | 'text';
  readonly ignore: readonly string[];
  readonly shardBytes: number;
  readonly workers: number;
  readonly part: { readonly index: number; readonly count: number };
  readonly strict: boolean;
  readonly rebuildLost: boolean;
  readonly settings: BuildSettings;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: (progress: BuildProgress) => void;
}

/** Most words in a chunk's body. */
const maxWords = 300;

/** Checks and fills options. @throws ShelfmarkError SHELFMARK_USAGE naming the option. */
export function fillBuildOptions(options: BuildOptions): FilledBuildOptions {
  const part = options.part ?? { index: 1, count: 1 };
  const filled: FilledBuildOptions = {
    sources: options.sources,
    corpus: resolve(options.corpus),
    format: options.format ?? 'auto',
    ignore: options.ignore ?? [],
    shardBytes: options.shardBytes ?? 256 * 1024 * 1024,
    workers: options.workers ?? Math.min(8, availableParallelism()),
    part,
    strict: options.strict ?? false,
    rebuildLost: options.rebuildLost ?? false,
    settings: {
      ...analyzersNamed(options.language ?? 'en'),
      collection: options.collection ?? 'default',
      kind: options.kind ?? 'document',
      label: options.label ?? 'ungrounded',
      maxWords,
      overlapWords: options.overlapWords ?? 0,
    },
    signal: options.signal,
    onProgress: options.onProgress ?? (() => {}),
  };
  if (filled.sources.length === 0) {
    throw new ShelfmarkError('SHELFMARK_USAGE', 'sources: name at least one file, folder, or "-" for standard input.');
  }
  if (options.corpus === '') throw new ShelfmarkError('SHELFMARK_USAGE', 'corpus: the name of the folder is empty.');
  requireInteger('shardBytes', filled.shardBytes, 4096, 1024 ** 4);
  requireInteger('workers', filled.workers, 1, 64);
  requireInteger('overlapWords', filled.settings.overlapWords, 0, maxWords / 2);
  requireInteger('part count', part.count, 1, 100_000);
  requireInteger('part index', part.index, 1, part.count);
  return filled;
}

function analyzersNamed(language: string): Pick<BuildSettings, 'analyzers' | 'detector'> {
  if (language === 'auto') return { analyzers: ANALYZER_IDS, detector: DETECTOR };
  const known = LANGUAGES.find((id) => id === language);
  if (known !== undefined) return { analyzers: [analyzerOf(known)], detector: null };
  const message = `language: expected auto or one of ${LANGUAGES.join(', ')}, got "${language.slice(0, 200)}".`;
  throw new ShelfmarkError('SHELFMARK_USAGE', message, { option: 'language' });
}
