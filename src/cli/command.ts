import type { ArgumentsCamelCase, Argv, InferredOptionTypes, Options } from 'yargs';
import { exitCodeHelp } from './exit-codes.ts';
import { usageError } from './usage-error.ts';

/** The flags of a command, as yargs takes them. */
export type Flags = Readonly<Record<string, Options>>;

/** What was typed: the flags' values, and the other words as they were typed. */
export type Typed<F extends Flags> = ArgumentsCamelCase<InferredOptionTypes<F>> & { readonly words: readonly string[] };

/** One command of the command line. */
export interface Command<F extends Flags> {
  readonly name: string;
  readonly summary: string;
  /** the words it takes besides flags: as the usage line shows them, what they are, and how many */
  readonly words: {
    readonly usage: string;
    readonly describe: string;
    readonly minimum: number;
    readonly maximum: number;
  } | null;
  readonly flags: F;
  readonly examples: readonly (readonly [command: string, explanation: string])[];
  /** Runs it; loads what it needs itself, so that the other commands start without. @returns the exit code. */
  run(typed: Typed<F>): Promise<number>;
}

/** Adds a command to the command line. @param onDone is told the exit code. */
export function addCommand<F extends Flags>(cli: Argv, command: Command<F>, onDone: (exitCode: number) => void): void {
  const { name, summary, words, flags, examples } = command;
  cli.command(
    name,
    summary,
    (builder) => {
      const takes = words === null ? '' : ` ${words.usage}`;
      const explained = words === null ? '' : `\n\n${words.usage}: ${words.describe}.`;
      builder.usage(`shelfmark ${name}${takes} [options]\n\n${summary}.${explained}`);
      builder.options(flags);
      for (const [example, explanation] of examples) builder.example(example, explanation);
      return builder.epilogue(exitCodeHelp);
    },
    async (args) => {
      checkRepeats(flags, args);
      const typed = { ...args, words: wordsOf(command, args) } as unknown as Typed<F>;
      onDone(await command.run(typed));
    },
  );
}

/** yargs makes a list of a flag that is typed twice. */
function checkRepeats(flags: Flags, args: Readonly<Record<string, unknown>>): void {
  for (const [name, { array }] of Object.entries(flags)) {
    if (array !== true && Array.isArray(args[name])) throw usageError(`--${name}: expected once, got it repeatedly.`);
  }
}

function wordsOf({ name, words }: Command<Flags>, args: Readonly<Record<string, unknown>>): string[] {
  // Words are not declared to yargs: it would parse them a second time, and lose a lone dash.
  const [_command, ...beforeDashes] = args._ as string[];
  const typed = [...beforeDashes, ...((args['--'] ?? []) as string[])];
  const { usage, minimum, maximum } = words ?? { usage: '', minimum: 0, maximum: 0 };
  if (typed.length >= minimum && typed.length <= maximum) return typed;
  const few = typed.length < minimum;
  throw usageError(`${few ? 'Too few' : 'Too many'} words. Expected: shelfmark ${name} ${usage}`.trimEnd());
}
