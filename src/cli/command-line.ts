import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Command, type Flags, runCommand } from './command.ts';
import { exitCodes } from './exit-codes.ts';
import { print } from './output.ts';
import { parseQuickly } from './parse-quickly.ts';

/** All commands, in the order in which the help lists them; each is loaded when it is wanted. */
export const loadCommand: Readonly<Record<string, () => Promise<Command<Flags>>>> = {
  build: async () => (await import('./commands/build.ts')).buildCommand,
  adopt: async () => (await import('./commands/adopt.ts')).adoptCommand,
  embed: async () => (await import('./commands/embed.ts')).embedCommand,
  search: async () => (await import('./commands/search.ts')).searchCommand,
  batch: async () => (await import('./commands/batch.ts')).batchCommand,
  eval: async () => (await import('./commands/eval.ts')).evalCommand,
  show: async () => (await import('./commands/show.ts')).showCommand,
  cite: async () => (await import('./commands/cite.ts')).citeCommand,
  stats: async () => (await import('./commands/stats.ts')).statsCommand,
  verify: async () => (await import('./commands/verify.ts')).verifyCommand,
};

/** Parses the command line, runs its command and returns the exit code. @throws whatever the command throws. */
export async function runCommandLine(argv: readonly string[]): Promise<number> {
  const [word = ''] = argv;
  if (Object.hasOwn(loadCommand, word)) {
    const command = await loadCommand[word]!();
    const parsed = parseQuickly(command, argv);
    if (parsed !== undefined) return await runCommand(command, parsed);
  }
  if (word === '--version' && argv.length === 1) return await printText(version());
  const { parseFully } = await import('./parse-fully.ts');
  const commands = await Promise.all(Object.values(loadCommand).map((load) => load()));
  const request = parseFully(commands, argv, version());
  if ('text' in request) return await printText(request.text);
  return await runCommand(request.command, request.parsed);
}

async function printText(text: string): Promise<number> {
  await print(`${text}\n`);
  return exitCodes.ok;
}

/** From package.json, which stands elsewhere for the sources than for the compiled program. */
function version(): string {
  const file = createRequire(import.meta.url).resolve('shelfmark/package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
