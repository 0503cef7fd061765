import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PostingBuffer } from '../../../shards/postings/index.ts';
import { randomFrom } from '../support.ts';
import {
  bodies,
  buildIndex,
  leavesOf,
  lookUp,
  type Row,
  readerOf,
  type Terms,
  type TestIndex,
  termsByFts5,
  termsByWalk,
} from './support.ts';

/** Fails unless the walk and the lookups give what FTS5 gives; returns it. */
function checkAgainstFts5(index: TestIndex): Terms {
  const expected = termsByFts5(index);
  const walked = termsByWalk(index);
  expect([...walked.keys()]).toEqual([...expected.keys()]);
  expect(walked).toEqual(expected);
  const reader = readerOf(index);
  const buffer = new PostingBuffer(1);
  for (const [term, postings] of expected) {
    expect(lookUp(reader, term, buffer), term).toEqual(postings);
    for (const absent of [`${term}0`, `${term}\u{10ffff}`, term.slice(0, -1), `0${term}`]) {
      expect(lookUp(reader, absent, buffer), absent).toEqual(expected.get(absent) ?? null);
    }
  }
  expect(lookUp(reader, '')).toBeNull();
  return expected;
}

const word = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a', 'ab', 'abc', 'abcd', 'abd', 'b', 'ba', 'c++', '0', 'zz') },
  { weight: 2, arbitrary: fc.nat(400).map((number) => `prefix${number}`) },
  { weight: 1, arbitrary: fc.constantFrom('東京', '東京都', 'é', 'été', 'Ω', '𠮷', '𠮷野') },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom('x', 'y'), fc.nat(90)).map(([letter, size]) => letter.repeat(size + 1)),
  },
);
const words = (maxLength: number) => fc.array(word, { maxLength, size: 'max' }).map((list) => list.join(' '));
const row = fc.record({
  title: fc.oneof(fc.constant(''), words(3)),
  heading: fc.oneof(fc.constant(''), words(3)),
  body: fc.oneof({ weight: 5, arbitrary: words(8) }, { weight: 1, arbitrary: words(300) }),
  gap: fc.oneof(
    { weight: 8, arbitrary: fc.constant(1) },
    { weight: 1, arbitrary: fc.integer({ min: 2, max: 70_000 }) },
  ),
});
const rows = fc.array(row, { minLength: 1, maxLength: 300, size: 'max' }).map((list): Row[] => {
  let id = 0;
  return list.map(({ gap, ...texts }) => {
    id += gap;
    return { id, ...texts };
  });
});

describe('the postings of a segment', () => {
  it('are those that FTS5 gives, for any corpus, page size and way of writing', () => {
    const pageSize = fc.oneof(fc.integer({ min: 32, max: 80 }), fc.constantFrom(128, 256, 1000, 4050));
    fc.assert(
      fc.property(rows, pageSize, fc.constantFrom(1, 1, 3), (list, size, transactions) => {
        checkAgainstFts5(buildIndex(list, { pageSize: size, transactions }));
      }),
      { numRuns: 25 },
    );
  });

  it('are found wherever pages end', () => {
    // Ever longer lists move every kind of border over every offset of the pages.
    const random = randomFrom(7);
    const kinds = new Set<string>();
    for (let length = 1; length <= 120; length++) {
      const texts = Array.from({ length }, (_, chunk) =>
        [...Array(1 + (random(4) === 0 ? random(80) : 0)).fill('many'), chunk % 3 === 0 ? 'third' : 'other'].join(' '),
      );
      const index = buildIndex(bodies(...texts), { pageSize: 40 + (length % 30), transactions: 1 + (length % 2) });
      checkAgainstFts5(index);
      for (const { bytes } of leavesOf(index)) {
        const end = bytes.readUInt16BE(2);
        kinds.add(`${bytes.length > end ? 'terms' : 'no terms'}, ${bytes.readUInt16BE(0) > 0 ? 'rowid' : 'no rowid'}`);
        if (bytes.length > end && bytes.readUInt8(end) === 4) kinds.add('list ends with the page before');
      }
    }
    expect([...kinds].sort()).toEqual([
      'list ends with the page before',
      'no terms, no rowid',
      'no terms, rowid',
      'terms, no rowid',
      'terms, rowid',
    ]);
  });

  it('may be a million in one chunk, over very many pages, in two columns', () => {
    const body = 'again '.repeat(1_000_000);
    const title = 'again '.repeat(5000);
    const lone = { id: 1, title: '', heading: '', body: 'again after' };
    const index = buildIndex([lone, { id: 2, title, heading: 'again', body }, { ...lone, id: 3 }]);
    expect(leavesOf(index).length).toBeGreaterThan(200);
    const reader = readerOf(index);
    expect(lookUp(reader, 'again')).toEqual({ chunks: [1, 2, 3], units: [1, 1_025_003, 1], occurrences: 1_005_003 });
    expect(reader.pagesRead).toBe(leavesOf(index).length);
    expect(lookUp(reader, 'after')).toEqual({ chunks: [1, 3], units: [1, 1], occurrences: 2 });
    expect(termsByWalk(index).get('again')).toEqual(lookUp(reader, 'again'));
  });

  it('may be in 70,000 chunks', () => {
    const texts = Array.from({ length: 70_000 }, (_, chunk) => `common ${chunk % 2 === 0 ? 'common even' : 'odd'}`);
    const index = buildIndex(bodies(...texts));
    const expected = termsByFts5(index);
    expect(termsByWalk(index)).toEqual(expected);
    expect(lookUp(readerOf(index), 'common')).toEqual(expected.get('common'));
    expect(expected.get('common')?.chunks.length).toBe(70_000);
  });

  it('may be in chunks with ids of four and five bytes', () => {
    const ids = [1, 127, 16_383, 2_097_151, 2_097_155, 9_000_000, 268_435_456, 2_000_000_000];
    const list = ids.flatMap((id) => [id, id + 1]).map((id) => ({ id, title: '', heading: 'top', body: 'far away' }));
    checkAgainstFts5(buildIndex(list));
    checkAgainstFts5(buildIndex(list, { pageSize: 32 }));
  });

  it('are found under the longest terms there are', () => {
    const long = 'l'.repeat(32_700);
    const index = buildIndex(bodies(`${long} ${long}a b`, `${long}b z`), { pageSize: 4050 });
    expect([...checkAgainstFts5(index).keys()]).toEqual(['b', long, `${long}a`, `${long}b`, 'z']);
  });

  it('are none when the index has no term', () => {
    for (const index of [buildIndex([]), buildIndex(bodies('', ' ? '))]) {
      expect(termsByWalk(index).size).toBe(0);
      expect(lookUp(readerOf(index), 'word')).toBeNull();
    }
  });

  it('of a term inside a page are read with one page', () => {
    const index = buildIndex(bodies('b c d', 'c'));
    const reader = readerOf(index);
    expect(lookUp(reader, 'c')?.chunks).toEqual([1, 2]);
    expect(reader.pagesRead).toBe(1);
    expect(lookUp(reader, 'a')).toBeNull();
    expect(reader.pagesRead).toBe(1);
  });
});
