import { join } from 'node:path';
import { embedCorpus } from '../../../src/embed/embed-corpus.ts';
import { hashEmbedder } from '../../../src/embed/hash-embedder.ts';
import { Corpus, type CorpusOptions } from '../../../src/index.ts';
import { build, randomNumbers, randomWords, writeJsonl } from '../support.ts';

export const documentCount = 240;

/** Questions; some words of them are spelled like ones that the corpus has. */
export const questions = ['archive ledger', 'the lanterns of an archivist', 'pepper', 'walnuts island harbours'];

/** Documents of one to three passages; a third of them have the text of another. */
function records(): { readonly text: string }[] {
  const random = randomNumbers(11);
  const texts: string[] = [];
  return Array.from({ length: documentCount }, (_, index) => {
    const isCopy = index % 3 === 2;
    const sections = Array.from(
      { length: 1 + (index % 3) },
      (_, at) => `## Part ${at}\n\n${randomWords(random, 12)}\n`,
    );
    const text = isCopy ? texts[Math.floor(random() * texts.length)]! : sections.join('\n');
    texts.push(text);
    // Names out of order, so that ties are not in the order of the file.
    const _id = `d${(index * 7919) % 1009}.md`;
    return { _id, text, kind: ['letter', 'note'][index % 2], collection: index % 5 === 0 ? 'x' : 'y' };
  });
}

/** What a replaced document said. */
export const replacedStart = 'archive lantern pepper walnut ';

function replaced(length: number): string {
  return replacedStart.repeat(10).slice(0, length);
}

/** Builds a corpus with so many bytes a shard, some of its documents replaced. Not embedded. */
export async function buildCorpusIn(folder: string, name: string, shardBytes: number): Promise<string> {
  const all = records();
  const corpus = join(folder, name);
  const source = join(folder, `${name}.jsonl`);
  const settings = { sources: [source], corpus, shardBytes };
  // First with other texts of the same length for every tenth document: the second build replaces these alone.
  const old = all.map((record, index) =>
    index % 10 === 0 ? { ...record, text: replaced(JSON.stringify(record.text).length - 2) } : record,
  );
  await writeJsonl(source, old);
  await build(settings);
  await writeJsonl(source, all);
  await build(settings);
  return corpus;
}

/** {@link buildCorpusIn}, and every passage embedded by the hash embedder. */
export async function embeddedCorpus(folder: string, name: string, shardBytes: number): Promise<string> {
  const corpus = await buildCorpusIn(folder, name, shardBytes);
  await embedCorpus({ corpus, embedder: hashEmbedder() });
  return corpus;
}

/** Opens a corpus in the calling thread unless told otherwise, uses it and closes it. */
export async function using<Result>(
  path: string,
  use: (corpus: Corpus) => Promise<Result>,
  options: CorpusOptions = { workers: 0 },
): Promise<Result> {
  const corpus = await Corpus.open(path, options);
  try {
    return await use(corpus);
  } finally {
    await corpus.close();
  }
}
