import { ShelfmarkError } from '../../shards/errors.ts';

/** A source that cannot be found, read or decompressed, or whose data ends or breaks early. */
export class SourceError extends ShelfmarkError {
  /** The path as given, or `-` for standard input. */
  readonly path: string;
  /** Decompressed bytes that were read cleanly before; null when none could be read at all. */
  readonly byte: number | null;
  /** What is wrong, in words, without the path. */
  readonly reason: string;

  constructor(path: string, reason: string, byte: number | null = null, cause?: unknown) {
    const name = path === '-' ? 'standard input' : path;
    const place = byte === null ? '' : ` after byte ${byte}`;
    super('SHELFMARK_SOURCE', `cannot read ${name}${place}: ${reason}`, { path, byte, reason }, cause);
    this.name = 'SourceError';
    this.path = path;
    this.byte = byte;
    this.reason = reason;
  }
}

const systemReasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  ENOTDIR: 'a part of the path is not a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a folder',
  ELOOP: 'too many symbolic links',
  ENAMETOOLONG: 'the path is too long',
  EMFILE: 'too many open files',
  ENFILE: 'too many open files',
  EIO: 'the disk reported a read error',
  ERR_INVALID_ARG_VALUE: 'it is not a possible path',
};

/** The reason in words for a failed call to the file system or a decoder. */
export function reasonOf(error: unknown): string {
  if (error instanceof SourceError) return error.reason;
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  return systemReasons[code] ?? error.message;
}
