import { ShelfmarkError } from '../../shards/index.ts';
import type { Embedder } from './embedder.ts';
import type { EndpointOptions } from './endpoint-embedder.ts';
import { hashEmbedder } from './hash-embedder.ts';

/** Which model to open, and how to reach it. */
export interface EmbedderOptions extends EndpointOptions {
  /** The model that an endpoint is asked for; needed there. @default none */
  readonly model?: string;
}

/**
 * Opens an embedder by name: `hash`, the URL of an OpenAI-compatible endpoint, or the path of a model's folder. Unless an
 * `apiKey` is given, an endpoint gets `$SHELFMARK_EMBEDDER_KEY`, if that is set.
 * @throws ShelfmarkError SHELFMARK_USAGE when something is missing for it; see also `localEmbedder`.
 */
export async function openEmbedder(place: string, options: EmbedderOptions = {}): Promise<Embedder> {
  if (place === 'hash') return hashEmbedder();
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(place)) {
    const { model, ...endpoint } = options;
    if (model === undefined || model === '') {
      throw new ShelfmarkError(
        'SHELFMARK_USAGE',
        'model: an endpoint needs the name of the model, such as nomic-embed-text.',
        {
          option: 'model',
        },
      );
    }
    const { endpointEmbedder } = await import('./endpoint-embedder.ts');
    const apiKey = options.apiKey ?? process.env.SHELFMARK_EMBEDDER_KEY;
    return endpointEmbedder(place, model, { ...endpoint, ...(apiKey ? { apiKey } : {}) });
  }
  const { localEmbedder } = await import('./local-embedder.ts');
  return await localEmbedder(place);
}
