import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { hashEmbedder } from '../../../src/embed/hash-embedder.ts';

/** A request as the server got it. */
export interface EmbeddingRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: { readonly model: string; readonly input: readonly string[] };
}

/** What a server does with a request; `answer` gives the right vectors. */
export type Behaviour = (response: ServerResponse, answer: () => void, request: EmbeddingRequest) => void;

/** An embeddings server on this machine. */
export interface EmbeddingServer {
  readonly url: string;
  readonly requests: readonly EmbeddingRequest[];
  close(): Promise<void>;
}

/**
 * Starts a real HTTP server that embeds as the hash embedder does, numbers its answers, and gives them in reverse order. It is
 * closed when the test is over.
 * @param behave decides about each request; answers rightly unless told otherwise
 */
export async function startEmbeddingServer(behave: Behaviour = (_, answer) => answer()): Promise<EmbeddingServer> {
  const requests: EmbeddingRequest[] = [];
  const server = createServer(async (incoming, response) => {
    let text = '';
    for await (const part of incoming.setEncoding('utf8')) text += part;
    const request = { path: incoming.url ?? '', headers: incoming.headers, body: JSON.parse(text) };
    requests.push(request);
    const vectors = await hashEmbedder().embed(request.body.input);
    const data = vectors.map((vector, index) => ({ object: 'embedding', index, embedding: Array.from(vector) }));
    behave(response, () => answerJson(response, 200, { object: 'list', data: data.reverse() }), request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(close);
  return { url: `http://127.0.0.1:${port}`, requests, close };
}

/** Answers with JSON. */
export function answerJson(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
