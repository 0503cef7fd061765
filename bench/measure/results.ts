import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from './summary.ts';

/** Where results are kept, in version control. */
export const resultsFolder = fileURLToPath(new URL('../results/', import.meta.url));

/** The project's own folder; children run there. */
export const projectFolder = fileURLToPath(new URL('../../', import.meta.url));

/** One number that was measured, with what it takes to compare it with the same number of another day. */
export interface Measurement {
  /** the text searched, for example `real` or `zipf` */
  readonly input: string;
  /** class of queries or stage, for example `questions-any` or `build, 2 threads` */
  readonly case: string;
  readonly engine: string;
  /** what was measured, for example `p50` */
  readonly measure: string;
  readonly unit: string;
  readonly better: 'lower' | 'higher';
  /** median of the repetitions */
  readonly value: number;
  readonly repetitions: readonly number[];
}

/** What one run of a bench leaves behind. Nothing in it names the machine's user, host or folders. */
export interface BenchResult {
  readonly kind: 'rivals' | 'scale' | 'cold' | 'quality' | 'vectors';
  readonly date: string;
  readonly machine: Machine;
  readonly versions: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, string | number | boolean>>;
  /** sizes of each input */
  readonly inputs: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly measurements: readonly Measurement[];
  /** what a reader has to know to read the numbers right: what was left out, and why */
  readonly notes: readonly string[];
}

/** What a number depends on besides the programs. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGB: number;
  readonly system: string;
}

/** Where a number belongs: all of {@link Measurement} but the number. */
export type MeasurementName = Omit<Measurement, 'value' | 'repetitions'>;

/** Collects numbers of several repetitions under their names; the order is that of first appearance. */
export class Measurements {
  readonly #found = new Map<string, { readonly name: MeasurementName; readonly repetitions: number[] }>();

  /** Adds one repetition of one number. */
  add(name: MeasurementName, value: number): void {
    const key = JSON.stringify([name.input, name.case, name.engine, name.measure]);
    const known = this.#found.get(key);
    if (known === undefined) this.#found.set(key, { name, repetitions: [value] });
    else known.repetitions.push(value);
  }

  /** All numbers so far, each the median of its repetitions. */
  list(): Measurement[] {
    return [...this.#found.values()].map(({ name, repetitions }) => ({
      ...name,
      value: toDigits(median(repetitions)),
      repetitions: repetitions.map(toDigits),
    }));
  }
}

/** Five significant digits: more are noise, and make results long. */
function toDigits(value: number): number {
  return Number(value.toPrecision(5));
}

/** This machine, without anything that names it. */
export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGB: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${process.arch}`,
  };
}

/** The version of the project, and its commit where git knows one. */
export async function describeProject(): Promise<string> {
  const text = await readFile(join(projectFolder, 'package.json'), 'utf8');
  const { version } = JSON.parse(text) as { version: string };
  if (!existsSync(join(projectFolder, '.git'))) return version;
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: projectFolder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    const changed = git('status', '--porcelain', '--', 'src', 'workers', 'shards') === '' ? '' : ', changed';
    return `${version} (${git('rev-parse', '--short', 'HEAD')}${changed})`;
  } catch {
    return version;
  }
}

/** Reads a result file. @throws Error naming the file when it is not one. */
export async function readResult(file: string): Promise<BenchResult> {
  const result: unknown = JSON.parse(await readFile(file, 'utf8'));
  if (typeof result !== 'object' || result === null || !('measurements' in result)) {
    throw new Error(`${file} is not the result of a bench: it has no "measurements"`);
  }
  return result as BenchResult;
}

/** A result as JSON with one measurement a line, so that version control shows what changed. */
export function encodeResult({ measurements, ...rest }: BenchResult): string {
  const lines = measurements.map((measurement) => `    ${JSON.stringify(measurement)}`).join(',\n');
  return JSON.stringify({ ...rest, measurements: [] }, null, 2).replace(/"measurements": \[\]\n}$/, () => {
    return `"measurements": [\n${lines}\n  ]\n}\n`;
  });
}

/** The day of a run as results are named by it, for example `2026-11-30`. */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}
