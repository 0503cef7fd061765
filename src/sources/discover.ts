import { access, constants, realpath, stat } from 'node:fs/promises';
import { join, posix, relative, resolve, sep } from 'node:path';
import { compressionOf, fileTypeOf, formatOf } from './file-type.ts';
import { openSource } from './open.ts';
import { type Compression, type Source, type SourceFormat, standardInput } from './source.ts';
import { reasonOf, SourceError } from './source-error.ts';
import { peekStandardInput } from './standard-input.ts';
import { type DiscoveryReject, type WalkOptions, walkFolder } from './walk-folder.ts';

/** How to read the names given, and what to leave out of folders. */
export interface DiscoverOptions {
  /**
   * The format of the files named, and the only one taken from folders. `auto` goes by extension, and for a file named
   * explicitly that has none we know, and for standard input, by the first bytes: `{` means JSON lines, all else text.
   * @default 'auto'
   */
  readonly format?: SourceFormat | 'auto';
  /** Patterns as in .gitignore, relative to each folder named; files named explicitly are always taken. @default [] */
  readonly ignore?: readonly string[];
  /** Folder that relative names start from. @default process.cwd() */
  readonly cwd?: string;
}

/** Everything the named files and folders hold, in an order that depends on their names alone. */
export interface Discovery {
  /** In the order the names were given; inside a folder in the byte order of the paths. */
  readonly sources: readonly Source[];
  /** Files inside folders that were left out, counted each time they were reached: unknown or unwanted extension, matched by a pattern, links, devices. */
  readonly ignoredFiles: number;
  /** Files and folders inside folders that could not be read. */
  readonly rejects: readonly DiscoveryReject[];
}

/**
 * Finds the sources that files, folders (with all below them) and `-` (standard input) stand for. A file reached twice is taken
 * once, where it is reached first. Links inside folders are not followed, links named are.
 *
 * @throws SourceError naming the first argument that does not exist, cannot be read or is neither file, folder nor pipe.
 */
export async function discoverSources(args: readonly string[], options: DiscoverOptions = {}): Promise<Discovery> {
  const walkOptions: WalkOptions = {
    format: options.format === undefined || options.format === 'auto' ? null : options.format,
    ignore: options.ignore ?? [],
  };
  const cwd = options.cwd ?? process.cwd();
  const seen = new Set<string>();
  const sources: Source[] = [];
  const rejects: DiscoveryReject[] = [];
  let ignoredFiles = 0;
  for (const arg of args) {
    const found =
      arg === standardInput ? await takeInput(walkOptions) : await takeNamed(arg, resolve(cwd, arg), walkOptions);
    for (const source of found.sources) {
      const identity = found.identityOf(source);
      if (!seen.has(identity)) sources.push(source);
      seen.add(identity);
    }
    for (const reject of found.rejects) rejects.push(reject);
    ignoredFiles += found.ignoredFiles;
  }
  return { sources, ignoredFiles, rejects };
}

/** What one argument stands for. */
interface Found extends Discovery {
  /** The same for the same file, however it was reached. */
  identityOf(source: Source): string;
}

async function takeInput(options: WalkOptions): Promise<Found> {
  return {
    sources: [await describeInput(options.format)],
    rejects: [],
    ignoredFiles: 0,
    identityOf: ({ path }) => path,
  };
}

async function takeNamed(arg: string, path: string, options: WalkOptions): Promise<Found> {
  if (arg === '') throw new SourceError(arg, 'the name is empty');
  try {
    const status = await stat(path, { bigint: true });
    await access(path, status.isDirectory() ? constants.R_OK | constants.X_OK : constants.R_OK);
    if (status.isDirectory()) {
      const real = await realpath(path);
      const walked = await walkFolder(path, uriOf(arg), options);
      return { ...walked, identityOf: (source) => join(real, relative(path, source.path)) };
    }
    if (status.isFile()) {
      const [type, real] = [await typeOfFile(path, options.format), await realpath(path)];
      const source = { path, uri: uriOf(arg), ...type, size: Number(status.size), mtimeNs: String(status.mtimeNs) };
      return { sources: [source], rejects: [], ignoredFiles: 0, identityOf: () => real };
    }
    if (status.isFIFO() || status.isCharacterDevice()) {
      const source = describePipe(path, arg, options.format);
      return { sources: [source], rejects: [], ignoredFiles: 0, identityOf: () => path };
    }
  } catch (error) {
    if (error instanceof SourceError) throw error;
    throw new SourceError(arg, reasonOf(error), null, error);
  }
  throw new SourceError(arg, 'it is neither a file nor a folder nor a pipe');
}

/** As named, with `/` and nothing superfluous; a file called `-` keeps its `./`, since `-` is standard input. */
function uriOf(arg: string): string {
  const normal = posix.normalize(sep === '/' ? arg : arg.replaceAll(sep, '/'));
  const uri = normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal;
  return uri === standardInput ? `./${uri}` : uri;
}

interface SourceType {
  readonly format: SourceFormat;
  readonly compression: Compression;
}

/** The type of a file named explicitly: what was asked for, else its extension, else its first bytes. */
async function typeOfFile(path: string, format: SourceFormat | null): Promise<SourceType> {
  const byName = fileTypeOf(path);
  const compression =
    byName.compression === 'none' && byName.format === null
      ? compressionOf(await firstBytes(path, 'none'))
      : byName.compression;
  const known = format ?? byName.format;
  return { format: known ?? formatOf(await firstBytes(path, compression)), compression };
}

/** The first decompressed bytes; none when the file is damaged, which is for its reader to say. */
async function firstBytes(path: string, compression: Compression): Promise<Buffer> {
  try {
    for await (const chunk of openSource({ path, compression })) return chunk;
  } catch (error) {
    if (!(error instanceof SourceError) || error.byte === null) throw error;
  }
  return Buffer.alloc(0);
}

async function describeInput(format: SourceFormat | null): Promise<Source> {
  const head = await peekStandardInput();
  const compression = compressionOf(head);
  // To look inside packed input would use it up.
  const sniffed = compression === 'none' ? formatOf(head) : 'jsonl';
  return {
    path: standardInput,
    uri: standardInput,
    format: format ?? sniffed,
    compression,
    size: 0,
    mtimeNs: '0',
  };
}

/** A pipe cannot be looked into without losing what was read, so its type must be in its name or asked for. */
function describePipe(path: string, arg: string, asked: SourceFormat | null): Source {
  const byName = fileTypeOf(path);
  const format = asked ?? byName.format;
  if (format === null) throw new SourceError(arg, 'it is a pipe: say which format it has');
  return { path, uri: uriOf(arg), format, compression: byName.compression, size: 0, mtimeNs: '0' };
}
