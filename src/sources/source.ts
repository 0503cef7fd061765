import type { Compression } from '../../shards/index.ts';

/** How the records of a source are framed: one a line, or the file as a whole. */
export type SourceFormat = 'jsonl' | 'markdown' | 'text';

export type { Compression };

/** The path and uri that stand for standard input. */
export const standardInput = '-';

/** One file or stream that the user named, directly or through its folder. */
export interface Source {
  /** Absolute path, or `-` for standard input. */
  readonly path: string;
  /** As the user named it: normalised, with `/` between names; a file of a folder is the folder's name joined with the path inside it. */
  readonly uri: string;
  readonly format: SourceFormat;
  readonly compression: Compression;
  /** Bytes on disk, that is compressed ones; 0 where nobody can know: standard input and pipes. */
  readonly size: number;
  /** Modified time in nanoseconds since 1970, in decimal; `0` for standard input and pipes. */
  readonly mtimeNs: string;
}
