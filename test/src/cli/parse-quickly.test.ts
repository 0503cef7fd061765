import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Command, Flags } from '../../../src/cli/command.ts';
import { loadCommand } from '../../../src/cli/command-line.ts';
import { parseFully } from '../../../src/cli/parse-fully.ts';
import { parseQuickly } from '../../../src/cli/parse-quickly.ts';

const commands = await Promise.all(Object.values(loadCommand).map((load) => load()));
const search = commands.find(({ name }) => name === 'search')!;

/** What yargs makes of a command line, undefined for help and mistakes. */
function asYargs(argv: readonly string[]): unknown {
  try {
    const request = parseFully(commands, argv, '0.0.0');
    if ('text' in request) return undefined;
    const { $0: _, ...parsed } = request.parsed;
    return { ...parsed };
  } catch {
    return undefined;
  }
}

/** Words as people type them, right and wrong; `help` as the last word is left out, which yargs takes for `--help`. */
function argvOf({ name, flags }: Command<Flags>): fc.Arbitrary<string[]> {
  const value = fc.constantFrom('', '1', '1e3', 'strict', 'any', 'most', 'chunk', 'trec', 'a b', '-', '-x', '[', '=');
  const flag = fc.constantFrom(
    ...Object.entries(flags).flatMap(([long, { alias }]) => [`--${long}`, ...(alias ? [`-${String(alias)}`] : [])]),
  );
  const piece = fc.oneof(
    { weight: 4, arbitrary: fc.tuple(flag, value).map((pair): readonly string[] => pair) },
    { weight: 2, arbitrary: fc.tuple(flag, value).map(([option, text]) => [`${option}=${text}`]) },
    { weight: 2, arbitrary: fc.constantFrom('word', '1.10', 'a:b', 'q', 'x=y').map((word) => [word]) },
    { weight: 1, arbitrary: flag.map((option) => [option]) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('--', '--help', '-h', '--colour', '--no-json', '-cn', '--version').map((w) => [w]),
    },
  );
  return fc.array(piece, { maxLength: 6 }).map((pieces) => [name, ...pieces.flat()]);
}

describe('parseQuickly', () => {
  it.each(commands.map((command) => [command.name, command] as const))(
    'gives for %s what yargs gives, or nothing',
    (_, command) => {
      fc.assert(
        fc.property(argvOf(command), (argv) => {
          const quick = parseQuickly(command, argv);
          if (quick !== undefined) expect({ ...quick }).toEqual(asYargs(argv));
        }),
        { numRuns: 100 },
      );
    },
  );

  it('reads what is usually typed', () => {
    const argv = [
      'search',
      'what',
      '1e3',
      '--snippet-length=80',
      '-n',
      '5',
      '--also',
      'x',
      '--json',
      '--',
      '-fno',
      '--',
    ];
    expect(parseQuickly(search, argv)).toMatchObject({
      _: ['search', 'what', '1e3'],
      snippetLength: '80',
      limit: '5',
      match: 'strict',
      also: ['x'],
      json: true,
      '--': ['-fno', '--'],
    });
    for (const { name, words, flags } of commands) {
      const needed = flags.output === undefined ? [] : ['-o', 'file'];
      const argv = [name, ...Array.from({ length: words?.minimum ?? 0 }, () => 'word'), ...needed];
      expect(parseQuickly(commands.find((command) => command.name === name)!, argv)).toEqual(asYargs(argv));
    }
  });

  it.each([
    [['--help']],
    [['-h']],
    [['x', '--colour']],
    [['x', '--match', 'most']],
    [['x', '-n']],
    [['x', '--json', '--jsonl']],
  ])('leaves %j to yargs', (words) => {
    expect(parseQuickly(search, ['search', ...words])).toBeUndefined();
  });

  it('takes a last word "help" for a word', () => {
    expect(parseQuickly(search, ['search', 'get', 'help'])).toMatchObject({ _: ['search', 'get', 'help'] });
  });
});
