// Runs one job of the built program in a process of its own, to be killed: job.mjs NAME OPTIONS_AS_JSON.
// Prints "started", then the report as JSON.
import process from 'node:process';
import { runBatch } from '../../dist/src/batch/run-batch.js';
import { adoptParts, buildCorpus } from '../../dist/src/index.js';

const jobs = {
  build: buildCorpus,
  batch: runBatch,
  adopt: ({ corpus, parts }) => adoptParts(corpus, parts),
};
const [name, options] = process.argv.slice(2);
process.stdout.write('started\n');
process.stdout.write(`${JSON.stringify(await jobs[name](JSON.parse(options)))}\n`);
