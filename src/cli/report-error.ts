import { exitCodeFor, exitCodes } from './exit-codes.ts';

/**
 * An error in words. Expected ones are one message; SHELFMARK_DEBUG=1 adds the stack. Anything else is a bug, and its
 * stack is needed to mend it.
 */
export function describeError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const stack = stackOf(error);
  if (exitCodeFor(error) === exitCodes.internal) {
    return `shelfmark: This is a bug in Shelfmark, please report it with the lines below.\n${stack}`;
  }
  return process.env.SHELFMARK_DEBUG === '1' ? `shelfmark: ${message}\n${stack}` : `shelfmark: ${message}`;
}

/** The stack with those of its causes; a cause from another thread is its stack as text. */
function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const stack = error.stack ?? `${error.name}: ${error.message}`;
  return error.cause === undefined ? stack : `${stack}\nCaused by: ${stackOf(error.cause)}`;
}
