import type { Options } from 'yargs';

/** Flags that name an embedder, for `embed`, `search` and `batch`. */
export const embedderFlags = {
  embedder: {
    type: 'string',
    requiresArg: true,
    defaultDescription: '$SHELFMARK_EMBEDDER',
    describe: 'URL of an OpenAI-compatible endpoint (key: $SHELFMARK_EMBEDDER_KEY), path of a model, or hash',
  },
  model: { type: 'string', requiresArg: true, describe: 'Name of the model that an endpoint is asked for' },
} as const satisfies Record<string, Options>;

/** The embedder that was named on the command line or in the environment; an empty variable names none. */
export function embedderPlace(typed: string | undefined): string | undefined {
  return typed ?? (process.env.SHELFMARK_EMBEDDER || undefined);
}
