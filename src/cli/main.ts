import { runCommandLine } from './command-line.ts';
import { exitCodeFor } from './exit-codes.ts';
import { guardOutput, note } from './output.ts';
import { describeError } from './report-error.ts';

/** Runs the command line and returns the exit code; every error ends here. */
export async function main(argv: readonly string[]): Promise<number> {
  guardOutput();
  try {
    return await runCommandLine(argv);
  } catch (error) {
    note(describeError(error));
    return exitCodeFor(error);
  }
}
