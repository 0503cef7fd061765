import { describe, expect, it } from 'vitest';
import { embedChecked } from '../../../src/embed/embedder.ts';
import { type EndpointOptions, endpointEmbedder } from '../../../src/embed/endpoint-embedder.ts';
import { hashEmbedder } from '../../../src/embed/hash-embedder.ts';
import { openEmbedder } from '../../../src/embed/open-embedder.ts';
import { failureOf, shelfmarkError } from '../support.ts';
import { answerJson, type Behaviour, startEmbeddingServer } from './embedding-server.ts';

const texts = ['the harbour at night', 'copper', 'a lantern'];

/** Embeds the texts with a server that behaves so. */
async function embed(behave: Behaviour, options: EndpointOptions = {}) {
  const server = await startEmbeddingServer(behave);
  const embedder = endpointEmbedder(server.url, 'small', { retryDelayMs: 1, ...options });
  return { server, vectors: embedChecked(embedder, texts, null) };
}

/** Behaves badly the first times, then well. */
function failing(times: number, fail: Behaviour): Behaviour {
  let failures = 0;
  return (response, answer, request) => (failures++ < times ? fail(response, answer, request) : answer());
}

describe('an endpoint', () => {
  it('is asked as OpenAI has it, and its vectors come in the order of the texts', async () => {
    const { server, vectors } = await embed((_, answer) => answer(), { apiKey: 'secret' });
    expect(await vectors).toEqual((await hashEmbedder().embed(texts)).map((vector) => Array.from(vector)));
    expect(server.requests).toHaveLength(1);
    const [{ path, headers, body }] = server.requests as [(typeof server.requests)[number]];
    expect(path).toBe('/v1/embeddings');
    expect(headers.authorization).toBe('Bearer secret');
    expect(body).toMatchObject({ model: 'small', input: texts });
  });

  it.each(['', '/', '/v1', '/v1/', '/v1/embeddings'])('is found at a base URL that ends with "%s"', async (end) => {
    const server = await startEmbeddingServer();
    await (await openEmbedder(`${server.url}${end}`, { model: 'small' })).embed(texts);
    expect(server.requests[0]!.path).toBe('/v1/embeddings');
  });

  it('is asked again after 429, 503 and a broken connection', async () => {
    const troubles: Behaviour[] = [
      (response) => answerJson(response, 429, { error: 'slow down' }),
      (response) => answerJson(response, 503, {}),
      (response) => response.destroy(),
    ];
    const { server, vectors } = await embed((response, answer, request) => {
      const trouble = troubles.shift();
      if (trouble === undefined) answer();
      else trouble(response, answer, request);
    });
    expect(await vectors).toHaveLength(3);
    expect(server.requests).toHaveLength(4);
  });

  it('is left as much time as it asks for', async () => {
    const at: number[] = [];
    const { vectors } = await embed((response, answer) => {
      at.push(performance.now());
      if (at.length === 1) answerJson(response, 429, {}, { 'retry-after': '1' });
      else answer();
    });
    await vectors;
    expect(at[1]! - at[0]!).toBeGreaterThanOrEqual(990);
  });

  it('is not waited for when it asks for an hour', async () => {
    const { server, vectors } = await embed((response) => answerJson(response, 429, {}, { 'retry-after': '3600' }));
    await shelfmarkError(vectors, 'SHELFMARK_EMBEDDER');
    expect(server.requests).toHaveLength(1);
  });

  it('is given up after as many tries as were asked for', async () => {
    const { server, vectors } = await embed((response) => answerJson(response, 500, { error: 'out of memory' }), {
      retries: 2,
    });
    const { message } = await shelfmarkError(vectors, 'SHELFMARK_EMBEDDER');
    expect(message).toContain('500 ({"error":"out of memory"}), 3 times');
    expect(server.requests).toHaveLength(3);
  });

  it('is given up when it does not answer in time', async () => {
    const { vectors } = await embed(() => {}, { requestTimeoutMs: 50, retries: 1 });
    expect((await shelfmarkError(vectors, 'SHELFMARK_EMBEDDER')).message).toContain('no answer in 50 ms, 2 times');
  });

  it('that is not there is named, with the reason', async () => {
    const server = await startEmbeddingServer();
    await server.close();
    const embedder = endpointEmbedder(server.url, 'small', { retries: 0 });
    const { message } = await shelfmarkError(embedder.embed(texts), 'SHELFMARK_EMBEDDER');
    expect(message).toContain(`small at ${server.url}/v1/embeddings`);
    expect(message).toContain('ECONNREFUSED');
  });

  it.each([
    [401, 'SHELFMARK_EMBEDDER_KEY'],
    [404, 'model not found'],
  ])('that answers %i is not asked again, and the message says %s', async (status, said) => {
    const { server, vectors } = await embed((response) => answerJson(response, status, { error: 'model not found' }), {
      apiKey: 'secret',
    });
    const { message } = await shelfmarkError(vectors, 'SHELFMARK_EMBEDDER');
    expect(message).toContain(said);
    expect(message).not.toContain('secret');
    expect(server.requests).toHaveLength(1);
  });

  const item = (index: number, embedding: unknown) => ({ index, embedding });
  it.each([
    ['fewer vectors than texts', { data: [item(0, [1]), item(1, [1])] }, '2 vectors for 3 texts'],
    ['a number twice', { data: [item(0, [1]), item(1, [1]), item(1, [1])] }, 'numbers an item 1, twice'],
    ['a number too high', { data: [item(0, [1]), item(1, [1]), item(3, [1])] }, 'numbers an item 3'],
    ['vectors of different lengths', { data: [item(0, [1, 2]), item(1, [1]), item(2, [1, 2])] }, 'of 1 dimensions'],
    ['too large a number', { data: [item(0, [1]), item(1, [1e39]), item(2, [1])] }, 'component 0 of a vector is 1e+39'],
    ['what is no number', { data: [item(0, [1]), item(1, [null]), item(2, [1])] }, 'component 0 of a vector is null'],
    ['no vectors', { data: [item(0, 'AAAA'), item(1, ''), item(2, '')] }, 'no list "embedding"'],
    ['vectors of no dimensions', { data: [item(0, []), item(1, []), item(2, [])] }, '0 dimensions'],
    ['no data', { error: 'none' }, 'no list "data"'],
  ])('that gives %s is found out', async (_, answer, said) => {
    const { vectors } = await embed((response) => answerJson(response, 200, answer));
    expect((await shelfmarkError(vectors, 'SHELFMARK_EMBEDDER')).message).toContain(said);
  });

  it('that gives something else than JSON is found out', async () => {
    const { vectors } = await embed((response) => response.end('<html>'));
    expect((await shelfmarkError(vectors, 'SHELFMARK_EMBEDDER')).message).toContain('not JSON');
  });

  it('is left at once when the caller has lost interest, also while it is waited for', async () => {
    const server = await startEmbeddingServer(failing(9, (response) => answerJson(response, 503, {})));
    const embedder = endpointEmbedder(server.url, 'small', { retryDelayMs: 60_000 });
    const controller = new AbortController();
    const reason = new Error('enough');
    const running = failureOf(embedder.embed(texts, controller.signal));
    setTimeout(() => controller.abort(reason), 50);
    expect(await running).toBe(reason);
  });
});

describe('an embedder by name', () => {
  it('needs a model for an endpoint', async () => {
    await shelfmarkError(openEmbedder('http://localhost:1'), 'SHELFMARK_USAGE');
  });

  it.each(['ftp://host/', 'http://user:word@host/'])('is not %s', async (url) => {
    await shelfmarkError(openEmbedder(url, { model: 'small' }), 'SHELFMARK_USAGE');
  });
});
