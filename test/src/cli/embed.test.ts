import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { escapeTrecId } from '../../../src/batch/trec.ts';
import type { EmbedReport, SearchAnswer } from '../../../src/index.ts';
import { startEmbeddingServer } from '../embed/embedding-server.ts';
import { jsonLines } from '../support.ts';
import { type Run, shelfmark, temporaryFolder } from './command-line.ts';
import { writeSources } from './fixture.ts';

const cwd = temporaryFolder();
let report: EmbedReport;

function run(args: readonly string[], env: Record<string, string> = {}): Promise<Run> {
  return shelfmark(args, { cwd, env });
}

beforeAll(async () => {
  writeSources(cwd);
  await run(['build', 'notes', 'records.jsonl', '-c', 'corpus']);
  const { stdout } = await run(['embed', '-c', 'corpus', '--embedder', 'hash', '--json']);
  report = JSON.parse(stdout) as EmbedReport;
});

describe('shelfmark embed', () => {
  it('says what it did', async () => {
    expect(report).toMatchObject({ model: 'hash-256', dimensions: 256, kept: 0 });
    const { code, stdout } = await run(['embed', '-c', 'corpus'], { SHELFMARK_EMBEDDER: 'hash' });
    expect(code).toBe(0);
    expect(stdout).toContain('hash-256');
    expect(stdout).toMatch(/embedded +0/);
  });

  it('needs to be told with what', async () => {
    const { code, stderr } = await run(['embed', '-c', 'corpus']);
    expect(code).toBe(2);
    expect(stderr).toContain('--embedder');
  });

  it('ends with 8 when the embedder cannot be reached', async () => {
    const server = await startEmbeddingServer();
    await server.close();
    const args = ['search', 'badger', '-c', 'embedded', '--retriever', 'vector', '--embedder', server.url];
    await run(['build', 'notes', '-c', 'embedded']);
    const again = await startEmbeddingServer();
    expect((await run(['embed', '-c', 'embedded', '--embedder', again.url, '--model', 'small'])).code).toBe(0);
    const { code, stderr } = await run(args);
    expect(code).toBe(8);
    expect(stderr).toContain('cannot be reached');
  });

  it('gives the key of the environment to the endpoint, and to nobody else', async () => {
    const server = await startEmbeddingServer();
    const args = ['embed', '-c', 'corpus', '--embedder', server.url, '--model', 'keyed', '--json'];
    const { code, stdout, stderr } = await run(args, { SHELFMARK_EMBEDDER_KEY: 'sesame' });
    expect(code).toBe(0);
    expect(server.requests.every(({ headers }) => headers.authorization === 'Bearer sesame')).toBe(true);
    expect(stdout + stderr).not.toContain('sesame');
    const { key } = JSON.parse(stdout) as EmbedReport;
    const shards = join(cwd, 'corpus', 'shards');
    const files = readdirSync(shards).filter((name) => name.includes(key));
    expect(files).toHaveLength(1);
    for (const file of files) {
      expect(readFileSync(join(shards, file), 'latin1')).not.toContain('sesame');
      rmSync(join(shards, file));
    }
  });

  it('shows in stats and verify', async () => {
    expect((await run(['stats', '-c', 'corpus'])).stdout).toContain('hash-256, 256 dimensions, 1 of 1 shard');
    expect(JSON.parse((await run(['stats', '-c', 'corpus', '--json'])).stdout)).toMatchObject({
      embeddings: [{ model: { name: 'hash-256' }, dimensions: 256 }],
    });
    const { code, stdout } = await run(['verify', '-c', 'corpus']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/vectors +ok +\d+ vectors of 256 dimensions by hash-256/);
  });
});

describe.each(['vector', 'hybrid'])('shelfmark search --retriever %s', (retriever) => {
  const args = ['search', 'badgers', '-c', 'corpus', '--retriever', retriever, '--match', 'any'];

  it('gives the same hits as text and as JSON, and names the model', async () => {
    const text = await run(args);
    const { hits, retrieval } = JSON.parse((await run([...args, '--json'])).stdout) as SearchAnswer;
    expect(text.code).toBe(0);
    expect(text.stderr).toBe('');
    expect(hits.length).toBeGreaterThan(0);
    expect(retrieval).toEqual({ retriever, model: 'hash-256', note: null });
    expect(text.stdout).toContain('by hash-256');
    const shown = [...text.stdout.matchAll(/\| (s[0-9a-f]{10}\/\d+\/\d+) \|/g)].map(([, shelfmark]) => shelfmark);
    expect(shown).toEqual(hits.map(({ shelfmark }) => shelfmark));
  });

  it('goes into runs and answers of a batch', async () => {
    const options = ['-c', 'corpus', '--retriever', retriever, '--match', 'any', '-n', '3'];
    expect((await run(['batch', 'queries.tsv', ...options, '-o', `${retriever}.trec`])).code).toBe(0);
    expect(
      (await run(['batch', 'queries.tsv', ...options, '-o', `${retriever}.jsonl`, '--format', 'jsonl'])).code,
    ).toBe(0);
    const lines = readFileSync(join(cwd, `${retriever}.trec`), 'utf8')
      .trim()
      .split('\n');
    const answers = jsonLines(readFileSync(join(cwd, `${retriever}.jsonl`), 'utf8')) as (SearchAnswer & {
      id: string;
    })[];
    const ranked = answers.flatMap(({ id, hits }) => hits.map(({ uri, rank }) => `${id} ${escapeTrecId(uri)} ${rank}`));
    expect(lines.map((line) => line.split(' ')).map(([id, , uri, rank]) => `${id} ${uri} ${rank}`)).toEqual(ranked);
    expect(ranked.length).toBeGreaterThan(3);
  });
});

describe('shelfmark search --retriever hybrid without embeddings', () => {
  it('answers by words and warns', async () => {
    await run(['build', 'notes', '-c', 'bare']);
    const options = ['badger', '-c', 'bare', '--jsonl'];
    const lexical = await run(['search', ...options]);
    const hybrid = await run(['search', ...options, '--retriever', 'hybrid']);
    expect(hybrid.code).toBe(0);
    expect(hybrid.stdout).toBe(lexical.stdout);
    expect(hybrid.stderr).toContain('warning: The corpus has no embeddings. The hits are those of words alone.');
  });
});
