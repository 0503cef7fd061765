import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { embedChecked } from '../../../src/embed/embedder.ts';
import { openEmbedder } from '../../../src/embed/open-embedder.ts';
import { cosine } from '../../shards/vectors/support.ts';
import { temporaryFolder } from '../cli/command-line.ts';
import { shelfmarkError } from '../support.ts';
import { writeTinyModel } from './tiny-model.ts';

const folder = temporaryFolder();

/** Whether the optional package is there; a clone does without. */
const isInstalled = ((): boolean => {
  try {
    createRequire(import.meta.url).resolve('@huggingface/transformers');
    return true;
  } catch {
    return false;
  }
})();

describe('a model in a folder', () => {
  it.skipIf(isInstalled)('needs an optional package, which the message names', async () => {
    const model = writeTinyModel(join(folder, 'tiny'));
    const { message } = await shelfmarkError(openEmbedder(model), 'SHELFMARK_USAGE');
    expect(message).toContain('npm install @huggingface/transformers');
  });

  it.skipIf(!isInstalled)('embeds without a network', async () => {
    const embedder = await openEmbedder(writeTinyModel(join(folder, 'tiny')));
    expect(embedder.model).toBe('tiny');
    const [lamp, light, otter] = await embedChecked(embedder, ['the lamp', 'a light', 'an otter in a river'], 4);
    expect(cosine(lamp!, light!)).toBeGreaterThan(cosine(lamp!, otter!));
  });

  it('is none without its files', async () => {
    const { message } = await shelfmarkError(openEmbedder(folder), 'SHELFMARK_NOT_FOUND');
    expect(message).toContain('config.json');
  });
});
