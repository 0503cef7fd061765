import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { workFolder } from '../corpora.ts';
import { type Command, progress, runChild, typeScript } from '../measure/child.ts';
import { describeProject } from '../measure/results.ts';
import type { InputName } from './inputs.ts';

/** An engine as the runner sees it: what it needs and how each stage is started. */
export interface Engine {
  readonly name: EngineName;
  /** as tables and charts call it */
  readonly title: string;
  /** inputs that it can bear */
  readonly inputs: readonly InputName[];
  /** threads to build with; the index of the last stays and is searched */
  readonly buildThreads: readonly number[];
  readonly batchThreads: readonly number[];
  /** rounds over all queries before times count: many where code is compiled while it runs */
  readonly warmups: number;
  /** what is missing and how to get it, or undefined when it can run */
  readonly missing: () => string | undefined;
  /** prepares the engine once, after `missing` found nothing; gives the versions of what it consists of */
  readonly prepare: () => Promise<Readonly<Record<string, string>>>;
  /** a stage; `index` is a path of the engine's own */
  readonly stage: (stage: string, index: string, ...args: (string | number)[]) => Command;
}

export type EngineName = 'shelfmark' | 'fts5' | 'lucene' | 'xapian' | 'minisearch' | 'flexsearch';

const everywhere: readonly InputName[] = ['real', 'zipf', 'small'];

const shelfmark: Engine = {
  name: 'shelfmark',
  title: 'Shelfmark',
  inputs: everywhere,
  buildThreads: [1, 2],
  batchThreads: [1, 2],
  warmups: 10,
  missing: () => undefined,
  prepare: async () => ({ node: process.version, shelfmark: await describeProject() }),
  stage: (stage, index, ...args) => typeScript(new URL('shelfmark-stage.ts', import.meta.url), [stage, index, ...args]),
};

const fts5: Engine = {
  name: 'fts5',
  title: 'SQLite FTS5',
  inputs: everywhere,
  buildThreads: [1],
  batchThreads: [1, 2],
  warmups: 1,
  missing: () => undefined,
  prepare: async () => {
    const database = new Database(':memory:');
    const sqlite = String(database.prepare('SELECT sqlite_version()').pluck().get());
    database.close();
    return { sqlite };
  },
  stage: (stage, index, ...args) => typeScript(new URL('fts5-stage.ts', import.meta.url), [stage, index, ...args]),
};

// ── Lucene ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const jarFolder = '/usr/share/java';
const classFolder = join(workFolder, 'rivals/classes');
const luceneHelp = 'apt-get install liblucene8-java openjdk-17-jdk-headless';

/** The heap is fixed, so that its growth is not measured; what is not used of it is not resident. */
const javaFlags = ['-Xms1g', '-Xmx4g'];

const lucene: Engine = {
  name: 'lucene',
  title: 'Lucene 8',
  inputs: everywhere,
  buildThreads: [2, 1],
  batchThreads: [1, 2],
  warmups: 10,
  missing: () => {
    if (jars().length < 2) return `no Lucene 8 below ${jarFolder}: ${luceneHelp}`;
    return answers('javac', '-version') && answers('java', '-version') ? undefined : `no Java compiler: ${luceneHelp}`;
  },
  prepare: async () => {
    await mkdir(classFolder, { recursive: true });
    const source = fileURLToPath(new URL('LuceneDriver.java', import.meta.url));
    await runChild({ command: 'javac', args: ['-d', classFolder, '-cp', jars().join(':'), source] });
    const version = (await runChild(java('version'))).trim();
    const runtime = spawnSync('java', ['-version'], { encoding: 'utf8' }).stderr.split('\n')[1] ?? '';
    return { lucene: version, java: /build ([\w.+-]+)/.exec(runtime)?.[1] ?? runtime };
  },
  stage: (stage, index, ...args) => java(stage, index, ...args),
};

function java(...args: (string | number)[]): Command {
  const path = [classFolder, ...jars()].join(':');
  return { command: 'java', args: [...javaFlags, '-cp', path, 'LuceneDriver', ...args.map(String)] };
}

/** The two libraries of Lucene 8 that the driver needs, wherever Debian's package numbers them. */
function jars(): string[] {
  if (!existsSync(jarFolder)) return [];
  return readdirSync(jarFolder)
    .filter((name) => /^lucene-(core|analyzers-common)-8[\d.]*\.jar$/.test(name))
    .map((name) => join(jarFolder, name));
}

// ── Xapian ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Debian's own Python: modules of its packages are not seen by another one in the path. */
const python = '/usr/bin/python3';
const xapianDriver = fileURLToPath(new URL('xapian_driver.py', import.meta.url));

const xapian: Engine = {
  name: 'xapian',
  title: 'Xapian',
  inputs: everywhere,
  buildThreads: [1],
  batchThreads: [1, 2],
  warmups: 2,
  missing: () =>
    answers(python, '-c', 'import xapian') ? undefined : 'no Python module xapian: apt-get install python3-xapian',
  prepare: async () => ({ xapian: (await runChild({ command: python, args: [xapianDriver, 'version'] })).trim() }),
  stage: (stage, index, ...args) => ({ command: python, args: [xapianDriver, stage, index, ...args.map(String)] }),
};

// ── MiniSearch and FlexSearch ───────────────────────────────────────────────────────────────────────────────────────

const packageFolder = fileURLToPath(new URL('.', import.meta.url));

function inMemory(name: EngineName & ('minisearch' | 'flexsearch'), title: string): Engine {
  return {
    name,
    title,
    inputs: ['small'],
    buildThreads: [1],
    batchThreads: [1],
    warmups: 3,
    missing: () => (existsSync(join(packageFolder, 'node_modules', name)) ? undefined : `no package ${name}`),
    prepare: async () => {
      const text = readFileSync(join(packageFolder, 'node_modules', name, 'package.json'), 'utf8');
      return { [name]: (JSON.parse(text) as { version: string }).version };
    },
    stage: (stage, index, ...args) =>
      typeScript(
        new URL('memory-stage.ts', import.meta.url),
        [name, stage, index, ...args],
        ['--max-old-space-size=8192'],
      ),
  };
}

/** All engines, in the order in which they are measured and shown. */
export const engines: readonly Engine[] = [
  shelfmark,
  lucene,
  fts5,
  xapian,
  inMemory('minisearch', 'MiniSearch'),
  inMemory('flexsearch', 'FlexSearch'),
];

/** The name of an engine as tables and charts show it. */
export function titleOf(name: string): string {
  return engines.find((engine) => engine.name === name)?.title ?? name;
}

/** Installs the rivals' packages and the plotting library where they are missing or of another version. */
export function installPackages(): void {
  const timeOf = (file: string): number => statSync(join(packageFolder, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (timeOf('package-lock.json') <= timeOf('node_modules/.package-lock.json')) return;
  progress(`installing the packages of ${dirname(join('bench/rivals', 'package.json'))}`);
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: packageFolder, stdio: [0, 2, 2] });
  if (status !== 0) throw new Error('npm ci failed in bench/rivals');
}

function answers(command: string, ...args: string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}
