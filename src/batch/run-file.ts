import { existsSync } from 'node:fs';
import { type FileHandle, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ShelfmarkError } from '../../shards/index.ts';
import { syncPath } from '../sync-path.ts';

/** What a run depends on: a file is continued only by a run that agrees in all of it. */
export type RunFingerprint = Readonly<Record<string, unknown>>;

interface Sidecar {
  readonly version: 1;
  readonly fingerprint: RunFingerprint;
  /** queries whose rows are in the file, and the bytes they take */
  readonly done: number;
  readonly bytes: number;
  readonly complete: boolean;
}

/**
 * The output of a batch, written query by query. Until it is complete it is called `NAME.partial`; `NAME.run.json`
 * beside it says how far it is. A killed run leaves both, and the next one goes on after the last query noted.
 */
export class RunFile {
  readonly #output: string;
  readonly #fingerprint: RunFingerprint;
  readonly #handle: FileHandle | undefined;
  #done: number;
  #bytes: number;
  #pending = '';
  #pendingQueries = 0;

  private constructor(
    output: string,
    fingerprint: RunFingerprint,
    handle: FileHandle | undefined,
    done: number,
    bytes: number,
  ) {
    this.#output = output;
    this.#fingerprint = fingerprint;
    this.#handle = handle;
    this.#done = done;
    this.#bytes = bytes;
  }

  /**
   * Starts, or goes on with, an output file.
   * @throws ShelfmarkError SHELFMARK_MISMATCH when the file belongs to another run or was not made by one.
   */
  static async open(output: string, fingerprint: RunFingerprint): Promise<RunFile> {
    const sidecar = await readSidecar(sidecarOf(output));
    if (sidecar === undefined && existsSync(output)) {
      throw mismatch(output, 'it exists and no batch wrote it');
    }
    if (sidecar !== undefined) checkSame(output, sidecar.fingerprint, fingerprint);
    if (sidecar?.complete === true && (existsSync(output) || (await takeName(output, sidecar.bytes)))) {
      return new RunFile(output, fingerprint, undefined, sidecar.done, sidecar.bytes);
    }
    const resumable = sidecar !== undefined && !sidecar.complete && existsSync(partialOf(output));
    const handle = await open(partialOf(output), resumable ? 'r+' : 'w');
    const start = resumable ? sidecar : { done: 0, bytes: 0 };
    try {
      if ((await handle.stat()).size < start.bytes) {
        throw mismatch(output, `${partialOf(output)} is shorter than ${sidecarOf(output)} says`);
      }
      // What was written after the last note may be half a query.
      await handle.truncate(start.bytes);
      const file = new RunFile(output, fingerprint, handle, start.done, start.bytes);
      await file.#writeSidecar(false);
      return file;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Queries done, in earlier runs too. */
  get done(): number {
    return this.#done + this.#pendingQueries;
  }

  /** True when an earlier run finished the file; nothing can be added then. */
  get isComplete(): boolean {
    return this.#handle === undefined;
  }

  /** Adds one query's rows; they may stay in memory until `flush`. */
  add(rows: string): void {
    this.#pending += rows;
    this.#pendingQueries++;
  }

  /** Rows in memory, in UTF-16 units. */
  get pendingLength(): number {
    return this.#pending.length;
  }

  /** Makes everything added so far durable, rows before the note that counts them. */
  async flush(): Promise<void> {
    if (this.#handle === undefined || this.#pendingQueries === 0) return;
    const bytes = Buffer.from(this.#pending);
    let written = 0;
    while (written < bytes.length) {
      written += (await this.#handle.write(bytes, written, bytes.length - written, this.#bytes + written)).bytesWritten;
    }
    await this.#handle.datasync();
    this.#bytes += bytes.length;
    this.#done += this.#pendingQueries;
    this.#pending = '';
    this.#pendingQueries = 0;
    await this.#writeSidecar(false);
  }

  /** Gives the file its name. */
  async complete(): Promise<void> {
    await this.flush();
    await this.#handle?.close();
    await this.#writeSidecar(true);
    await rename(partialOf(this.#output), this.#output);
    await syncPath(dirname(this.#output));
  }

  /** Closes an unfinished file; what was flushed stays for the next run. */
  async abandon(): Promise<void> {
    await this.#handle?.close();
  }

  async #writeSidecar(complete: boolean): Promise<void> {
    const sidecar: Sidecar = {
      version: 1,
      fingerprint: this.#fingerprint,
      done: this.#done,
      bytes: this.#bytes,
      complete,
    };
    const draft = `${sidecarOf(this.#output)}.new`;
    await writeFile(draft, `${JSON.stringify(sidecar, null, 2)}\n`, { flush: true });
    await rename(draft, sidecarOf(this.#output));
  }
}

/** Gives a complete file its name, when the run that completed it was killed before it could. */
async function takeName(output: string, bytes: number): Promise<boolean> {
  const partial = partialOf(output);
  if (!existsSync(partial) || (await stat(partial)).size !== bytes) return false;
  await rename(partial, output);
  return true;
}

function partialOf(output: string): string {
  return `${output}.partial`;
}

function sidecarOf(output: string): string {
  return `${output}.run.json`;
}

async function readSidecar(file: string): Promise<Sidecar | undefined> {
  await rm(`${file}.new`, { force: true });
  if (!existsSync(file)) return undefined;
  try {
    const sidecar = JSON.parse(await readFile(file, 'utf8')) as Partial<Sidecar>;
    const { version, fingerprint, done, bytes, complete } = sidecar;
    const isWhole = fingerprint !== undefined && done !== undefined && bytes !== undefined && complete !== undefined;
    if (version === 1 && isWhole) return { version, fingerprint, done, bytes, complete };
  } catch {
    // Falls through: whatever stands there is not a sidecar of ours.
  }
  throw mismatch(file, 'it is not the note of a batch run');
}

function checkSame(output: string, found: RunFingerprint, wanted: RunFingerprint): void {
  const names = new Set([...Object.keys(found), ...Object.keys(wanted)]);
  const different = [...names].filter((name) => JSON.stringify(found[name]) !== JSON.stringify(wanted[name]));
  if (different.length > 0) throw mismatch(output, `it belongs to a run with other ${different.join(', ')}`);
}

function mismatch(file: string, why: string): ShelfmarkError {
  return new ShelfmarkError(
    'SHELFMARK_MISMATCH',
    `${file} cannot be continued: ${why}. Choose another output, or delete it with its .run.json and .partial files.`,
    { file, why },
  );
}
