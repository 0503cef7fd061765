import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { shelfmark, temporaryFolder } from './command-line.ts';

describe('search output', () => {
  const cwd = temporaryFolder();

  beforeAll(async () => {
    const record = { _id: 'page', text: 'Use <script src="a.js"> & hope; the lamp burns.' };
    writeFileSync(join(cwd, 'page.jsonl'), `${JSON.stringify(record)}\n`);
    await shelfmark(['build', 'page.jsonl'], { cwd });
  });

  it('escapes snippets for HTML when asked, but not the markers', async () => {
    const { stdout } = await shelfmark(['search', 'script', 'lamp', '--html'], { cwd });
    expect(stdout).toContain('Use &lt;<b>script</b> src=&quot;a.js&quot;&gt; &amp; hope; the <b>lamp</b> burns.');
    expect((await shelfmark(['search', 'lamp'], { cwd })).stdout).toContain('<script src="a.js"> & hope');
  });

  it('cuts a query of 10,000 words at the stated limit, says so, and keeps its header short', async () => {
    const words = Array.from({ length: 10_000 }, (_, index) => `word${index}`);
    const { code, stdout, stderr } = await shelfmark(['search', '--match', 'any', 'lamp', ...words], { cwd });
    expect(code).toBe(0);
    expect(stdout.split('\n')[0]).toMatch(/^1 hit \| any \(any word\) of: lamp, word0, .*, word18 and 1004 more \|/);
    expect(stderr).toContain('8,977 words beyond the first 1,024 were not searched for');
    const { stdout: json } = await shelfmark(['search', '--match', 'any', 'lamp', '--json', ...words], { cwd });
    expect(JSON.parse(json)).toMatchObject({ droppedTokens: 8977, hits: [{ uri: 'page' }] });
  });
});
