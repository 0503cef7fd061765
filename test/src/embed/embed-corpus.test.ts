import { statfsSync } from 'node:fs';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { adoptParts } from '../../../src/build/adopt-parts.ts';
import { Catalog } from '../../../src/catalog.ts';
import { embedCorpus } from '../../../src/embed/embed-corpus.ts';
import type { EmbedOptions, EmbedProgress } from '../../../src/embed/embed-options.ts';
import type { Embedder } from '../../../src/embed/embedder.ts';
import { findEmbeddings } from '../../../src/embed/find-embeddings.ts';
import { hashEmbedder } from '../../../src/embed/hash-embedder.ts';
import { flipByte } from '../../shards/support.ts';
import { bin, start, temporaryFolder } from '../cli/command-line.ts';
import {
  build,
  failureOf,
  randomNumbers,
  randomWords,
  shelfmarkError,
  smallDisk,
  withCorpus,
  writeJsonl,
} from '../support.ts';
import { answerJson, startEmbeddingServer } from './embedding-server.ts';

const folder = temporaryFolder();
const source = join(folder, 'records.jsonl');
const original = join(folder, 'corpus');
let chunks = 0;

beforeAll(async () => {
  const random = randomNumbers(3);
  const records = Array.from({ length: 1500 }, (_, index) => ({
    _id: `r${index}`,
    title: `Record ${index}`,
    text: randomWords(random, 20),
  }));
  await writeJsonl(source, records);
  await build({ sources: [source], corpus: original, shardBytes: 160_000 });
  chunks = await withCorpus(original, async (corpus) => corpus.stats().chunks);
});

let copies = 0;

/** A copy of the corpus, to be embedded. */
async function copyOfCorpus(): Promise<string> {
  const copy = join(folder, `copy${copies++}`);
  await cp(original, copy, { recursive: true });
  return copy;
}

function embed(corpus: string, changes: Partial<EmbedOptions> = {}) {
  return embedCorpus({ corpus, embedder: hashEmbedder(), ...changes });
}

/** Bytes of all vectors files by name, finished or not. */
async function vectorsOf(corpus: string): Promise<Record<string, string>> {
  const names = (await readdir(join(corpus, 'shards'))).filter((name) => name.includes('.vectors')).sort();
  const contents = names.map(async (name) => [name, await readFile(join(corpus, 'shards', name), 'base64')] as const);
  return Object.fromEntries(await Promise.all(contents));
}

function embeddingsOf(corpus: string) {
  const catalog = Catalog.openReadOnly(corpus);
  const found = findEmbeddings(corpus, catalog.shards()).embeddings;
  catalog.close();
  return found;
}

/** Bytes that are free on a disk. */
function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

