import type { ArgumentsCamelCase, InferredOptionTypes, Options } from 'yargs';
import { usageError } from './usage-error.ts';

/** What yargs may be told of a flag: what {@link parseQuickly} knows too. */
type Flag = Pick<
  Options,
  | 'alias'
  | 'array'
  | 'choices'
  | 'conflicts'
  | 'default'
  | 'defaultDescription'
  | 'demandOption'
  | 'describe'
  | 'nargs'
  | 'requiresArg'
  | 'type'
>;

/** The flags of a command, as yargs takes them. */
export type Flags = Readonly<Record<string, Flag>>;

/** What was typed: the flags' values, and the other words as they were typed. */
export type Typed<F extends Flags> = ArgumentsCamelCase<InferredOptionTypes<F>> & { readonly words: readonly string[] };

/** What the parser makes of a command line: values by flag, words in `_`, those after `--` in `--`. */
export type Parsed = Readonly<Record<string, unknown>>;

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

/**
 * How both parsers read words: they stay as typed. `1e3` and `1.10` are no numbers, `a.b` is no nesting, everything after
 * `--` is a word.
 */
export const parserConfiguration = {
  'parse-numbers': false,
  'parse-positional-numbers': false,
  'populate--': true,
  'dot-notation': false,
  'boolean-negation': false,
} as const;

/** Runs a command with what the parser made of the command line. @returns the exit code. */
export async function runCommand<F extends Flags>(command: Command<F>, parsed: Parsed): Promise<number> {
  checkRepeats(command.flags, parsed);
  return await command.run({ ...parsed, words: wordsOf(command, parsed) } as unknown as Typed<F>);
}

/** yargs makes a list of a flag that is typed twice. */
function checkRepeats(flags: Flags, parsed: Parsed): void {
  for (const [name, { array }] of Object.entries(flags)) {
    if (array !== true && Array.isArray(parsed[name])) throw usageError(`--${name}: expected once, got it repeatedly.`);
  }
}

function wordsOf({ name, words }: Command<Flags>, parsed: Parsed): string[] {
  // Words are not declared to yargs: it would parse them a second time, and lose a lone dash.
  const [_command, ...beforeDashes] = parsed._ as string[];
  const typed = [...beforeDashes, ...((parsed['--'] ?? []) as string[])];
  const { usage, minimum, maximum } = words ?? { usage: '', minimum: 0, maximum: 0 };
  if (typed.length >= minimum && typed.length <= maximum) return typed;
  const few = typed.length < minimum;
  throw usageError(`${few ? 'Too few' : 'Too many'} words. Expected: shelfmark ${name} ${usage}`.trimEnd());
}
