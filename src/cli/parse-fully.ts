import yargs, { type Argv } from 'yargs';
import { type Command, type Flags, type Parsed, parserConfiguration } from './command.ts';
import { exitCodeHelp } from './exit-codes.ts';
import { usageError } from './usage-error.ts';

/** What a command line asks for. */
export type Request =
  | { readonly command: Command<Flags>; readonly parsed: Parsed }
  /** text to print: help, the version */
  | { readonly text: string };

/** Reads any command line. @throws ShelfmarkError SHELFMARK_USAGE saying what is wrong with it. */
export function parseFully(commands: readonly Command<Flags>[], argv: readonly string[], version: string): Request {
  let request: Request | undefined;
  const cli = configure(yargs(), version);
  for (const command of commands) {
    addCommand(cli, command, (parsed) => {
      request = { command, parsed };
    });
  }
  let text = '';
  const { _: words } = cli.parse(argv, {}, (_error, _argv, output) => {
    text = output;
  }) as { readonly _: readonly string[] };
  if (request !== undefined) return request;
  if (text === '') throw usageError(`Unknown command "${words.join(' ')}". See "shelfmark --help".`);
  return { text };
}

function configure(cli: Argv, version: string): Argv {
  return cli
    .scriptName('shelfmark')
    .usage('shelfmark <command> [options]\n\nSearch archives too large for one index.')
    .detectLocale(false)
    .parserConfiguration(parserConfiguration)
    .strictOptions()
    .demandCommand(1, 'Which command? See "shelfmark --help".')
    .exitProcess(false)
    .fail((message, error) => {
      if (error !== undefined && error !== null && error.name !== 'YError') throw error;
      throw usageError(explainUsage(message ?? error.message));
    })
    .version(version)
    .alias({ help: 'h' })
    .wrap(Math.min(110, process.stdout.columns || 110))
    .epilogue(exitCodeHelp);
}

function addCommand(cli: Argv, command: Command<Flags>, onParsed: (parsed: Parsed) => void): void {
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
    onParsed,
  );
}

function explainUsage(message: string): string {
  const line = message.trim().replace(/\s*\n\s*/g, ' ');
  if (!line.startsWith('Unknown argument')) return line;
  return `${line}. Put "--" before words that begin with a dash, or see "shelfmark --help".`;
}