describe('embedding a corpus', () => {
  it('gives every shard a file with what it was made with', async () => {
    const corpus = await copyOfCorpus();
    const seen: EmbedProgress[] = [];
    const report = await embed(corpus, {
      queryPrefix: 'query: ',
      passagePrefix: 'passage: ',
      maxCharacters: 300,
      onProgress: (progress) => seen.push(progress),
    });
    expect(report).toMatchObject({ model: 'hash-256', dimensions: 256, shards: 2, chunks, embedded: chunks, kept: 0 });
    expect(embeddingsOf(corpus)).toMatchObject([
      {
        model: { name: 'hash-256', queryPrefix: 'query: ', passagePrefix: 'passage: ', maxCharacters: 300 },
        key: report.key,
        dimensions: 256,
        bytes: report.bytes,
      },
    ]);
    expect(embeddingsOf(corpus)[0]!.shards).toHaveLength(2);
    expect(seen.at(-1)).toMatchObject({ done: chunks, total: chunks, embedded: chunks });
  });

  it('embeds title, heading path and text, cut and prefixed', async () => {
    const notes = join(folder, 'notes.md');
    await writeFile(notes, '# Guide\n\n## Badgers\n\n### Food\n\nThe badger eats.\n');
    const corpus = join(folder, 'notes');
    await build({ sources: [notes], corpus });
    const texts: string[] = [];
    const listening: Embedder = {
      model: 'listening',
      embed: async (batch) => {
        texts.push(...batch);
        return batch.map(() => [1, 2]);
      },
    };
    await embed(corpus, { embedder: listening, passagePrefix: 'passage: ' });
    expect(texts.at(-1)).toBe('passage: Guide\nGuide > Badgers > Food\nThe badger eats.');
    texts.length = 0;
    await embed(corpus, { embedder: listening, maxCharacters: 10 });
    expect(texts.at(-1)).toBe('Guide\nGuid');
  });

  it('has nothing to do the second time, and asks nobody', async () => {
    const corpus = await copyOfCorpus();
    await embed(corpus);
    const before = await vectorsOf(corpus);
    const gone: Embedder = { model: 'hash-256', embed: () => Promise.reject(new Error('it is gone')) };
    expect(await embed(corpus, { embedder: gone })).toMatchObject({ embedded: 0, kept: chunks, dimensions: 256 });
    expect(await vectorsOf(corpus)).toEqual(before);
  });

  it('keeps the vectors of shards that a build left alone, and removes those of shards that are gone', async () => {
    const corpus = await copyOfCorpus();
    await embed(corpus);
    const before = Object.keys(await vectorsOf(corpus));
    const stray = join(corpus, 'shards', 's0123456789.0123456789.vectors');
    await writeFile(stray, 'rubbish');
    await writeFile(`${stray}.unfinished`, 'rubbish');
    const more = await writeJsonl(join(folder, 'more.jsonl'), [{ _id: 'new', text: 'a new lantern' }]);
    await build({ sources: [source, more], corpus });
    expect(Object.keys(await vectorsOf(corpus))).toEqual(before);
    expect(await embed(corpus)).toMatchObject({ shards: 3, embedded: 1, kept: chunks });
  });

  it('writes a damaged file anew', async () => {
    const corpus = await copyOfCorpus();
    await embed(corpus);
    const before = await vectorsOf(corpus);
    flipByte(join(corpus, 'shards', Object.keys(before)[0]!), 40);
    await embed(corpus);
    expect(await vectorsOf(corpus)).toEqual(before);
  });

  it('refuses vectors of other dimensions than those that are there', async () => {
    const corpus = await copyOfCorpus();
    const small: Embedder = { model: 'hash-256', embed: async (texts) => texts.map(() => [1, 2, 3]) };
    const stopped = new AbortController();
    const onProgress = ({ embedded }: EmbedProgress): void => {
      if (embedded > 600) stopped.abort(new Error('enough'));
    };
    await failureOf(embed(corpus, { signal: stopped.signal, onProgress }));
    const { message } = await shelfmarkError(embed(corpus, { embedder: small }), 'SHELFMARK_EMBEDDER');
    expect(message).toContain('gives 3 dimensions, and what was embedded before has 256');
  });

  it('lets nobody else embed meanwhile', async () => {
    const corpus = await copyOfCorpus();
    let second: Promise<unknown> | undefined;
    const slow: Embedder = {
      model: 'hash-256',
      embed: async (texts) => {
        second ??= shelfmarkError(embed(corpus), 'SHELFMARK_BUSY');
        await second;
        return await hashEmbedder().embed(texts);
      },
    };
    await embed(corpus, { embedder: slow });
    expect(second).toBeDefined();
  });

  it('needs a corpus', async () => {
    await shelfmarkError(embed(join(folder, 'nowhere')), 'SHELFMARK_NOT_FOUND');
  });
});

