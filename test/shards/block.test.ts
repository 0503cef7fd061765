import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BlockDecoder, BlockEncoder, type BlockEntry, type BlockRow } from '../../shards/block.ts';
import { type ChunkId, type DocumentId, MAX_BLOCK_RAW_BYTES } from '../../shards/format.ts';
import { VarintReader, VarintWriter } from '../../shards/varint.ts';
import { errorOf } from './support.ts';

function entryOf(text: string, heading = ''): BlockEntry {
  return {
    document: 7 as DocumentId,
    textStart: 5,
    heading: Buffer.from(heading),
    leadBytes: 0,
    text: Buffer.from(text),
  };
}

function encode(first: number, ...entries: readonly BlockEntry[]): BlockRow {
  return new BlockEncoder(3).encode(first as ChunkId, entries);
}

function damaged(row: BlockRow, change: Partial<BlockRow>): string {
  const error = errorOf(() => new BlockDecoder('a.shard').decode({ ...row, ...change }));
  expect(error).toMatchObject({ code: 'SHELFMARK_CORRUPT', facts: { file: 'a.shard' } });
  return error.message;
}

describe('a varint', () => {
  it('is read as it was written, for every count there can be', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.maxSafeNat(), fc.nat(300))), (values) => {
        const writer = new VarintWriter();
        for (const value of values) writer.add(value);
        const reader = new VarintReader(writer.toBuffer());
        expect(values.map(() => reader.next())).toEqual(values);
        expect(reader.position).toBe(writer.toBuffer().length);
        expect(() => reader.next()).toThrow(RangeError);
      }),
    );
  });

  it('that does not end is refused', () => {
    expect(() => new VarintReader(Buffer.alloc(20, 0xff)).next()).toThrow(RangeError);
    expect(() => new VarintReader(Buffer.from([0x80])).next()).toThrow(RangeError);
  });
});

describe('a block', () => {
  const row = encode(12, entryOf('first'), entryOf('second', 'a\u001fb'), entryOf(''));

  it('gives its chunks back', () => {
    const chunks = new BlockDecoder('a.shard').decode(row);
    expect(chunks.map(({ chunk }) => chunk)).toEqual([12, 13, 14]);
    expect(chunks.map(({ body }) => body)).toEqual(['first', 'second', '']);
    expect(chunks.map(({ heading }) => heading)).toEqual([[], ['a', 'b'], []]);
  });

  it('is refused under another id or with another count: its text would be passed off as another chunk', () => {
    expect(damaged(row, { id: 13 })).toContain('holds chunks 12+3, its row says 13+3');
    expect(damaged(row, { chunk_count: 2 })).toContain('its row says 12+2');
  });

  it('is refused with another raw length, before any memory is taken for it', () => {
    expect(damaged(row, { raw_length: row.raw_length + 1 })).toContain('zstd frame says');
    expect(damaged(row, { raw_length: -1 })).toContain('out of range');
    expect(damaged(row, { raw_length: MAX_BLOCK_RAW_BYTES + 1 })).toContain('out of range');
  });

  it('is refused when it is cut, followed by something, empty, or not there', () => {
    damaged(row, { data: row.data.subarray(0, -1) });
    damaged(row, { data: Buffer.concat([row.data, Buffer.of(0)]) });
    damaged(row, { data: Buffer.alloc(0) });
    damaged(row, { data: null as unknown as Buffer });
  });

  it('is refused when any bit of it is another, and the next block is none the worse', () => {
    const decoder = new BlockDecoder('a.shard');
    const sound = decoder.decode(row);
    for (let bit = 0; bit < row.data.length * 8; bit++) {
      const data = Buffer.from(row.data);
      data.writeUInt8(data.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      let decoded: unknown = sound;
      try {
        decoded = decoder.decode({ ...row, data });
      } catch (error) {
        expect(error).toMatchObject({ code: 'SHELFMARK_CORRUPT' });
      }
      expect(decoded, `bit ${bit}`).toEqual(sound);
      expect(decoder.decode(row)).toEqual(sound);
    }
  });
});
