// Ranks a stream of questions and prints a line for each; what would feed a question-answering system.
// Usage: node examples/batch.mjs [corpus folder]   (build-and-search.mjs makes it)
import { Corpus } from 'shelfmark';

async function* questions() {
  yield { id: 'q1', text: 'which characters may a term contain' };
  yield { id: 'q2', text: 'what happens when a build is killed' };
  yield { id: 'q3', text: '?!' };
}

const corpus = await Corpus.open(process.argv[2] ?? 'example-corpus');
for await (const { id, rung, hits } of corpus.batch(questions(), { match: 'any', limit: 1, text: true })) {
  console.log(`${id} ${rung} ${hits[0]?.shelfmark ?? 'no hit'} ${hits[0]?.text?.length ?? 0} characters`);
}
await corpus.close();
