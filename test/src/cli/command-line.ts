import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';

/** The built program: `npm run build` makes it. */
export const bin = fileURLToPath(new URL('../../../dist/src/cli.js', import.meta.url));

/** How a run of the program ended. */
export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A run under way. */
export interface Running {
  readonly ended: Promise<Run>;
  kill(signal: NodeJS.Signals): void;
}

/** Where and with what to run the program. */
export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** Starts a program with an environment that has no settings of ours. */
export function start(program: string, args: readonly string[], { cwd, env = {}, input }: RunOptions): Running {
  const { SHELFMARK_CORPUS: _, SHELFMARK_DEBUG: __, NO_COLOR: ___, ...inherited } = process.env;
  const child = spawn(program, args, { cwd, env: { ...inherited, ...env } });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.on('error', () => {});
  child.stdin.end(input ?? '');
  const ended = new Promise<Run>((resolve, reject) => {
    child.on('error', reject).on('close', (code) => resolve({ code, stdout, stderr }));
  });
  return { ended, kill: (signal) => child.kill(signal) };
}

/** Runs `shelfmark` to its end. */
export async function shelfmark(args: readonly string[], options: RunOptions): Promise<Run> {
  return await start(process.execPath, [bin, ...args], options).ended;
}

/** A new folder that is removed after the tests of this file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'shelfmark-cli-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
