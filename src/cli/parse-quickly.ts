import parser from 'yargs-parser';
import { type Command, type Flags, type Parsed, parserConfiguration } from './command.ts';

/**
 * Reads a command line that begins with its command and has no mistake in it, with the parser that is inside yargs: the
 * rest of yargs takes longer to load than a search takes, and is only needed for help and for saying what is wrong.
 * @returns what yargs would give, or undefined when it should be asked.
 */
export function parseQuickly({ flags }: Command<Flags>, argv: readonly string[]): Parsed | undefined {
  const { argv: parsed, error } = parser.detailed([...argv], {
    string: namesWhere(flags, ({ type }) => type === 'string'),
    boolean: namesWhere(flags, ({ type }) => type === 'boolean'),
    array: namesWhere(flags, ({ array }) => array === true),
    // Not a number: one value if there is one, an error if there is none.
    narg: valuesOf(flags, ({ nargs, requiresArg }) => nargs ?? (requiresArg === true ? Number.NaN : undefined)),
    alias: valuesOf(flags, ({ alias }) => alias as string | undefined),
    default: valuesOf(flags, (flag) => flag.default as unknown),
    configuration: parserConfiguration,
  });
  return error === null && isFaultless(flags, parsed) ? parsed : undefined;
}

/** Whether yargs would have nothing to say: no `--help` either, which is none of a command's flags. */
function isFaultless(flags: Flags, parsed: Parsed): boolean {
  const known = new Set(['_', '--']);
  for (const [name, { alias, choices, conflicts, demandOption }] of Object.entries(flags)) {
    const value = parsed[name];
    for (const key of [name, parser.camelCase(name), alias]) known.add(key as string);
    if (value === undefined) {
      if (demandOption === true) return false;
      continue;
    }
    if (choices !== undefined && !choices.includes(value as string)) return false;
    if (conflicts !== undefined && parsed[conflicts as string] !== undefined) return false;
  }
  return Object.keys(parsed).every((key) => known.has(key));
}

function namesWhere(flags: Flags, isWanted: (flag: Flags[string]) => boolean): string[] {
  return Object.keys(flags).filter((name) => isWanted(flags[name]!));
}

function valuesOf<Value>(flags: Flags, pick: (flag: Flags[string]) => Value | undefined): Record<string, Value> {
  const entries = Object.entries(flags).map(([name, flag]) => [name, pick(flag)] as const);
  return Object.fromEntries(entries.filter((entry): entry is readonly [string, Value] => entry[1] !== undefined));
}
