// Gives every passage a vector and searches by words and vectors together. The embedder here is built in and knows spelling
// only; openEmbedder('http://localhost:11434/v1', { model: 'nomic-embed-text' }) would be one that knows meaning.
// Usage: node examples/hybrid.mjs [corpus folder]   (build-and-search.mjs makes it)
import { Corpus, embedCorpus, openEmbedder } from 'shelfmark';

const path = process.argv[2] ?? 'example-corpus';
const { model, embedded, kept } = await embedCorpus({ corpus: path, embedder: await openEmbedder('hash') });
console.log(`${embedded + kept} passages have vectors by ${model}`);

const corpus = await Corpus.open(path);
const { hits } = await corpus.search('who notices damagd pages', { match: 'any', retriever: 'hybrid', limit: 3 });
for (const { rank, uri, retrievers } of hits) {
  console.log(`${rank}. ${uri}: ${retrievers.lexical ?? '–'} by words, ${retrievers.vector ?? '–'} by vectors`);
}
await corpus.close();
