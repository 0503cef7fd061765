import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { discoverSources, frameSource, SourceError } from '../../../src/sources/index.ts';
import { drain, framesOf, temporaryFile, textsOf } from './support.ts';

async function sourceOf(name: string, content: string | Uint8Array) {
  const path = await temporaryFile(name, content);
  const { sources } = await discoverSources([path]);
  return sources[0]!;
}

test('a small file and a large one are framed alike, from the start and from a byte on', async () => {
  for (const lines of [3, 100_000]) {
    const content = '{"id":1}\n'.repeat(lines);
    const source = await sourceOf('a.jsonl', content);
    expect(textsOf(await framesOf(frameSource(source)))).toHaveLength(lines);
    expect(textsOf(await framesOf(frameSource(source, { start: 9 })))).toHaveLength(lines - 1);
  }
});

test('an empty Markdown file is one empty record', async () => {
  expect(textsOf(await framesOf(frameSource(await sourceOf('a.md', ''))))).toEqual(['']);
});

test('a file that is gone since it was discovered is an error', async () => {
  const source = await sourceOf('a.md', '# Title');
  await rm(join(source.path));
  const { items, error } = await drain(frameSource(source));
  expect(items).toEqual([]);
  expect(error).toBeInstanceOf(SourceError);
});

test('of a truncated gzip file the complete lines are kept, and the error says how far it was clean', async () => {
  const lines = Array.from({ length: 20_000 }, (_, i) => `{"id":${i},"text":"${(i * 7919) % 10_007}"}`);
  const packed = gzipSync(`${lines.join('\n')}\n`);
  const source = await sourceOf('a.jsonl.gz', packed.subarray(0, packed.length - 5000));
  const { items, error } = await drain(frameSource(source));
  const texts = textsOf(items);
  expect(texts.length).toBeGreaterThan(10_000);
  expect(texts).toEqual(lines.slice(0, texts.length));
  expect(error).toMatchObject({ code: 'SHELFMARK_SOURCE', path: source.path, byte: items.at(-1)?.byteEnd });
  expect(items.at(-1)?.rejects[0]?.reason).toMatch(/^incomplete: truncated/);
});

test('a signal stops the framing', async () => {
  const source = await sourceOf('a.md', '# Title');
  const { error } = await drain(frameSource(source, { signal: AbortSignal.abort(new Error('enough')) }));
  expect(error).toMatchObject({ message: 'enough' });
});
