// Shows the main job on text that every clone has after installing: the Markdown under node_modules.
// Builds a corpus in demo-corpus/ (reused the next time), asks three questions, runs a small batch.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const corpus = 'demo-corpus';
const queries = join(corpus, 'queries.tsv');
const run = join(corpus, 'run.trec');

/** Runs the built command and shows it as a person would type it. */
function shelfmark(...args) {
  const typed = args.map((word) => (/^[\w./=-]+$/.test(word) ? word : `"${word}"`)).join(' ');
  console.log(`\n$ shelfmark ${typed}`);
  const { status } = spawnSync(process.execPath, ['dist/src/cli.js', ...args], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

shelfmark(
  'build',
  'node_modules',
  '-c',
  corpus,
  '--format',
  'markdown',
  '--collection',
  'node_modules',
  '--shard-size',
  '512KiB',
);

for (const question of [
  'how do I run a worker thread pool with an AbortSignal',
  'What is the difference between WAL mode and the rollback journal?',
  'node-gyp PYTHON environment variable',
]) {
  shelfmark('search', question, '-c', corpus, '-n', '3');
}

writeFileSync(
  join(root, queries),
  ['q1\thow are command line arguments parsed', 'q2\tproperty based testing', 'q3\tcompression level of zstd', ''].join(
    '\n',
  ),
);
// A run continues only over the corpus it began with, and the Markdown may have changed since the last demo.
for (const end of ['', '.partial', '.run.json']) rmSync(join(root, `${run}${end}`), { force: true });
shelfmark('batch', queries, '-c', corpus, '-o', run, '-n', '5', '--match', 'any');

console.log(`\nThe first lines of ${run}:`);
console.log(readFileSync(join(root, run), 'utf8').split('\n').slice(0, 8).join('\n'));
console.log('\nNext: shelfmark search "your question" -c demo-corpus, or npm test.');
