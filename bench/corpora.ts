import { createWriteStream, existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { randomFrom, ZipfVocabulary, zipfDocuments } from './zipf.ts';

/** Where measurements are made; can be deleted at any time. */
export const workFolder = fileURLToPath(new URL('../bench-work/', import.meta.url));

/** Collections and texts that exist beside a checkout of the project in its workshop, or nowhere. */
export const sharedData = fileURLToPath(new URL('../../shared/data/', import.meta.url));

/** A text to build and the queries to put to it, by class. */
export interface BenchInput {
  readonly name: string;
  readonly source: string;
  readonly classes: readonly {
    readonly name: string;
    readonly match: 'any' | 'all' | 'strict';
    readonly queries: readonly string[];
  }[];
  /** beginnings of uris by the share of documents that have them */
  readonly prefixes: Readonly<Record<string, readonly string[]>>;
}

/** Share of the vocabulary's head from which a class draws its words. */
const bands = {
  low: [0.05, 0.4],
  mid: [0.008, 0.05],
  high: [0.0008, 0.008],
  veryHigh: [0.00002, 0.0008],
  mixed: [0.00002, 0.4],
} as const;

const vocabularySize = 100_000;
const queriesPerClass = 50;

/** A generated corpus of `documents` documents, written once per size. */
export async function zipfInput(documents: number): Promise<BenchInput> {
  await mkdir(workFolder, { recursive: true });
  const source = join(workFolder, `zipf-${documents}.jsonl`);
  const vocabulary = new ZipfVocabulary(vocabularySize, randomFrom(12345));
  if (!existsSync(source)) {
    const text = Readable.from(zipfDocuments(vocabulary, documents, randomFrom(678)));
    await pipeline(text, createWriteStream(`${source}.new`));
    await rename(`${source}.new`, source);
  }
  const random = randomFrom(91);
  const classes = Object.entries(bands).flatMap(([name, [from, to]]) => {
    const word = (): string => vocabulary.words[Math.floor((from + random() * (to - from)) * vocabularySize)]!;
    const query = (length: number): string => Array.from({ length }, word).join(' ');
    return [
      { name: `${name} OR-5`, match: 'any' as const, queries: Array.from({ length: queriesPerClass }, () => query(5)) },
      {
        name: `${name} AND-2`,
        match: 'all' as const,
        queries: Array.from({ length: queriesPerClass }, () => query(2)),
      },
    ];
  });
  // Ids are d and a number, whose first digits come about equally often.
  const prefixes = {
    'all of them': ['d'],
    'eight of nine': [...'12345678'].map((digit) => `d${digit}`),
    'one of nine': ['d5'],
  };
  return { name: `zipf-${documents}`, source, classes, prefixes };
}

/** Microsoft's Win32 documentation with real questions, or null where the shared data is missing. */
export async function realInput(): Promise<BenchInput | null> {
  const source = join(sharedData, 'text/ms-win32-en.jsonl.zst');
  const questions = join(sharedData, 'queries/nq-3610.jsonl');
  if (!existsSync(source) || !existsSync(questions)) return null;
  const lines = (await readFile(questions, 'utf8')).trim().split('\n');
  const queries = lines
    .filter((_, index) => index % 9 === 0)
    .map((line) => (JSON.parse(line) as { text: string }).text);
  return {
    name: 'ms-win32-en with every 9th question of nq-3610',
    source,
    classes: [
      { name: 'questions, any', match: 'any', queries },
      { name: 'questions, strict', match: 'strict', queries },
    ],
    prefixes: {
      'nearly all': ['desktop-src/'],
      half: [...'ABCDEFGHIJKLMNOabcdfgh'].map((letter) => `desktop-src/${letter}`),
      'one of ten': ['desktop-src/e', 'desktop-src/DirectShow'],
    },
  };
}

/** Writes a result beside the others. */
export async function saveResult(name: string, result: unknown): Promise<string> {
  const file = join(workFolder, `${name}.json`);
  await writeFile(file, `${JSON.stringify(result, null, 2)}\n`);
  return file;
}
