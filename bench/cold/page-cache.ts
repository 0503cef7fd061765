import { execFileSync, spawnSync } from 'node:child_process';
import { accessSync, constants, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** How files are made cold. */
export const evictions = ['drop-caches', 'fadvise'] as const;

export type Eviction = (typeof evictions)[number];

const switchFile = '/proc/sys/vm/drop_caches';

/** Tells the kernel that pages of these files are not needed; it drops those that are clean. */
const forget = `
import os, sys
for name in sys.argv[1:]:
    file = os.open(name, os.O_RDONLY)
    os.fsync(file)
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(file)
`;

/** The most thorough way that this system allows, or null when there is none. */
export function bestEviction(): Eviction | null {
  if (process.platform !== 'linux') return null;
  if (process.getuid?.() === 0 && isWritable()) return 'drop-caches';
  return spawnSync('python3', ['-c', 'import os; os.posix_fadvise'], { stdio: 'ignore' }).status === 0
    ? 'fadvise'
    : null;
}

function isWritable(): boolean {
  try {
    accessSync(switchFile, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Makes the kernel forget what it has cached of an index: the whole system's cache, or the pages of these files alone. */
export function evict(path: string, how: Eviction): void {
  if (how === 'drop-caches') {
    execFileSync('sync');
    writeFileSync(switchFile, '3');
  } else {
    execFileSync('python3', ['-c', forget, ...filesBelow(path)]);
  }
}

function filesBelow(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
