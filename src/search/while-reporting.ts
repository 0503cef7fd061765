import type { FilledSearchOptions } from './options.ts';

/** Milliseconds between reports of progress. */
const reportEveryMs = 100;

/** Reports how far a counter is while something runs. */
export async function whileReporting<Result>(
  { onProgress }: FilledSearchOptions,
  counter: Int32Array,
  total: number,
  run: () => Promise<Result>,
): Promise<Result> {
  if (onProgress === undefined) return await run();
  const startedAt = performance.now();
  const report = (): void =>
    onProgress({ done: Atomics.load(counter, 0), total, elapsedMs: performance.now() - startedAt });
  const timer = setInterval(report, reportEveryMs);
  try {
    return await run();
  } finally {
    clearInterval(timer);
    report();
  }
}
