import { mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { adoptParts } from '../../../src/index.ts';
import { temporaryFolder } from '../sources/support.ts';
import { build, shelfmarkError, withCorpus, writeJsonl } from '../support.ts';

async function source(): Promise<{ folder: string; sources: string[] }> {
  const folder = await temporaryFolder();
  return { folder, sources: [await writeJsonl(join(folder, 'a.jsonl'), [{ _id: 'a', text: 'heron' }])] };
}

describe('a folder that is no corpus', () => {
  test('is left alone by build and adopt when it holds anything', async () => {
    // A stranger's folder called building was once deleted with all in it.
    const { folder, sources } = await source();
    const project = join(folder, 'project');
    const thesis = join(project, 'building', 'thesis.tex');
    await mkdir(join(project, 'building'), { recursive: true });
    await writeFile(thesis, 'precious');
    const error = await shelfmarkError(build({ sources, corpus: project }), 'SHELFMARK_USAGE');
    expect(error.message).toContain('it is no corpus, and it holds building');
    const part = join(folder, 'part');
    await build({ sources, corpus: part });
    await shelfmarkError(adoptParts(project, [part]), 'SHELFMARK_USAGE');
    expect(await readFile(thesis, 'utf8')).toBe('precious');
  });

  test('that is a file, or has no name, is refused', async () => {
    const { sources } = await source();
    await shelfmarkError(build({ sources, corpus: sources[0]! }), 'SHELFMARK_USAGE');
    await shelfmarkError(build({ sources, corpus: '' }), 'SHELFMARK_USAGE');
  });

  test('keeps its shards when only its catalog is gone or empty', async () => {
    // The next build once took every sealed shard for rubbish.
    const { folder, sources } = await source();
    const corpus = join(folder, 'corpus');
    await build({ sources, corpus });
    const shards = await readdir(join(corpus, 'shards'));
    await truncate(join(corpus, 'catalog.db'), 0);
    const error = await shelfmarkError(build({ sources, corpus }), 'SHELFMARK_CORRUPT');
    expect(error.message).toContain('its catalog.db is missing or empty');
    await rm(join(corpus, 'catalog.db'));
    await shelfmarkError(build({ sources, corpus }), 'SHELFMARK_CORRUPT');
    expect(await readdir(join(corpus, 'shards'))).toEqual(shards);
  });
});

describe('a source that becomes again what it was', () => {
  test('gives the shard that is there already', async () => {
    // It once ended in a duplicate shard name, on every run.
    const { folder } = await source();
    const corpus = join(folder, 'corpus');
    const texts = ['version one', 'version two', 'version one', 'version two'];
    for (const [round, text] of texts.entries()) {
      const sources = [await writeJsonl(join(folder, 'v.jsonl'), [{ _id: 'v', text }])];
      expect(await build({ sources, corpus })).toMatchObject({ indexed: 1, newShards: round < 2 ? 1 : 0 });
      await withCorpus(corpus, async (open) => {
        const { hits } = await open.search('version', { text: true });
        expect(hits.map((hit) => hit.text)).toEqual([text]);
        expect(await open.verify({ deep: true })).toMatchObject({ ok: true });
      });
    }
  });
});
