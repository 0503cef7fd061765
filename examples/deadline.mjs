// Searches with a time limit and with an AbortSignal; says what the answer rests on.
// Usage: node examples/deadline.mjs [corpus folder]   (build-and-search.mjs makes it)
import { Corpus, ShelfmarkError } from 'shelfmark';

const corpus = await Corpus.open(process.argv[2] ?? 'example-corpus');
try {
  const { coverage } = await corpus.search('shards', { timeoutMs: 10_000 });
  console.log(`${coverage.searched} searched, ${coverage.failed} failed, ${coverage.timedOut} timed out`);

  const controller = new AbortController();
  controller.abort();
  await corpus.search('shards', { signal: controller.signal }).catch((error) => console.log(error.name));

  await corpus.search('***').catch((error) => {
    if (error instanceof ShelfmarkError) console.log(error.code);
  });
} finally {
  await corpus.close();
}
