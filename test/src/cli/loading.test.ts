import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { shelfmark, temporaryFolder } from './command-line.ts';

const cwd = temporaryFolder();

/** Makes a process write the URL of every module that it imports to standard error. */
const hooks = `export async function load(url, context, next) {
  process._rawDebug('loads ' + url);
  return next(url, context);
}`;
const register = `import { register } from 'node:module';
register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hooks)}`)});`;

/** Packages and chunks of the command that a run of it imports, without their versions. */
async function loadedBy(...args: string[]): Promise<string> {
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(register)}` };
  const { stderr, code } = await shelfmark(args, { cwd, env });
  expect(code).toBe(0);
  const urls = stderr.split('\n').filter((line) => line.startsWith('loads file:'));
  return urls
    .map((line) => line.replace(/.*?\/(node_modules|dist)\//, '').replace(/-[0-9A-Z]{8}\.js$/, '.js'))
    .join('\n');
}

beforeAll(async () => {
  writeFileSync(join(cwd, 'notes.jsonl'), '{"_id":"n1","title":"Lamps","text":"The keeper trims the lamp at dusk."}\n');
  expect((await shelfmark(['build', 'notes.jsonl'], { cwd })).code).toBe(0);
});

describe('the command loads', () => {
  it('neither threads, sources nor all of yargs for a search, and few files', async () => {
    const loaded = await loadedBy('search', 'lamp', '--json');
    expect(loaded).toContain('yargs-parser/');
    expect(loaded).toContain('command/search.js');
    expect(loaded).not.toMatch(/^(yargs|piscina|lzma-native|unbzip2-stream|markdown-it|js-yaml|ignore)\//m);
    expect(loaded).not.toMatch(/^command\/(build|batch|verify|parse-fully|open-retriever|search-vectors)/m);
    expect(loaded.split('\n').length).toBeLessThan(40);
  });

  it('what searches by vectors only when that is asked for', async () => {
    expect(await loadedBy('search', 'lamp', '--retriever', 'hybrid')).toMatch(/^command\/open-retriever/m);
  });

  it('the thread pool only when threads are asked for', async () => {
    expect(await loadedBy('search', 'lamp', '--workers', '1')).toMatch(/^piscina\//m);
  });
});
