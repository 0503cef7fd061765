import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import yargs, { type Argv } from 'yargs';
import { addCommand } from './command.ts';
import { adoptCommand } from './commands/adopt.ts';
import { batchCommand } from './commands/batch.ts';
import { buildCommand } from './commands/build.ts';
import { citeCommand } from './commands/cite.ts';
import { searchCommand } from './commands/search.ts';
import { showCommand } from './commands/show.ts';
import { statsCommand } from './commands/stats.ts';
import { verifyCommand } from './commands/verify.ts';
import { exitCodeHelp, exitCodes } from './exit-codes.ts';
import { print } from './output.ts';
import { usageError } from './usage-error.ts';

/** Parses the command line, runs its command and returns the exit code. @throws whatever the command throws. */
export async function runCommandLine(argv: readonly string[]): Promise<number> {
  let exitCode: number | undefined;
  const cli = configure(yargs());
  const onDone = (code: number): void => {
    exitCode = code;
  };
  addCommand(cli, buildCommand, onDone);
  addCommand(cli, adoptCommand, onDone);
  addCommand(cli, searchCommand, onDone);
  addCommand(cli, batchCommand, onDone);
  addCommand(cli, showCommand, onDone);
  addCommand(cli, citeCommand, onDone);
  addCommand(cli, statsCommand, onDone);
  addCommand(cli, verifyCommand, onDone);
  let help = '';
  const { _: words } = await cli.parseAsync(argv, {}, (_error, _argv, output) => {
    help = output;
  });
  if (exitCode !== undefined) return exitCode;
  if (help === '') throw usageError(`Unknown command "${words.join(' ')}". See "shelfmark --help".`);
  await print(`${help}\n`);
  return exitCodes.ok;
}

/** Words stay as typed: `1e3` and `1.10` are no numbers, `a.b` is no nesting, everything after `--` is a word. */
function configure(cli: Argv): Argv {
  return cli
    .scriptName('shelfmark')
    .usage('shelfmark <command> [options]\n\nSearch archives too large for one index.')
    .detectLocale(false)
    .parserConfiguration({
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'populate--': true,
      'dot-notation': false,
      'boolean-negation': false,
    })
    .strictOptions()
    .demandCommand(1, 'Which command? See "shelfmark --help".')
    .exitProcess(false)
    .fail((message, error) => {
      if (error !== undefined && error !== null && error.name !== 'YError') throw error;
      throw usageError(explainUsage(message ?? error.message));
    })
    .version(version())
    .alias({ help: 'h' })
    .wrap(Math.min(110, process.stdout.columns || 110))
    .epilogue(exitCodeHelp);
}

function explainUsage(message: string): string {
  const line = message.trim().replace(/\s*\n\s*/g, ' ');
  if (!line.startsWith('Unknown argument')) return line;
  return `${line}. Put "--" before words that begin with a dash, or see "shelfmark --help".`;
}

/** From package.json, which stands elsewhere for the sources than for the compiled program. */
function version(): string {
  const file = createRequire(import.meta.url).resolve('shelfmark/package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
