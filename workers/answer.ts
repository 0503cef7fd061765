import { encodeError } from '../shards/index.ts';
import type { Answer } from './protocol.ts';

/** Runs a task and wraps what it returns or throws as data. */
export async function answer<Value>(run: () => Value | Promise<Value>): Promise<Answer<Value>> {
  try {
    return { ok: true, value: await run() };
  } catch (error) {
    return { ok: false, error: encodeError(error) };
  }
}
