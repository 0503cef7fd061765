// Packs the project, installs the package into an empty folder, and uses the command there as a newcomer would.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'shelfmark-pack-'));

function run(command, args, cwd) {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

function expect(output, wanted) {
  if (output.includes(wanted)) return;
  console.error(`check-pack: expected "${wanted}" in:\n${output}`);
  process.exit(1);
}

try {
  run('npm', ['pack', '--pack-destination', folder], root);
  const [archive] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  run('npm', ['install', '--no-audit', '--no-fund', join(folder, archive)], folder);

  writeFileSync(
    join(folder, 'notes.jsonl'),
    '{"_id":"n1","title":"Lighthouses","text":"The keeper trims the lamp at dusk."}\n',
  );
  const command = join(folder, 'node_modules/.bin/shelfmark');
  expect(run(command, ['build', 'notes.jsonl', '-c', 'corpus'], folder), '1');
  expect(run(command, ['search', 'who trims lamps', '-c', 'corpus', '--json'], folder), '"uri":"n1"');

  writeFileSync(
    join(folder, 'use.js'),
    `import { Corpus } from 'shelfmark';
const corpus = await Corpus.open('corpus');
console.log((await corpus.search('lamp')).hits[0].uri);
await corpus.close();
`,
  );
  expect(run(process.execPath, ['use.js'], folder), 'n1');
  console.log('check-pack: the installed package works');
} finally {
  rmSync(folder, { recursive: true, force: true });
}
