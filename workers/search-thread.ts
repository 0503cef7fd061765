import * as vectorTasks from './search-vectors.ts';
import { createSearchWorker } from './search-worker.ts';

/** Entry of a search thread. */
export default createSearchWorker(async () => vectorTasks).run;
