import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import ignore from 'ignore';
import { fileTypeOf } from './file-type.ts';
import type { Source, SourceFormat } from './source.ts';
import { reasonOf } from './source-error.ts';

/** File status is asked for so many files at a time. */
const concurrentStats = 64;

/** A file or folder inside a named folder that could not be read. */
export interface DiscoveryReject {
  readonly path: string;
  readonly uri: string;
  readonly reason: string;
}

/** What a walk found. */
export interface WalkResult {
  readonly sources: readonly Source[];
  readonly rejects: readonly DiscoveryReject[];
  readonly ignoredFiles: number;
}

/** What a walk leaves out. */
export interface WalkOptions {
  /** Only files whose extension belongs to this format; null takes every known extension. */
  readonly format: SourceFormat | null;
  /** Patterns as in .gitignore, relative to the folder, case-sensitive. */
  readonly ignore: readonly string[];
}

interface Entry {
  /** The name, and a `/` after it for a folder: so sorted, entries come in the order of the whole paths below them. */
  readonly key: string;
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'other';
}

/**
 * Takes the files of a folder and its subfolders in the byte order of their paths. Symbolic links are not followed, so a walk ends.
 * Other files, links and devices are counted as ignored; folders that match an ignore pattern are not entered, nor counted.
 */
export async function walkFolder(root: string, uri: string, options: WalkOptions): Promise<WalkResult> {
  const sources: Source[] = [];
  const rejects: DiscoveryReject[] = [];
  let ignoredFiles = 0;
  const patterns = ignore({ ignorecase: false }).add(options.ignore);
  await walk('');
  return { sources, rejects, ignoredFiles };

  async function walk(inside: string): Promise<void> {
    const folder = join(root, inside.slice(0, -1));
    let entries: Entry[];
    try {
      entries = await listFolder(folder);
    } catch (error) {
      rejects.push({ path: folder, uri: joinUri(uri, inside.slice(0, -1)), reason: reasonFor(folder, error) });
      return;
    }
    const files: Entry[] = [];
    for (const entry of entries) {
      if (options.ignore.length > 0 && patterns.ignores(inside + entry.key)) {
        if (entry.kind !== 'folder') ignoredFiles++;
      } else if (entry.kind === 'folder') {
        await take(inside, files.splice(0));
        await walk(inside + entry.key);
      } else if (entry.kind === 'file' && isWanted(entry.name)) {
        files.push(entry);
        if (files.length === concurrentStats) await take(inside, files.splice(0));
      } else {
        ignoredFiles++;
      }
    }
    await take(inside, files);
  }

  function isWanted(name: string): boolean {
    const { format } = fileTypeOf(name);
    return format !== null && (options.format === null || options.format === format);
  }

  async function take(inside: string, files: readonly Entry[]): Promise<void> {
    const found = await Promise.all(files.map(({ name }) => describe(inside + name, name)));
    for (const one of found) {
      if ('reason' in one) rejects.push(one);
      else sources.push(one);
    }
  }

  async function describe(inside: string, name: string): Promise<Source | DiscoveryReject> {
    const place = { path: join(root, inside), uri: joinUri(uri, inside) };
    try {
      const status = await lstat(place.path, { bigint: true });
      const { format, compression } = fileTypeOf(name);
      return {
        ...place,
        format: format ?? 'text',
        compression,
        size: Number(status.size),
        mtimeNs: String(status.mtimeNs),
      };
    } catch (error) {
      return { ...place, reason: reasonFor(name, error) };
    }
  }
}

/** A name that is not UTF-8 comes with a replacement character in it, and then is not found. */
function reasonFor(name: string, error: unknown): string {
  return name.includes('\ufffd') ? 'its name is not valid UTF-8: rename it' : reasonOf(error);
}

async function listFolder(folder: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const { name } = entry;
    if (entry.isDirectory()) entries.push({ key: `${name}/`, name, kind: 'folder' });
    else entries.push({ key: name, name, kind: entry.isFile() ? 'file' : 'other' });
  }
  return entries.sort((a, b) => compareUtf8(a.key, b.key));
}

/** Compares as the UTF-8 bytes compare; JavaScript's own order differs for characters beyond U+FFFF. */
function compareUtf8(a: string, b: string): number {
  const surrogate = /[\ud800-\udfff]/;
  if (surrogate.test(a) || surrogate.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : a > b ? 1 : 0;
}

function joinUri(folder: string, inside: string): string {
  if (folder === '.') return inside === '' ? '.' : inside;
  return folder.endsWith('/') || inside === '' ? folder + inside : `${folder}/${inside}`;
}
