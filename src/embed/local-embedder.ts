import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { ShelfmarkError } from '../../shards/index.ts';
import { type Embedder, embedderError } from './embedder.ts';

/**
 * An embedder that runs a model in this process, from a folder as transformers.js wants it (`config.json`, `tokenizer.json`,
 * `onnx/model.onnx` or `onnx/model_quantized.onnx`). Nothing is ever downloaded. How the vectors of tokens become one is read
 * from `1_Pooling/config.json` where the folder has it; else it is their mean.
 * @throws ShelfmarkError SHELFMARK_NOT_FOUND when the folder is no model, SHELFMARK_USAGE when the optional package
 * `@huggingface/transformers` is not installed, SHELFMARK_EMBEDDER when it cannot load the model.
 */
export async function localEmbedder(folder: string): Promise<Embedder> {
  const root = resolve(folder);
  const model = basename(root);
  const dtype = existsSync(join(root, 'onnx/model.onnx')) ? 'fp32' : 'q8';
  if (
    !existsSync(join(root, 'config.json')) ||
    (dtype === 'q8' && !existsSync(join(root, 'onnx/model_quantized.onnx')))
  ) {
    const message = `${root} is no folder of a model: it needs config.json, and onnx/model.onnx or onnx/model_quantized.onnx.`;
    throw new ShelfmarkError('SHELFMARK_NOT_FOUND', message, { folder: root });
  }
  const pooling = await poolingOf(root);
  const { env, pipeline } = await loadTransformers();
  env.allowRemoteModels = false;
  env.allowLocalModels = true;
  env.localModelPath = dirname(root);
  const extract = await pipeline('feature-extraction', model, { local_files_only: true, dtype }).catch(
    (error: unknown) => {
      throw embedderError(root, `the model cannot be loaded (${String(error)})`, error);
    },
  );
  return {
    model,
    async embed(texts, signal) {
      signal?.throwIfAborted();
      const { dims, data } = await extract(texts, { pooling, normalize: true });
      const dimensions = dims.at(-1)!;
      return texts.map((_, index) => data.slice(index * dimensions, (index + 1) * dimensions));
    },
  };
}

async function loadTransformers(): Promise<typeof import('@huggingface/transformers')> {
  try {
    return await import('@huggingface/transformers');
  } catch (error) {
    throw new ShelfmarkError(
      'SHELFMARK_USAGE',
      'A model in a folder needs the package @huggingface/transformers, which cannot be loaded. Install it beside shelfmark ("npm install @huggingface/transformers"), or give the URL of an endpoint.',
      {},
      error,
    );
  }
}

async function poolingOf(root: string): Promise<'mean' | 'cls'> {
  const file = join(root, '1_Pooling/config.json');
  if (!existsSync(file)) return 'mean';
  const config = JSON.parse(await readFile(file, 'utf8')) as { readonly pooling_mode_cls_token?: unknown };
  return config.pooling_mode_cls_token === true ? 'cls' : 'mean';
}
