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
  /** why the thread could not be started or died; the pool only emits that */
  #failure: ShelfmarkError | null = null;
  /** rejects the task that runs */
  #failRunning: (failure: ShelfmarkError) => void = () => {};

  /** @param name file below workers/ without its extension. */
  constructor(name: string) {
    super();
    this.#pool = startPool(name);
    const fail = (error: Error): void => {
      const message = `A thread could not be started or died: ${error.message}`;
      this.#failure ??= new ShelfmarkError('SHELFMARK_IO', message, {}, error);
      this.#failRunning(this.#failure);
    };
    this.#pool.then((started) => started.on('error', fail), fail);
  }

  // The pool's own queue does not keep the order of tasks, so each is handed over when the one before is done.
  protected override async work(task: Task, transfer: readonly ArrayBuffer[]): Promise<Answer<unknown>> {
    if (this.#failure !== null) throw this.#failure;
    // No race with a promise that may never settle: that would hold on to every answer as long as the thread lives.
    return await new Promise((resolve, reject) => {
      this.#failRunning = reject;
      this.#pool.then((pool) => pool.run(task, { transferList: [...transfer] })).then(resolve, reject);
    });
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
