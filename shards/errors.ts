/** Stable codes of every error Shelfmark throws; the CLI maps them to exit codes in one place. */
export type ErrorCode =
  | 'SHELFMARK_USAGE'
  | 'SHELFMARK_NO_WORDS'
  | 'SHELFMARK_NOT_FOUND'
  | 'SHELFMARK_CORRUPT'
  | 'SHELFMARK_TOO_NEW'
  | 'SHELFMARK_TOO_OLD'
  | 'SHELFMARK_UNKNOWN_ANALYZER'
  | 'SHELFMARK_SOURCE'
  | 'SHELFMARK_EMBEDDER'
  | 'SHELFMARK_BUSY'
  | 'SHELFMARK_IO'
  | 'SHELFMARK_PARTIAL'
  | 'SHELFMARK_REJECTED'
  | 'SHELFMARK_MISMATCH'
  | 'SHELFMARK_CLOSED'
  | 'SHELFMARK_INTERNAL';

/** Plain facts of an error: they survive the way from a worker thread to the main thread. */
export type ErrorFacts = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/** Base of all errors thrown on purpose: a stable `code`, facts as fields, the cause kept. */
export class ShelfmarkError extends Error {
  readonly code: ErrorCode;
  readonly facts: ErrorFacts;

  constructor(code: ErrorCode, message: string, facts: ErrorFacts = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ShelfmarkError';
    this.code = code;
    this.facts = facts;
  }
}

/** Something stored is not what was written: the file, the part of it, and what was expected. */
export class CorruptError extends ShelfmarkError {
  constructor(file: string, part: string, detail: string, cause?: unknown) {
    super(
      'SHELFMARK_CORRUPT',
      `${file} is damaged in ${part}: ${detail}. Run "shelfmark verify"; restore the file from a copy, or delete it and build with --rebuild-lost.`,
      { file, part, detail },
      cause,
    );
    this.name = 'CorruptError';
  }
}

/** Decodes a part of a sealed file; whatever it throws becomes a {@link CorruptError} that names the part. */
export function decodePart<Value>(file: string, part: string, decode: () => Value): Value {
  try {
    return decode();
  } catch (error) {
    throw new CorruptError(file, part, error instanceof Error ? error.message : String(error), error);
  }
}

/**
 * What was thrown while a sealed file was read, with the file's name. Nothing that is asked of a sound shard can fail in
 * SQLite except input and output, so any other error of SQLite is damage. Errors that are not SQLite's stay as they are.
 */
export function explainReadError(file: string, error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_'))) return error;
  const code = codeOf(error);
  if (code === 'SHELFMARK_IO' || code === 'SHELFMARK_BUSY') {
    return new ShelfmarkError(code, `${file} cannot be read: ${error.message}.`, { file }, error);
  }
  if (error.code === 'SQLITE_NOMEM') return error;
  return new CorruptError(file, 'its SQLite structure', error.message, error);
}

/** An error as plain data. Worker threads lose the class, code and fields of errors they throw, so they return this. */
export interface ErrorData {
  readonly name: string;
  readonly code: ErrorCode;
  readonly message: string;
  readonly facts: ErrorFacts;
  readonly stack: string | null;
}

const systemCodes: Readonly<Record<string, ErrorCode>> = {
  ENOENT: 'SHELFMARK_NOT_FOUND',
  ENOSPC: 'SHELFMARK_IO',
  EACCES: 'SHELFMARK_IO',
  EPERM: 'SHELFMARK_IO',
  EROFS: 'SHELFMARK_IO',
  EIO: 'SHELFMARK_IO',
  EMFILE: 'SHELFMARK_IO',
  ENFILE: 'SHELFMARK_IO',
  ERR_WORKER_INIT_FAILED: 'SHELFMARK_IO',
  ERR_WORKER_OUT_OF_MEMORY: 'SHELFMARK_IO',
  EDQUOT: 'SHELFMARK_IO',
  SQLITE_FULL: 'SHELFMARK_IO',
  SQLITE_CANTOPEN: 'SHELFMARK_IO',
  SQLITE_READONLY: 'SHELFMARK_IO',
  SQLITE_BUSY: 'SHELFMARK_BUSY',
  SQLITE_LOCKED: 'SHELFMARK_BUSY',
  SQLITE_CORRUPT: 'SHELFMARK_CORRUPT',
  SQLITE_NOTADB: 'SHELFMARK_CORRUPT',
};

/** The Shelfmark code for any thrown value: its own, that of a system or SQLite error, or internal. */
function codeOf(error: unknown): ErrorCode {
  if (error instanceof ShelfmarkError) return error.code;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const own = systemCodes[code];
  if (own !== undefined) return own;
  if (code.startsWith('SQLITE_CORRUPT')) return 'SHELFMARK_CORRUPT';
  if (code.startsWith('SQLITE_IOERR')) return 'SHELFMARK_IO';
  return 'SHELFMARK_INTERNAL';
}

/** Turns any thrown value into data that can be posted between threads. */
export function encodeError(error: unknown): ErrorData {
  const code = codeOf(error);
  if (error instanceof Error) {
    const facts = error instanceof ShelfmarkError ? error.facts : {};
    return { name: error.name, code, message: error.message, facts, stack: error.stack ?? null };
  }
  return { name: 'Error', code, message: String(error), facts: {}, stack: null };
}

/** Rebuilds an error from data; the stack of the thread that threw it is kept as the cause's text. */
export function decodeError(data: ErrorData): ShelfmarkError {
  const error = new ShelfmarkError(data.code, data.message, data.facts, data.stack ?? undefined);
  error.name = data.name;
  return error;
}