describe('embedding that was cut short', () => {
  it('goes on after SIGKILL and ends with the same files', { timeout: 120_000 }, async () => {
    const unbroken = await copyOfCorpus();
    const corpus = await copyOfCorpus();
    let killAfter = Number.POSITIVE_INFINITY;
    let kill: (() => void) | undefined;
    const server = await startEmbeddingServer((_, answer) => {
      if (server.requests.length >= killAfter) kill?.();
      else answer();
    });
    const run = async (path: string) => {
      const args = ['embed', '-c', path, '--embedder', server.url, '--model', 'small', '--json'];
      const running = start(process.execPath, [bin, ...args], { cwd: folder });
      kill = () => running.kill('SIGKILL');
      return await running.ended;
    };
    expect((await run(unbroken)).code).toBe(0);
    // Within the first block, within the second, and within another shard.
    for (const requests of [5, 25, 30]) {
      killAfter = server.requests.length + requests;
      expect((await run(corpus)).code).toBeNull();
    }
    killAfter = Number.POSITIVE_INFINITY;
    const last = await run(corpus);
    const { embedded, kept } = JSON.parse(last.stdout) as { embedded: number; kept: number };
    expect(kept).toBeGreaterThanOrEqual(512);
    expect(embedded + kept).toBe(chunks);
    expect(await vectorsOf(corpus)).toEqual(await vectorsOf(unbroken));
  });

  it('keeps what is done when the embedder fails, and goes on when it is there again', async () => {
    const corpus = await copyOfCorpus();
    let isDown = false;
    const server = await startEmbeddingServer((response, answer) => {
      isDown ||= server.requests.length === 30;
      if (isDown) answerJson(response, 400, { error: 'down' });
      else answer();
    });
    const embedder = {
      model: 'small',
      embed: async (texts: readonly string[], signal?: AbortSignal) => {
        const { endpointEmbedder } = await import('../../../src/embed/endpoint-embedder.ts');
        return await endpointEmbedder(server.url, 'small').embed(texts, signal);
      },
    };
    await shelfmarkError(embed(corpus, { embedder }), 'SHELFMARK_EMBEDDER');
    isDown = false;
    expect((await embed(corpus, { embedder })).kept).toBeGreaterThanOrEqual(512);
  });
});

describe('embedding onto a disk that is full', () => {
  it('says so, and goes on when there is room', async (context) => {
    const disk = await smallDisk(folder, '64m');
    if (disk === undefined) return context.skip('mounting a tmpfs needs root');
    const corpus = join(disk.path, 'corpus');
    await cp(original, corpus, { recursive: true });
    await writeFile(join(disk.path, 'ballast'), Buffer.alloc(freeBytes(disk.path) - 200_000));
    const { message } = await shelfmarkError(embed(corpus), 'SHELFMARK_IO');
    expect(message).toContain('disk is full');
    expect(message).toContain('Vectors written so far are kept');
    await rm(join(disk.path, 'ballast'));
    await embed(corpus);
    const unbroken = await copyOfCorpus();
    await embed(unbroken);
    expect(await vectorsOf(corpus)).toEqual(await vectorsOf(unbroken));
  });
});

describe('adopting a corpus', () => {
  it('brings its vectors along, and later those that were made since', async () => {
    const part = await copyOfCorpus();
    await embed(part);
    const joined = join(folder, 'joined');
    await adoptParts(joined, [part]);
    expect(await vectorsOf(joined)).toEqual(await vectorsOf(part));
    await embed(part, { passagePrefix: 'passage: ' });
    await adoptParts(joined, [part]);
    expect(Object.keys(await vectorsOf(joined))).toHaveLength(4);
    expect(await embed(joined, { passagePrefix: 'passage: ' })).toMatchObject({ embedded: 0, kept: chunks });
  });
});

describe('verify', () => {
  it('checks vectors, and says where they are damaged', async () => {
    const corpus = await copyOfCorpus();
    await embed(corpus);
    const [name] = Object.keys(await vectorsOf(corpus)) as [string];
    const sound = await withCorpus(corpus, (opened) => opened.verify());
    expect(sound).toMatchObject({ ok: true, strays: [] });
    expect(sound.shards[0]!.parts.at(-1)).toMatchObject({ name: 'vectors', status: 'ok' });
    flipByte(join(corpus, 'shards', name), 50_000);
    const damaged = await withCorpus(corpus, (opened) => opened.verify());
    expect(damaged.ok).toBe(false);
    const parts = damaged.shards.flatMap((shard) => shard.parts).filter(({ status }) => status === 'damaged');
    expect(parts).toHaveLength(1);
    expect(parts[0]!.detail).toContain(`${name} is damaged in block`);
  });
});
