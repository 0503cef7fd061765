import { setTimeout as sleep } from 'node:timers/promises';
import { ShelfmarkError } from '../../shards/index.ts';
import { type Embedder, embedderError } from './embedder.ts';

/** How to speak to an endpoint. */
export interface EndpointOptions {
  /** Sent as a bearer token. @default none */
  readonly apiKey?: string;
  /** Milliseconds after which a request is given up, 1 to 3,600,000. @default 60,000 */
  readonly requestTimeoutMs?: number;
  /** How often a request is repeated that failed in a way that may pass, 0 to 20. @default 4 */
  readonly retries?: number;
  /** Milliseconds before the first repetition, 0 to 60,000; each further wait is twice as long. @default 500 */
  readonly retryDelayMs?: number;
}

/** No wait is longer; a server that asks for more is not waited for. */
const longestWaitMs = 300_000;

/** Characters of an error's text that are quoted. */
const quotedCharacters = 300;

/**
 * An embedder behind an OpenAI-compatible `/v1/embeddings` endpoint: Ollama, llama.cpp, vLLM, text-embeddings-inference and
 * the like. Requests that fail by the network, a timeout, status 408, 425, 429 or 5xx are repeated, after as long as `Retry-After`
 * says or else after ever longer waits; our own few lines, since no package for it knows that header.
 * @param url base, with or without `/v1` and `/embeddings`
 * @throws ShelfmarkError SHELFMARK_USAGE when it is no http or https URL.
 */
export function endpointEmbedder(url: string, model: string, options: EndpointOptions = {}): Embedder {
  const { apiKey, requestTimeoutMs = 60_000, retries = 4, retryDelayMs = 500 } = options;
  const endpoint = endpointOf(url);
  const place = `${model} at ${endpoint.origin}${endpoint.pathname}`;
  const request = async (texts: readonly string[], signal: AbortSignal | undefined): Promise<Outcome> => {
    const limit = new AbortController();
    const abort = (): void => limit.abort();
    const timer = setTimeout(abort, requestTimeoutMs);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const response = await fetch(endpoint, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
        },
        body: JSON.stringify({ model, input: texts, encoding_format: 'float' }),
        signal: limit.signal,
      });
      const body = await response.text();
      return response.ok ? { vectors: parseVectors(body, texts.length, place) } : failureOf(response, body);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ShelfmarkError) throw error;
      const problem = limit.signal.aborted ? `no answer in ${requestTimeoutMs} ms` : describeNetworkError(error);
      return { problem, mayPass: true, waitMs: null };
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  };
  return {
    model,
    async embed(texts, signal) {
      for (let attempt = 0; ; attempt++) {
        signal?.throwIfAborted();
        const outcome = await request(texts, signal);
        if ('vectors' in outcome) return outcome.vectors;
        const waitMs = outcome.waitMs ?? spread(Math.min(longestWaitMs, retryDelayMs * 2 ** attempt));
        if (!outcome.mayPass || attempt === retries || waitMs > longestWaitMs) {
          const tries = attempt === 0 ? '' : `, ${attempt + 1} times`;
          throw embedderError(place, `${outcome.problem}${tries}`);
        }
        await sleep(waitMs, undefined, signal === undefined ? {} : { signal }).catch(() => signal?.throwIfAborted());
      }
    },
  };
}

type Outcome =
  | { readonly vectors: readonly ArrayLike<number>[] }
  | { readonly problem: string; readonly mayPass: boolean; readonly waitMs: number | null };

function endpointOf(text: string): URL {
  const usage = (why: string): ShelfmarkError =>
    new ShelfmarkError('SHELFMARK_USAGE', `embedder: ${why}. Expected is a URL such as http://localhost:11434/v1.`);
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) throw usage(`"${text}" is no http or https URL`);
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') throw usage('a URL with a name or password is not used');
  const path = url.pathname.replace(/\/+$/, '');
  if (!path.endsWith('/embeddings')) url.pathname = `${path}${/\/v\d+$/.test(path) ? '' : '/v1'}/embeddings`;
  return url;
}

/** Several clients that failed together should not come back together. */
function spread(ms: number): number {
  return ms * (0.5 + Math.random() / 2);
}

function failureOf(response: Response, body: string): Outcome {
  const { status } = response;
  const said = body.trim().replace(/\s+/g, ' ').slice(0, quotedCharacters);
  const hint = status === 401 || status === 403 ? '; is the key right that it was given (SHELFMARK_EMBEDDER_KEY)?' : '';
  const problem = `the server answered ${status}${said === '' ? '' : ` (${said})`}${hint}`;
  const mayPass = status >= 500 || [408, 425, 429].includes(status);
  return { problem, mayPass, waitMs: mayPass ? retryAfterMs(response) : null };
}

/** What `Retry-After` says, in seconds or as a date. */
function retryAfterMs({ headers }: Response): number | null {
  const value = headers.get('retry-after');
  if (value === null) return null;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}

function describeNetworkError(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { code, message } = cause as { readonly code?: unknown; readonly message?: unknown };
  return `it cannot be reached (${String(code ?? message ?? cause)})`;
}

/** Vectors in the order of the texts: the answer names the number of each. */
function parseVectors(body: string, count: number, place: string): readonly ArrayLike<number>[] {
  const unusable = (why: string, cause?: unknown): ShelfmarkError => embedderError(place, `its answer ${why}`, cause);
  let answer: unknown;
  try {
    answer = JSON.parse(body);
  } catch (error) {
    throw unusable('is not JSON', error);
  }
  const data = (answer as { readonly data?: unknown } | null)?.data;
  if (!Array.isArray(data)) throw unusable('has no list "data"');
  if (data.length !== count) throw unusable(`has ${data.length} vectors for ${count} texts`);
  const vectors = new Array<ArrayLike<number> | null>(count).fill(null);
  for (const [position, item] of data.entries()) {
    const { index = position, embedding } = (item ?? {}) as { readonly index?: unknown; readonly embedding?: unknown };
    if (!Array.isArray(embedding)) throw unusable(`has no list "embedding" in item ${position}`);
    if (!Number.isSafeInteger(index) || vectors[index as number] !== null) {
      throw unusable(`numbers an item ${String(index)}, twice or beyond ${count - 1}`);
    }
    vectors[index as number] = embedding as number[];
  }
  return vectors as ArrayLike<number>[];
}
