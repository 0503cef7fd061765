import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { SealedShard } from '../../../shards/index.ts';
import { encodeQuery, VectorsReader, VectorsWriter, verifyVectorsFile } from '../../../shards/vectors/index.ts';
import { buildShard, copyOf, documentOf, errorOf, flipByte, randomFrom, tempFolder } from '../support.ts';
import { cosine, testKey, testModel, writeVectors } from './support.ts';

const chunks = 1200;
const dimensions = 24;
const random = randomFrom(7);
const vectors = Array.from({ length: chunks }, () =>
  Float32Array.from({ length: dimensions }, () => random(2000) - 1000),
);

let shard: SealedShard;
let file: string;

beforeAll(async () => {
  shard = await buildShard([documentOf(Array.from({ length: chunks }, (_, index) => `text ${index} `))]);
  file = await writeVectors(shard, (chunk) => vectors[chunk - 1]!);
});

const owner = () => ({ shard: shard.id, chunks, key: testKey });

describe('a vectors file', () => {
  it('gives back directions that differ from what was written by less than half a percent', () => {
    const reader = VectorsReader.open(file, owner())!;
    const { stride, blocks } = reader.layout;
    const block = new Uint8Array(512 * (stride + 4));
    for (let at = 0; at < blocks; at++) {
      reader.readBlock(at, block);
      for (let index = 0; index < Math.min(512, chunks - at * 512); index++) {
        const codes = new Int8Array(block.buffer, index * stride, dimensions);
        expect(cosine(codes, vectors[at * 512 + index]!)).toBeGreaterThan(0.9998);
      }
    }
    reader.close();
  });

  it('is not there for a shard that was never embedded', () => {
    expect(VectorsReader.open(join(tempFolder(), 'none.vectors'), owner())).toBeNull();
  });

  it('is refused when any byte of it was changed', () => {
    const { length } = readFileSync(file);
    for (const offset of [0, 17, 19, 21, 60, 200, 5_000, 20_000, length - 1]) {
      const damaged = copyOf(file);
      flipByte(damaged, offset, 1);
      expect(errorOf(() => verifyVectorsFile(damaged, owner())).code).toMatch(/SHELFMARK_(CORRUPT|TOO_NEW)/);
    }
  });

  it('is refused when it was cut off anywhere', () => {
    const { length } = readFileSync(file);
    for (const size of [0, 10, 22, 100, 5_000, length - 1]) {
      const cut = copyOf(file);
      truncateSync(cut, size);
      expect(errorOf(() => VectorsReader.open(cut, owner())).code).toBe('SHELFMARK_CORRUPT');
    }
  });

  it('is refused when it is that of another shard, or of another model', () => {
    for (const other of [{ shard: 's0123456789' }, { chunks: chunks + 1 }, { key: '0123456789' }]) {
      const error = errorOf(() => VectorsReader.open(file, { ...owner(), ...other }));
      expect(error.code).toBe('SHELFMARK_CORRUPT');
      expect(error.message).toContain('expected are');
    }
  });

  it('is refused when two blocks of it changed places', () => {
    const swapped = copyOf(file);
    const bytes = readFileSync(file);
    const reader = VectorsReader.open(file, owner())!;
    const { headBytes, stride } = reader.layout;
    reader.close();
    const size = 512 * (stride + 4) + 8;
    const first = bytes.subarray(headBytes, headBytes + size);
    const second = bytes.subarray(headBytes + size, headBytes + 2 * size);
    writeFileSync(
      swapped,
      Buffer.concat([bytes.subarray(0, headBytes), second, first, bytes.subarray(headBytes + 2 * size)]),
    );
    expect(errorOf(() => verifyVectorsFile(swapped, owner())).message).toContain('damaged in block 0');
  });

  it('comes out the same when it was left at any byte and gone on with', async () => {
    const whole = readFileSync(file);
    for (const size of [0, 30, 300, 14_000, 20_000, 30_000, whole.length - 3, whole.length]) {
      const unfinished = join(tempFolder(), 'a.unfinished');
      // Behind the last whole block anything may stand after a crash.
      writeFileSync(unfinished, Buffer.concat([whole.subarray(0, size), Buffer.alloc(400, 0xaa)]));
      await writeVectors(shard, (chunk) => vectors[chunk - 1]!, unfinished);
      expect(readFileSync(unfinished).equals(whole)).toBe(true);
    }
  });

  it('is begun anew when what is there is of another model', async () => {
    const unfinished = copyOf(file);
    const header = { shard: shard.id, chunks, dimensions, model: { ...testModel, passagePrefix: 'passage: ' } };
    const writer = await VectorsWriter.open(unfinished, header);
    expect(writer.chunks).toBe(0);
    await writer.close();
  });
});

describe('a query', () => {
  it('of zeros has no direction', () => {
    expect(encodeQuery(new Float32Array(5))).toEqual({ numbers: new Int16Array(16), inverseLength: 0 });
  });
});
