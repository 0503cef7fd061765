import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CorruptError, ShelfmarkError } from '../../../shards/errors.ts';
import {
  LeafDirectory,
  PostingBuffer,
  readSegment,
  SegmentReader,
  walkSegment,
} from '../../../shards/postings/index.ts';
import { openReadOnly } from '../../../shards/sqlite.ts';
import { errorOf, randomFrom } from '../support.ts';
import {
  bodies,
  buildIndex,
  columnUnits,
  directoryOf,
  leavesOf,
  lookUp,
  type Row,
  readerOf,
  replaceBlock,
  type Terms,
  type TestIndex,
  termsByFts5,
  termsByWalk,
} from './support.ts';

function someRows(random: (below: number) => number): Row[] {
  const words = ['a', 'ab', 'abc', 'common', 'rare', 'tail', '東京', 'common', 'common'];
  const text = (length: number) => Array.from({ length }, () => `${words[random(words.length)]}`).join(' ');
  return Array.from({ length: 150 }, (_, chunk) => ({
    id: chunk + 1,
    title: text(random(3)),
    heading: text(random(2)),
    body: `${text(random(chunk % 40 === 0 ? 200 : 6))} w${random(80)}`,
  }));
}

/** Fails unless a walk ends with terms or with an error of ours; says which. */
function walkSafely(index: TestIndex, message: string): boolean {
  try {
    termsByWalk(index);
    return true;
  } catch (error) {
    expect(error, message).toBeInstanceOf(ShelfmarkError);
    return false;
  }
}

/** Fails unless every lookup gives the right answer or an error of ours; returns the number of errors. */
function lookUpSafely(reader: SegmentReader, expected: Terms, message: string): number {
  let errors = 0;
  const buffer = new PostingBuffer(8);
  for (const [term, postings] of [...expected, ['absent', null] as const]) {
    try {
      expect(lookUp(reader, term, buffer), `${message}, term ${term}`).toEqual(postings);
    } catch (error) {
      if (!(error instanceof ShelfmarkError)) throw error;
      errors++;
    }
  }
  return errors;
}

