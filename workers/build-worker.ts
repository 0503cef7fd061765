import { answer } from './answer.ts';
import { BuildLane } from './build-lane.ts';
import type { Answer, BuildAnswers, BuildTask } from './protocol.ts';

const lane = new BuildLane();

/** Entry of a build thread. The pool gives each lane a thread of its own, so the lane's state lives here. */
export default function buildWorker(task: BuildTask): Promise<Answer<BuildAnswers[BuildTask['op']]>> {
  return answer((): BuildAnswers[BuildTask['op']] | Promise<BuildAnswers[BuildTask['op']]> => {
    switch (task.op) {
      case 'open':
        return lane.open(task.file, task.settings);
      case 'parse':
        return lane.parse(task.settings, task.batch);
      case 'index':
        return lane.index(task.index, task.verdicts);
      case 'seal':
        return lane.seal();
      case 'abort':
        lane.abort();
        return null;
    }
  });
}
