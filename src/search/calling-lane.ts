import { setImmediate } from 'node:timers/promises';
import type { Answer, SearchAnswers, SearchTask } from '../../workers/protocol.ts';
import type { SearchWorker } from '../../workers/search-worker.ts';
import { Lane } from '../lane.ts';

/**
 * Does what a search thread does in the calling thread: starting a thread takes longer than one question on a warm corpus.
 * The caller's timers and aborts are heard between tasks, deadlines inside them too.
 */
export class CallingLane extends Lane<SearchTask, SearchAnswers> {
  #worker: SearchWorker | undefined;

  protected override async work(task: SearchTask): Promise<Answer<unknown>> {
    if (this.#worker === undefined) {
      const { createSearchWorker } = await import('../../workers/search-worker.ts');
      this.#worker = createSearchWorker(() => import('../../workers/search-vectors.ts'));
    }
    await setImmediate();
    const answer = await this.#worker.run(task);
    // Time that ran out meanwhile aborts before the answer counts, as it would with a thread.
    await setImmediate();
    return answer;
  }

  protected override async end(): Promise<void> {
    this.#worker?.close();
  }
}