describe('a damaged index', () => {
  const seed = 20_261;
  const rows = someRows(randomFrom(seed));

  it.each([32, 60, 256, 4050])('with pages of %i bytes gives a typed error or the right answer', (pageSize) => {
    const random = randomFrom(seed + pageSize);
    const index = buildIndex(rows, { pageSize, transactions: 1 + (pageSize % 3) });
    const expected = termsByFts5(index);
    const directory = directoryOf(index);
    const leaves = leavesOf(index);
    let refused = 0;
    for (let run = 0; run < 100; run++) {
      const leaf = leaves[random(leaves.length)]!;
      const bytes = Buffer.from(leaf.bytes);
      // Header and footer bytes steer everything else, so every second change is to one of them.
      const end = bytes.readUInt16BE(2);
      const at = run % 2 === 0 ? random(bytes.length) : [random(4), Math.min(end, bytes.length - 1)][random(2)]!;
      bytes[at] = bytes[at]! ^ (1 + random(255));
      replaceBlock(index, leaf.row, bytes);
      const message = `seed ${seed}, page size ${pageSize}, run ${run}, row ${leaf.row}, byte ${at} = ${bytes[at]}`;
      if (!walkSafely(index, message)) refused++;
      expect(lookUpSafely(readerOf(index, directory), expected, message), message).toBeGreaterThan(0);
      replaceBlock(index, leaf.row, leaf.bytes);
    }
    expect(refused).toBeGreaterThan(20);
    expect(termsByWalk(index)).toEqual(expected);
  });

  it('with whole pages of noise, cut, or in the place of another gives a typed error', () => {
    const random = randomFrom(seed + 1);
    const index = buildIndex(rows, { pageSize: 100 });
    const expected = termsByFts5(index);
    const directory = directoryOf(index);
    const leaves = leavesOf(index);
    for (let run = 0; run < 200; run++) {
      const { row, bytes } = leaves[random(leaves.length)]!;
      const noise = Buffer.from(Array.from({ length: random(120) }, () => random(run % 2 === 0 ? 256 : 8)));
      const header = Buffer.from([0, random(8), 0, random(noise.length + 8)]);
      const other = leaves[random(leaves.length)]!.bytes;
      const damaged = [Buffer.concat([header, noise]), bytes.subarray(0, random(bytes.length)), other][run % 3]!;
      replaceBlock(index, row, damaged);
      const message = `seed ${seed + 1}, run ${run}, row ${row}, bytes ${damaged.toString('hex')}`;
      walkSafely(index, message);
      const errors = lookUpSafely(readerOf(index, directory), expected, message);
      if (!damaged.equals(bytes)) expect(errors, message).toBeGreaterThan(0);
      replaceBlock(index, row, bytes);
    }
  });

  it('with any byte of its file changed gives a typed error or the right answer', () => {
    const random = randomFrom(seed + 2);
    const index = buildIndex(rows, { pageSize: 200 });
    const expected = termsByFts5(index);
    const directory = directoryOf(index);
    const sound = readFileSync(index.file);
    const file = `${index.file}.damaged`;
    copyFileSync(index.file, file);
    for (let run = 0; run < 200; run++) {
      const bytes = Buffer.from(sound);
      const at = random(bytes.length);
      bytes[at] = bytes[at]! ^ (1 + random(255));
      writeFileSync(file, bytes);
      const message = `seed ${seed + 2}, run ${run}, byte ${at} = ${bytes[at]}`;
      expectTypedErrors(file, directory, index.chunkCount, expected, message);
    }
  });

  it('is refused when a page is missing or no blob', () => {
    const index = buildIndex(rows, { pageSize: 64 });
    const directory = directoryOf(index);
    const { row } = leavesOf(index)[3]!;
    index.database.prepare('UPDATE fts_data SET block = ? WHERE id = ?').run('text', row);
    expect(errorOf(() => termsByWalk(index)).facts).toMatchObject({ part: 'its index (page 4)' });
    index.database.prepare('DELETE FROM fts_data WHERE id = ?').run(row);
    expect(errorOf(() => termsByWalk(index))).toBeInstanceOf(CorruptError);
    const failed = [...termsByFts5(buildIndex(rows)).keys()].filter((term) => {
      try {
        return lookUp(readerOf(index, directory), term) === null;
      } catch (error) {
        return error instanceof CorruptError;
      }
    });
    expect(failed.length).toBeGreaterThan(0);
  });

  it('is refused when its directory is that of another', () => {
    const index = buildIndex(rows, { pageSize: 64 });
    const other = directoryOf(buildIndex(rows.slice(1), { pageSize: 64 }));
    expect(errorOf(() => readerOf(index, directoryOf(buildIndex(bodies('a'))))).message).toMatch(
      /has \d+ pages, its directory 1/,
    );
    expect(errorOf(() => readerOf(buildIndex([]), other))).toBeInstanceOf(CorruptError);
  });

  it('is refused when it names a chunk that the shard does not have', () => {
    const index = buildIndex(bodies('a', 'b', 'a'));
    const damaged = { ...index, chunkCount: 2 };
    expect(errorOf(() => termsByWalk(damaged)).message).toMatch(/rowid 3 .* is not one of 2/);
    expect(errorOf(() => lookUp(readerOf(damaged, directoryOf(index)), 'a'))).toBeInstanceOf(CorruptError);
  });

  it('is refused when a posting is marked as deleted', () => {
    const index = { ...buildIndex([]), chunkCount: 9 };
    index.database.transaction(() => {
      index.database.exec("INSERT INTO fts(rowid, title, heading, body) VALUES(1, '', '', 'a b')");
      index.database.exec("INSERT INTO fts(fts, rowid, title, heading, body) VALUES('delete', 2, '', '', 'b')");
    })();
    expect(errorOf(() => termsByWalk(index)).message).toMatch(/the posting before byte \d+ is empty or deleted/);
  });

  it('leaves an error of the visitor as it is', () => {
    const { database, file, chunkCount } = buildIndex(bodies('a'));
    const own = new Error('stop');
    const fail = () => {
      throw own;
    };
    expect(() => walkSegment(database, file, chunkCount, columnUnits, { leaf: () => {}, term: fail })).toThrow(own);
    expect(() => walkSegment(database, file, chunkCount, columnUnits, { leaf: fail, term: () => {} })).toThrow(own);
  });
});

function expectTypedErrors(
  file: string,
  directory: Buffer,
  chunkCount: number,
  expected: Terms,
  message: string,
): void {
  let database: ReturnType<typeof openReadOnly> | undefined;
  try {
    database = openReadOnly(file);
    const index = { file, database, chunkCount };
    walkSafely(index, message);
    const segment = readSegment(database, file);
    const reader = new SegmentReader(file, database, segment, LeafDirectory.decode(file, directory), chunkCount);
    lookUpSafely(reader, expected, message);
  } catch (error) {
    if (!(error instanceof ShelfmarkError)) throw error;
  } finally {
    database?.close();
  }
}
