import type { Piscina } from 'piscina';
import { ShelfmarkError } from '../shards/index.ts';
import type { Answer } from '../workers/protocol.ts';
import { Lane } from './lane.ts';

/** A Node timer longer than this fires at once, and an idle thread would be ended with its open files. */
const longestTimeoutMs = 2 ** 31 - 1;

/**
 * One worker thread that takes tasks in order. A pool of one: state that a task leaves in the thread (an open shard, a
 * cache) is there for the next.
 */
export class ThreadLane<
  Task extends { readonly op: string },
  Answers extends { [Op in Task['op']]: unknown },
> extends Lane<Task, Answers> {
  readonly #pool: Promise<Piscina>;
  /** rejects when the thread cannot be started; the pool would only emit that */
  readonly #failed: Promise<never>;

  /** @param name file below workers/ without its extension. */
  constructor(name: string) {
    super();
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

  // The pool's own queue does not keep the order of tasks, so each is handed over when the one before is done.
  protected override async work(task: Task, transfer: readonly ArrayBuffer[]): Promise<Answer<unknown>> {
    const pool = await Promise.race([this.#pool, this.#failed]);
    return await Promise.race([pool.run(task, { transferList: [...transfer] }), this.#failed]);
  }

  // An answer that arrives after the pool is destroyed would crash the process; there is none.
  protected override async end(): Promise<void> {
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
