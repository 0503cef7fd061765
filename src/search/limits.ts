import type { StopFlag } from '../../workers/protocol.ts';
import type { FilledSearchOptions } from './options.ts';

/** When time is up for an answer that begins now. */
export function deadlineOf({ timeoutMs }: FilledSearchOptions): number | null {
  return timeoutMs === null ? null : Date.now() + timeoutMs;
}

const stopFlags = new WeakMap<AbortSignal, StopFlag>();

/** A flag that threads can see, raised when the signal aborts; one listener a signal, however many searches it serves. */
export function stopFlagOf(signal: AbortSignal | undefined): StopFlag | null {
  if (signal === undefined) return null;
  signal.throwIfAborted();
  let stop = stopFlags.get(signal);
  if (stop === undefined) {
    const flag = new Int32Array(new SharedArrayBuffer(4));
    signal.addEventListener('abort', () => Atomics.store(flag, 0, 1), { once: true });
    stopFlags.set(signal, flag);
    stop = flag;
  }
  return stop;
}
