import { describe, expect, it } from 'vitest';
import { CorruptError } from '../../../shards/errors.ts';
import { SHARD_SCHEMA } from '../../../shards/format.ts';
import { readSegment, type Segment, segmentCount } from '../../../shards/postings/index.ts';
import { errorOf } from '../support.ts';
import { bodies, buildIndex, replaceBlock, type TestIndex, termsByFts5, termsByWalk } from './support.ts';

const structureRow = 10;

function read(index: TestIndex): Segment | null {
  return readSegment(index.database, index.file);
}

function recordOf({ database }: TestIndex): Buffer {
  return database.prepare<[number], Buffer>('SELECT block FROM fts_data WHERE id = ?').pluck().get(structureRow)!;
}

/** An index whose structure record is the given bytes behind the configuration cookie. */
function withStructure(...bytes: readonly number[]): TestIndex {
  const index = buildIndex(bodies('a'));
  replaceBlock(index, structureRow, Buffer.from([0, 0, 0, 0, ...bytes]));
  return index;
}

const version2 = [0xff, 0, 0, 1];

describe('the structure record', () => {
  it('names the only segment of a sealed index', () => {
    expect(read(buildIndex(bodies('a b', 'c')))).toEqual({ segmentId: 1, firstLeaf: 1, lastLeaf: 1 });
    const merged = buildIndex(bodies('a b', 'c', 'd e f'), { transactions: 3, pageSize: 32 });
    expect(read(merged)).toMatchObject({ firstLeaf: 1, lastLeaf: expect.any(Number) });
    expect(segmentCount(merged.database)).toBe(1);
  });

  it('names no segment when the index has no term', () => {
    const index = buildIndex([]);
    expect(read(index)).toBeNull();
    expect(segmentCount(index.database)).toBe(0);
  });

  it('refuses an index that was not merged into one segment', () => {
    const index = buildIndex(bodies('a', 'b', 'c'), { transactions: 3, merge: false });
    expect(segmentCount(index.database)).toBe(3);
    const error = errorOf(() => read(index));
    expect(error).toBeInstanceOf(CorruptError);
    expect(error.facts.detail).toBe('the index has 3 segments, sealing leaves one; rebuild the shard');
  });

  it('is read in its second version, which FTS5 writes for tables with contentless_delete', () => {
    const schema = SHARD_SCHEMA.replace("content='',", "content='', contentless_delete=1,").replace(
      'columnsize=0',
      'columnsize=1',
    );
    const rows = bodies('a b', 'b c', 'c d', 'd e');
    const index = buildIndex(rows, { schema, transactions: 2 });
    expect(recordOf(index).subarray(4, 8)).toEqual(Buffer.from(version2));
    expect(read(index)).toMatchObject({ firstLeaf: 1, lastLeaf: 1 });
    expect(termsByWalk(index)).toEqual(termsByFts5(index));
    expect(segmentCount(buildIndex([], { schema }).database)).toBe(0);
  });

  it('is read with origin counters of 64 bits', () => {
    const origin = Array(9).fill(0xff);
    const index = withStructure(
      ...version2,
      1,
      1,
      ...origin,
      0,
      1,
      3,
      1,
      0x81,
      0,
      ...origin,
      ...origin,
      0,
      0,
      ...origin,
    );
    expect(read(index)).toEqual({ segmentId: 3, firstLeaf: 1, lastLeaf: 128 });
  });

  it('refuses a segment with tombstones, which hide postings', () => {
    const schema = SHARD_SCHEMA.replace("content='',", "content='', contentless_delete=1,").replace(
      'columnsize=0',
      'columnsize=1',
    );
    const index = buildIndex(bodies('a', 'b', 'c'), { schema });
    index.database.exec('DELETE FROM fts WHERE rowid = 2');
    expect(() => read(index)).toThrow(/is not one that FTS5 writes/);
  });

  it.each<[what: string, bytes: number[]]>([
    ['nothing behind its cookie', []],
    ['fewer segments than it counts', [1, 2, 0, 0, 1, 1, 1, 1]],
    ['more segments than it counts', [1, 1, 0, 0, 2, 1, 1, 1, 2, 1, 1]],
    ['fewer levels than it counts', [2, 1, 0, 0, 1, 1, 1, 1]],
    ['more segments in a merge than there are', [1, 1, 0, 2, 1, 1, 1, 1]],
    ['millions of levels', [0xff, 0xff, 0xff, 0x7f, 1, 0, 0, 1, 1, 1, 1]],
    ['millions of segments', [1, 0xff, 0xff, 0xff, 0x7f, 0, 0, 0xff, 0xff, 0xff, 0x7f, 1, 1, 1]],
    ['a segment without a number', [1, 1, 0, 0, 1, 0, 1, 1]],
    ['a segment that ends before it begins', [1, 1, 0, 0, 1, 1, 1, 0]],
    ['a segment without a first leaf', [1, 1, 0, 0, 1, 1, 0, 1]],
    ['a leaf number above 31 bits', [1, 1, 0, 0, 1, 1, 1, 0xff, 0xff, 0xff, 0xff, 0x7f]],
    ['a varint that is not whole', [1, 1, 0, 0, 1, 1, 1, 0xff]],
    ['bytes at its end', [1, 1, 0, 0, 1, 1, 1, 1, 0]],
    ['a second version without its counters', [...version2, 1, 1, 0, 0, 1, 1, 1, 1]],
  ])('is refused with %s', (_, bytes) => {
    const error = errorOf(() => read(withStructure(...bytes)));
    expect(error).toBeInstanceOf(CorruptError);
    expect(error.facts.detail).toBe('its structure record is not one that FTS5 writes; rebuild the shard');
  });

  it('is refused when its segment does not begin with the first leaf', () => {
    expect(() => read(withStructure(1, 1, 0, 0, 1, 1, 2, 3))).toThrow(/begins with leaf 2, expected 1/);
  });

  it('is refused when it is missing', () => {
    const index = buildIndex(bodies('a'));
    index.database.exec(`DELETE FROM fts_data WHERE id = ${structureRow}`);
    expect(() => read(index)).toThrow(/has no structure record/);
    expect(() => segmentCount(index.database)).toThrow(CorruptError);
  });

  it('gives a typed error or a sane segment when any of its bytes is another', () => {
    const index = buildIndex(bodies('a', 'b', 'c'), { transactions: 3 });
    const record = recordOf(index);
    for (let at = 0; at < record.length; at++) {
      for (let value = 0; value < 256; value++) {
        const damaged = Buffer.from(record);
        damaged[at] = value;
        replaceBlock(index, structureRow, damaged);
        try {
          const segment = read(index);
          expect(segment === null || segment.lastLeaf >= 1).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(CorruptError);
        }
      }
    }
  });
});
