import { constants } from 'node:os';

type StopSignal = 'SIGINT' | 'SIGTERM';

const stopSignals: readonly StopSignal[] = ['SIGINT', 'SIGTERM'];

/** A command was stopped by a signal and has put its work away. */
export class Interruption extends Error {
  /** 128 + number of the signal, as shells have it */
  readonly exitCode: number;

  constructor(signal: StopSignal) {
    super('Stopped. What is done is kept: run the same command again to continue.');
    this.name = 'Interruption';
    this.exitCode = 128 + constants.signals[signal];
  }
}

/**
 * Runs something that can be continued later: SIGINT and SIGTERM abort its signal with an {@link Interruption}, a second
 * one ends the process at once.
 */
export async function withInterruption<Result>(run: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const controller = new AbortController();
  const stop = (signal: StopSignal): void => {
    const interruption = new Interruption(signal);
    if (controller.signal.aborted) process.exit(interruption.exitCode);
    controller.abort(interruption);
  };
  for (const signal of stopSignals) process.on(signal, stop);
  try {
    return await run(controller.signal);
  } finally {
    for (const signal of stopSignals) process.off(signal, stop);
  }
}
