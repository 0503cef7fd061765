import { type ErrorCode, encodeError } from '../../shards/errors.ts';
import { Interruption } from './interruption.ts';

/** What the exit code of a command says. A search without hits is `ok`. */
export const exitCodes = {
  ok: 0,
  internal: 1,
  usage: 2,
  partial: 3,
  notFound: 4,
  damaged: 5,
  busy: 6,
  rejected: 7,
  inputOutput: 8,
} as const;

/** One of {@link exitCodes}. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Exit code of every error that is thrown on purpose. */
export const exitCodeOfError: Readonly<Record<ErrorCode, ExitCode>> = {
  SHELFMARK_USAGE: exitCodes.usage,
  SHELFMARK_NO_WORDS: exitCodes.usage,
  SHELFMARK_MISMATCH: exitCodes.usage,
  SHELFMARK_PARTIAL: exitCodes.partial,
  SHELFMARK_CLOSED: exitCodes.usage,
  SHELFMARK_NOT_FOUND: exitCodes.notFound,
  SHELFMARK_CORRUPT: exitCodes.damaged,
  SHELFMARK_TOO_NEW: exitCodes.damaged,
  SHELFMARK_TOO_OLD: exitCodes.damaged,
  SHELFMARK_UNKNOWN_ANALYZER: exitCodes.damaged,
  SHELFMARK_BUSY: exitCodes.busy,
  SHELFMARK_REJECTED: exitCodes.rejected,
  SHELFMARK_SOURCE: exitCodes.inputOutput,
  SHELFMARK_EMBEDDER: exitCodes.inputOutput,
  SHELFMARK_IO: exitCodes.inputOutput,
  SHELFMARK_INTERNAL: exitCodes.internal,
};

/** Exit code for any thrown value: its own code, that of a system or SQLite error, 128 + signal, or internal. */
export function exitCodeFor(error: unknown): number {
  if (error instanceof Interruption) return error.exitCode;
  const { code } = encodeError(error);
  return code === 'SHELFMARK_INTERNAL' && isSystemError(error) ? exitCodes.inputOutput : exitCodeOfError[code];
}

/** Whether the operating system refused something: that is never a bug of ours. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && 'errno' in error;
}

/** The exit codes as the end of every `--help` shows them. */
export const exitCodeHelp = `Exit codes:
  0  done; a search without hits too
  1  a bug in Shelfmark
  2  wrong usage, a query without searchable words, an output that belongs to another batch
  3  partial coverage: with --strict-coverage, in a batch, or when no shard could be searched
  4  not found: the corpus, a passage, or a cited record
  5  damaged data, or data of another version of Shelfmark
  6  another process is changing the corpus
  7  a record was rejected and --strict was given
  8  input or output failed: source unreadable, disk full, permission, embedder out of reach
  130, 143  interrupted by SIGINT, SIGTERM`;
