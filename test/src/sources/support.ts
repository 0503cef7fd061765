import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Frame } from '../../../src/sources/index.ts';

/** A new folder that is gone when the test is. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'shelfmark-sources-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A file of that content in a folder of its own. */
export async function temporaryFile(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(await temporaryFolder(), name);
  await writeFile(path, content);
  return path;
}

/** The bytes cut into chunks of the given sizes, over and over. */
export async function* chunked(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes.length === 0 ? bytes.length : sizes[i % sizes.length]!;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

/** Chunks that break off with an error. */
export async function* breaking(chunks: AsyncIterable<Buffer>, error: Error): AsyncGenerator<Buffer> {
  yield* chunks;
  throw error;
}

/** Everything an iterable gave, and the error it ended with. */
export interface Drained<T> {
  readonly items: readonly T[];
  readonly error: unknown;
}

export async function drain<T>(items: AsyncIterable<T>): Promise<Drained<T>> {
  const got: T[] = [];
  try {
    for await (const item of items) got.push(item);
  } catch (error) {
    return { items: got, error };
  }
  return { items: got, error: undefined };
}

/** All frames; throws what framing throws. */
export async function framesOf(frames: AsyncIterable<Frame>): Promise<readonly Frame[]> {
  const { items, error } = await drain(frames);
  if (error !== undefined) throw error;
  return items;
}

/** The text of each record. */
export function textsOf(frames: readonly Frame[]): string[] {
  return rangesOf(frames).map(({ text }) => text);
}

/** Each record's range in the source and its bytes as latin1. */
export function rangesOf(frames: readonly Frame[]): { start: number; end: number; text: string }[] {
  return frames.flatMap(({ bytes, byteStart, records }) =>
    Array.from({ length: records.length / 2 }, (_, i) => {
      const [from, to] = [records[2 * i]!, records[2 * i + 1]!];
      return { start: byteStart + from, end: byteStart + to, text: bytes.subarray(from, to).toString('latin1') };
    }),
  );
}
