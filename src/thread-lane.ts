import type { Piscina } from 'piscina';
import { decodeError, ShelfmarkError } from '../shards/index.ts';
import type { Answer } from '../workers/protocol.ts';

/** A Node timer longer than this fires at once, and an idle thread would be ended with its open files. */
const longestTimeoutMs = 2 ** 31 - 1;

/**
 * One worker thread that takes tasks in order. A pool of one: state that a task leaves in the thread (an open shard, a
 * cache) is there for the next.
 */
export class ThreadLane<Task extends { readonly op: string }, Answers extends { [Op in Task['op']]: unknown }> {
  readonly #pool: Promise<Piscina>;
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  /** rejects when the thread cannot be started; the pool would only emit that */
  readonly #failed: Promise<never>;

  /** @param name file below workers/ without its extension. */
  constructor(name: string) {
    const pool = startPool(name);
    this.#pool = pool;
    this.#failed = new Promise((_, reject) => {
      const fail = (error: Error): void => {
        reject(
          new ShelfmarkError('SHELFMARK_IO', `A thread could not be started or died: ${error.message}`, {}, error),
        );
      };
      pool.then((started) => started.on('error', fail), fail);
    });
    this.#failed.catch(() => {});
  }

  /** Runs a task after those before it. @throws ShelfmarkError rebuilt from what the thread answered. */
  async run<Op extends Task['op']>(
    task: Extract<Task, { readonly op: Op }>,
    transfer: readonly ArrayBuffer[] = [],
  ): Promise<Answers[Op]> {
    // The pool's own queue does not keep the order of tasks, so each is handed over when the one before is done.
    const running = this.#last.then(() => {
      if (this.#isClosed) throw new ShelfmarkError('SHELFMARK_CLOSED', 'It was closed before it was done.');
      return Promise.race([this.#pool.then((pool) => pool.run(task, { transferList: [...transfer] })), this.#failed]);
    });
    this.#last = running.catch(() => {});
    const answer = (await running) as Answer<Answers[Op]>;
    if (!answer.ok) throw decodeError(answer.error);
    return answer.value;
  }

  /**
   * Ends the thread. The task that runs is waited for: SQLite cannot be interrupted, and an answer that arrives after
   * the pool is destroyed would crash the process. Tasks that wait are rejected with SHELFMARK_CLOSED.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#last;
    await this.#pool.then(
      (pool) => pool.destroy(),
      () => {},
    );
  }
}

/** Loads the pool only now: a search in the calling thread does without. */
async function startPool(name: string): Promise<Piscina> {
  const { Piscina } = await import('piscina');
  const running = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new Piscina({
    filename: new URL(`../workers/${name}.${running}`, import.meta.url).href,
    minThreads: 1,
    maxThreads: 1,
    idleTimeout: longestTimeoutMs,
    // Run from source (tests), the thread needs the loader of TypeScript; built, it must not inherit one: it would be slower.
    execArgv: running === 'ts' ? ['--import', 'tsx'] : [],
  });
}
