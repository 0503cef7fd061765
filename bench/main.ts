/**
 * `npm run bench -- [--cases build,search,…] [--documents 100000] [--real]`: measures each case in a fresh process, prints a table
 * and writes JSON. `npm run bench -- --help` says more.
 */
import { spawnSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import yargs from 'yargs';
import { cases, type Measures } from './cases.ts';
import { realInput, saveResult, zipfInput } from './corpora.ts';

const options = await yargs(process.argv.slice(2))
  .usage('npm run bench -- [options]: builds corpora below bench-work/ and measures them')
  .option('cases', {
    type: 'string',
    default: Object.keys(cases).join(),
    describe: `comma-separated: ${Object.keys(cases).join(', ')}`,
  })
  .option('documents', {
    type: 'number',
    default: 100_000,
    describe: 'documents of the generated corpus, about 1 KB each',
  })
  .option('real', {
    type: 'boolean',
    default: true,
    describe: 'also measure ms-win32-en with nq-3610 where the shared data exists',
  })
  .option('one', { type: 'string', hidden: true })
  .option('input', { type: 'string', choices: ['zipf', 'real'] as const, hidden: true })
  .strict()
  .parse();

/** A case on an input, as the parent asks a fresh process for it. */
async function measureHere(name: string, input: 'zipf' | 'real'): Promise<void> {
  const found = input === 'zipf' ? await zipfInput(options.documents) : await realInput();
  const run = cases[name];
  if (found === null || run === undefined) throw new Error(`no case ${name} for ${input}`);
  console.log(JSON.stringify({ input: found.name, results: await run(found) }));
}

async function measureAll(): Promise<void> {
  const wanted = options.cases.split(',');
  for (const name of wanted) if (cases[name] === undefined) throw new Error(`unknown case ${name}`);
  const results: Record<string, Record<string, Measures>> = {};
  for (const input of options.real && (await realInput()) !== null ? ['zipf', 'real'] : ['zipf']) {
    if (input === 'zipf') await zipfInput(options.documents);
    for (const name of wanted) {
      const args = ['--import', 'tsx', fileURLToPath(import.meta.url), '--one', name, '--input', input];
      const child = spawnSync(process.execPath, [...args, '--documents', String(options.documents)], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'inherit'],
        maxBuffer: 1 << 26,
      });
      if (child.status !== 0) throw new Error(`case ${name} failed`);
      const answer = JSON.parse(child.stdout) as { input: string; results: Record<string, Measures> };
      results[answer.input] = { ...results[answer.input], ...answer.results };
      console.log(`\n${answer.input}: ${name}`);
      console.log(toTable(answer.results));
    }
  }
  const machine = {
    cpu: cpus()[0]?.model,
    cores: cpus().length,
    memoryGB: Math.round(totalmem() / 1e9),
    node: process.version,
  };
  console.log(`\nwritten to ${await saveResult('bench', { date: new Date().toISOString(), machine, results })}`);
}

/** A Markdown table; the rows of a case share their columns. */
function toTable(results: Readonly<Record<string, Measures>>): string {
  const columns = [...new Set(Object.values(results).flatMap((row) => Object.keys(row)))];
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const format = (value: number | undefined): string =>
    value === undefined ? '' : value >= 100 || Number.isInteger(value) ? value.toFixed(0) : value.toPrecision(3);
  return [
    line(['', ...columns]),
    line(['---', ...columns.map(() => '---:')]),
    ...Object.entries(results).map(([name, row]) => line([name, ...columns.map((column) => format(row[column]))])),
  ].join('\n');
}

if (options.one !== undefined) await measureHere(options.one, options.input ?? 'zipf');
else await measureAll();
