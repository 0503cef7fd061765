// Makes a clone ready: installs what package-lock.json names and compiles, each only when it has to be.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

function run(command, args) {
  console.error(`setup: ${command} ${args.join(' ')}`);
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

/** Newest change below some files and folders, 0 when there is none. */
function newest(paths) {
  let time = 0;
  for (const path of paths) {
    const full = join(root, path);
    if (!existsSync(full)) continue;
    const status = statSync(full);
    time = Math.max(time, status.mtimeMs);
    if (status.isDirectory()) time = Math.max(time, newest(readdirSync(full).map((name) => join(path, name))));
  }
  return time;
}

if (newest(['package-lock.json']) > newest(['node_modules/.package-lock.json']))
  run('npm', ['ci', '--no-audit', '--no-fund']);
const inputs = ['src', 'workers', 'shards', 'tsconfig.json', 'tsconfig.build.json', 'package.json'];
if (newest(inputs) > newest(['dist/.built'])) run('npm', ['run', '--silent', 'build']);
