import type { Corpus } from '../corpus.ts';
import { given } from './given.ts';

/** Opens a corpus for one command and closes it in the end. Only commands that read a corpus load what that needs. */
export async function withCorpus<Result>(
  path: string,
  use: (corpus: Corpus) => Promise<Result>,
  workers?: number,
): Promise<Result> {
  const { Corpus } = await import('../corpus.ts');
  const corpus = await Corpus.open(path, given({ workers }));
  try {
    return await use(corpus);
  } finally {
    await corpus.close();
  }
}
