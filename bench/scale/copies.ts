import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { workFolder } from '../corpora.ts';
import { randomFrom, ZipfVocabulary, zipfText } from '../zipf.ts';

/**
 * The text of a scale run: a corpus of n times the base is copies 1 to n. No copy repeats another: each is generated from
 * a seed of its own, and from a vocabulary that grows with the number of the copy as that of natural text does (Heaps'
 * law with exponent 0.6). So the frequent words become as much more frequent as the text grows, and new rare ones come.
 */
const baseVocabularySize = 600_000;
const heapsExponent = 0.6;
const vocabularySeed = 12345;

/** What a copy holds. */
export interface CopySize {
  readonly documents: number;
  readonly textBytes: number;
}

/** Where copies of this many documents and the corpora made of them are kept. */
export function copyFolder(documents: number): string {
  return join(workFolder, 'scale', `base-${documents}`);
}

/** File of a copy. */
export function copyFile(copy: number, documents: number): string {
  return join(copyFolder(documents), `copy-${String(copy).padStart(2, '0')}.jsonl`);
}

/** Writes a copy in a stream, unless it is there; ids go on from the copies before it. */
export function generateCopy(copy: number, documents: number): CopySize {
  const file = copyFile(copy, documents);
  const sizeFile = `${file}.size`;
  if (existsSync(file) && existsSync(sizeFile)) return JSON.parse(readFileSync(sizeFile, 'utf8')) as CopySize;
  mkdirSync(dirname(file), { recursive: true });
  const vocabulary = new ZipfVocabulary(
    Math.round(baseVocabularySize * copy ** heapsExponent),
    randomFrom(vocabularySeed),
  );
  const random = randomFrom(1_000 + copy);
  const descriptor = openSync(`${file}.new`, 'w');
  let textBytes = 0;
  let lines: string[] = [];
  for (let index = 0; index < documents; index++) {
    const text = zipfText(vocabulary, random, () => vocabulary.drawRank(random));
    textBytes += text.length;
    lines.push(JSON.stringify({ _id: String((copy - 1) * documents + index), text }), '\n');
    if (lines.length < 2_000 && index < documents - 1) continue;
    writeSync(descriptor, lines.join(''));
    lines = [];
  }
  closeSync(descriptor);
  const size = { documents, textBytes };
  writeFileSync(sizeFile, JSON.stringify(size));
  renameSync(`${file}.new`, file);
  return size;
}

const questionCount = 400;

/**
 * Questions that are the same for every size: two to six words each, ranks evenly spread on a logarithmic scale from a word
 * that every third document has to one that a few dozen of a base have, much as content words of real questions are.
 */
export function scaleQuestions(): string[] {
  const [first, last] = [30, 60_000];
  const vocabulary = new ZipfVocabulary(last, randomFrom(vocabularySeed));
  const random = randomFrom(77);
  const word = (): string => vocabulary.words[Math.floor(first * (last / first) ** random())]!;
  return Array.from({ length: questionCount }, () =>
    Array.from({ length: 2 + Math.floor(random() * 5) }, word).join(' '),
  );
}
