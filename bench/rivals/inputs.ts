import { closeSync, existsSync, openSync, writeSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sharedData, workFolder } from '../corpora.ts';
import { randomFrom, ZipfVocabulary, zipfText } from '../zipf.ts';
import { chunksOf } from './chunks.ts';
import { encodeQueries, questionClasses, type RivalQuery, zipfClasses } from './query-classes.ts';
import { recordsOf, termsOfText } from './shelfmark-driver.ts';

/**
 * The texts that engines are measured on. `real`: documentation and law in English, cut into chunks. `zipf`: generated.
 * `small`: chunks of `real`, evenly picked, as many as the engines that keep everything in JavaScript's memory bear.
 */
export const inputNames = ['real', 'zipf', 'small'] as const;

export type InputName = (typeof inputNames)[number];

/** A prepared input: a folder with the same documents in the form that each engine wants. */
export interface PreparedInput {
  readonly name: InputName;
  /**
   * holds `corpus.jsonl` (for Shelfmark), `tokens.txt` (terms of one document a line), `texts.bin` (per document a
   * 32-bit length and UTF-8) and `queries.tsv`
   */
  readonly folder: string;
  readonly documents: number;
  readonly textBytes: number;
  readonly tokenBytes: number;
  /** queries per class */
  readonly classes: Readonly<Record<string, number>>;
}

const texts = ['ms-win32-en', 'ms-powershell-en', 'uscode-en'];
const zipfDocumentCount = 500_000;
const zipfVocabularySize = 600_000;
const smallDocumentCount = 50_000;

/** Every how many-th question of nq-3610 is asked. */
const questionStep = 9;

/** What an input needs that is not here, or undefined when it can be prepared. */
export function missingFor(name: InputName): string | undefined {
  if (name === 'zipf') return undefined;
  const files = [...texts.map(textFile), questionsFile()];
  const missing = files.filter((file) => !existsSync(file));
  if (missing.length === 0) return undefined;
  const names = missing.map((file) => file.slice(sharedData.length)).join(', ');
  return `input ${name} needs ${names} below ../shared/data, which only the project's workshop has`;
}

/**
 * Prepares an input below bench-work/, or finds it prepared.
 * @param limit most documents, or null for the input's own number.
 */
export async function prepareInput(name: InputName, limit: number | null): Promise<PreparedInput> {
  const folder = join(workFolder, 'rivals', `${name}-${limit ?? 'full'}`);
  const description = join(folder, 'input.json');
  if (existsSync(description)) {
    return { ...(JSON.parse(await readFile(description, 'utf8')) as PreparedInput), folder };
  }
  const building = `${folder}.new`;
  await rm(building, { recursive: true, force: true });
  await mkdir(building, { recursive: true });
  const input = name === 'zipf' ? await prepareZipf(building, limit) : await prepareReal(name, building, limit);
  await writeFile(join(building, 'queries.tsv'), encodeQueries(input.queries));
  const classes: Record<string, number> = {};
  for (const query of input.queries) classes[query.class] = (classes[query.class] ?? 0) + 1;
  const prepared = { name, ...input.sizes, classes };
  await writeFile(join(building, 'input.json'), `${JSON.stringify(prepared, null, 2)}\n`);
  await rm(folder, { recursive: true, force: true });
  await rename(building, folder);
  return { ...prepared, folder };
}

interface Prepared {
  readonly sizes: { readonly documents: number; readonly textBytes: number; readonly tokenBytes: number };
  readonly queries: readonly RivalQuery[];
}

async function prepareReal(name: InputName, folder: string, limit: number | null): Promise<Prepared> {
  const wanted = limit ?? (name === 'small' ? smallDocumentCount : null);
  const total = wanted === null ? 0 : await countChunks();
  const share = wanted === null ? 1 : Math.min(1, wanted / total);
  const files = new DocumentFiles(folder);
  let index = 0;
  for await (const chunk of realChunks()) {
    index++;
    // Evenly picked, so that each of the texts has its share.
    if (Math.floor(index * share) > Math.floor((index - 1) * share)) files.add(chunk);
  }
  const lines = (await readFile(questionsFile(), 'utf8')).trim().split('\n');
  const questions = lines
    .filter((_, line) => line % questionStep === 0)
    .map((line) => (JSON.parse(line) as { text: string }).text);
  return { sizes: files.close(), queries: questionClasses(questions) };
}

