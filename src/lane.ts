import { decodeError, ShelfmarkError } from '../shards/index.ts';
import type { Answer } from '../workers/protocol.ts';

/** Takes tasks one after the other, in order. What does them, and where, is up to the subclass. */
export abstract class Lane<Task extends { readonly op: string }, Answers extends { [Op in Task['op']]: unknown }> {
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  /** Runs a task after those before it. @throws ShelfmarkError rebuilt from what the worker answered. */
  async run<Op extends Task['op']>(
    task: Extract<Task, { readonly op: Op }>,
    transfer: readonly ArrayBuffer[] = [],
  ): Promise<Answers[Op]> {
    const running = this.#last.then(() => {
      if (this.#isClosed) throw new ShelfmarkError('SHELFMARK_CLOSED', 'It was closed before it was done.');
      return this.work(task, transfer);
    });
    this.#last = running.catch(() => {});
    const answer = (await running) as Answer<Answers[Op]>;
    if (!answer.ok) throw decodeError(answer.error);
    return answer.value;
  }

  /**
   * Ends the lane. The task that runs is waited for: SQLite cannot be interrupted. Tasks that wait are rejected with
   * SHELFMARK_CLOSED.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#last;
    await this.end();
  }

  /** Does one task; the one before is done. */
  protected abstract work(task: Task, transfer: readonly ArrayBuffer[]): Promise<Answer<unknown>>;

  /** Frees what the lane holds; no task runs any more. */
  protected abstract end(): Promise<void>;
}
