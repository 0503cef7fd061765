import { spawn } from 'node:child_process';
import { projectFolder } from './results.ts';

/** A program and its arguments. */
export interface Command {
  readonly command: string;
  readonly args: readonly string[];
}

/** A child that ended with an error. */
export class ChildError extends Error {}

/**
 * Runs a program to its end in a process of its own and gives what it printed. Its errors go to our own standard error.
 * @throws ChildError when it cannot be started, is killed or exits with another code than 0.
 */
export async function runChild({ command, args }: Command): Promise<string> {
  return await new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: projectFolder, stdio: ['ignore', 'pipe', 'inherit'] });
    const output: Buffer[] = [];
    child.stdout.on('data', (bytes: Buffer) => output.push(bytes));
    child.on('error', (error) => reject(new ChildError(`${command}: ${error.message}`)));
    child.on('close', (code, signal) => {
      if (code === 0) resolve(Buffer.concat(output).toString('utf8'));
      else reject(new ChildError(`${command} ${args.slice(-6).join(' ')}: ended with ${signal ?? `code ${code}`}`));
    });
  });
}

/** Runs a stage and reads the last line that it printed as JSON. */
export async function runStage<Answer>(command: Command): Promise<Answer> {
  const output = await runChild(command);
  return JSON.parse(output.trimEnd().split('\n').at(-1)!) as Answer;
}

/** A TypeScript file of the bench as a program. */
export function typeScript(file: URL, args: readonly (string | number)[], nodeFlags: readonly string[] = []): Command {
  return {
    command: process.execPath,
    args: [...nodeFlags, '--import', 'tsx', file.pathname, ...args.map(String)],
  };
}

/** A line on standard output that says how far a run is. */
export function progress(text: string): void {
  console.log(`${new Date().toISOString().slice(11, 19)}  ${text}`);
}
