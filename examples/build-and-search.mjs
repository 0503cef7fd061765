// Builds a corpus from this project's own documentation and asks it a question.
// Usage: node examples/build-and-search.mjs [corpus folder]
import { buildCorpus, Corpus, markSnippet } from 'shelfmark';

const path = process.argv[2] ?? 'example-corpus';
const report = await buildCorpus({ sources: ['README.md', 'ARCHITECTURE.md', 'FORMAT.md'], corpus: path });
console.log(`${report.indexed} indexed, ${report.unchanged} unchanged`);

const corpus = await Corpus.open(path);
try {
  const { hits, rung, coverage } = await corpus.search('how is a shard sealed', { limit: 3, by: 'chunk' });
  console.log(`rung ${rung}, ${coverage.searched} of ${coverage.shards} shards`);
  for (const hit of hits) {
    console.log(`${hit.rank}. ${hit.uri} > ${hit.heading.join(' > ')} [${hit.shelfmark}]`);
    console.log(`   ${markSnippet(hit, { open: '*', close: '*' })}`);
  }
  const [best] = hits;
  if (best !== undefined) console.log((await corpus.cite(best.shelfmark)).status);
} finally {
  await corpus.close();
}