async function prepareZipf(folder: string, limit: number | null): Promise<Prepared> {
  const vocabulary = new ZipfVocabulary(zipfVocabularySize, randomFrom(12345));
  const random = randomFrom(678);
  const files = new DocumentFiles(folder);
  const frequencies = new Map<string, number>();
  for (let count = limit ?? zipfDocumentCount; count > 0; count--) {
    const terms = files.add(zipfText(vocabulary, random, () => vocabulary.drawRank(random)));
    for (const term of new Set(terms.toString('latin1').split(' '))) {
      frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
    }
  }
  const sizes = files.close();
  return { sizes, queries: zipfClasses(vocabulary, frequencies, sizes.documents) };
}

async function* realChunks(): AsyncGenerator<string> {
  for (const name of texts) {
    for await (const record of recordsOf(textFile(name))) {
      yield* chunksOf((JSON.parse(record) as { text: string }).text);
    }
  }
}

async function countChunks(): Promise<number> {
  let count = 0;
  for await (const _ of realChunks()) count++;
  return count;
}

function textFile(name: string): string {
  return join(sharedData, 'text', `${name}.jsonl.zst`);
}

function questionsFile(): string {
  return join(sharedData, 'queries/nq-3610.jsonl');
}

/** Writes documents, numbered from 0, in the three forms. */
class DocumentFiles {
  readonly #corpus: BufferedFile;
  readonly #tokens: BufferedFile;
  readonly #texts: BufferedFile;
  #documents = 0;
  #textBytes = 0;
  #tokenBytes = 0;

  constructor(folder: string) {
    this.#corpus = new BufferedFile(join(folder, 'corpus.jsonl'));
    this.#tokens = new BufferedFile(join(folder, 'tokens.txt'));
    this.#texts = new BufferedFile(join(folder, 'texts.bin'));
  }

  /** Gives the document's terms, valid until the next call. A text without any is left out. */
  add(text: string): Buffer {
    const utf8 = Buffer.from(text);
    const terms = termsOfText(utf8);
    if (terms.length === 0) return terms;
    this.#corpus.write(Buffer.from(`${JSON.stringify({ _id: String(this.#documents), text })}\n`));
    this.#tokens.write(terms);
    this.#tokens.write(newline);
    const length = Buffer.alloc(4);
    length.writeInt32BE(utf8.length);
    this.#texts.write(length);
    this.#texts.write(utf8);
    this.#documents++;
    this.#textBytes += utf8.length;
    this.#tokenBytes += terms.length + 1;
    return terms;
  }

  close(): Prepared['sizes'] {
    for (const file of [this.#corpus, this.#tokens, this.#texts]) file.close();
    return { documents: this.#documents, textBytes: this.#textBytes, tokenBytes: this.#tokenBytes };
  }
}

const newline = Buffer.from('\n');

/** A file written in large pieces. */
class BufferedFile {
  readonly #descriptor: number;
  readonly #buffer = Buffer.allocUnsafe(1 << 20);
  #length = 0;

  constructor(file: string) {
    this.#descriptor = openSync(file, 'w');
  }

  write(bytes: Buffer): void {
    if (this.#length + bytes.length > this.#buffer.length) this.#flush();
    if (bytes.length > this.#buffer.length) writeSync(this.#descriptor, bytes);
    else this.#length += bytes.copy(this.#buffer, this.#length);
  }

  close(): void {
    this.#flush();
    closeSync(this.#descriptor);
  }

  #flush(): void {
    writeSync(this.#descriptor, this.#buffer, 0, this.#length);
    this.#length = 0;
  }
}
