import { describe, expect, it } from 'vitest';
import { CorruptError } from '../../../shards/errors.ts';
import { errorOf } from '../support.ts';
import { bodies, buildIndex, leavesOf, replaceBlock, type TestIndex, termsByWalk } from './support.ts';

interface HandMadePage {
  /** bytes between header and footer; texts are terms */
  readonly content: readonly (number | string)[];
  readonly footer: readonly number[];
  readonly rowid?: number;
  /** where the header says that the content ends, when that is not true */
  readonly end?: number;
}

/** An index of up to 1000 chunks whose leaves are made by hand. */
function indexOf(pages: readonly HandMadePage[]): TestIndex {
  const texts = Array.from({ length: pages.length }, (_, page) => `t${page} `.repeat(30));
  const index = { ...buildIndex(bodies(...texts), { pageSize: 32 }), chunkCount: 1000 };
  const leaves = leavesOf(index);
  const record = index.database.prepare('SELECT block FROM fts_data WHERE id = 10').pluck().get() as Buffer;
  record[record.length - 1] = pages.length;
  replaceBlock(index, 10, record);
  for (const [number, page] of pages.entries()) replaceBlock(index, leaves[number]!.row, bytesOf(page));
  return index;
}

function bytesOf({ content, footer, rowid = 0, end }: HandMadePage): Buffer {
  const body = Buffer.concat(content.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.of(part))));
  const bytes = Buffer.concat([Buffer.alloc(4), body, Buffer.from(footer)]);
  bytes.writeUInt16BE(rowid, 0);
  bytes.writeUInt16BE(end ?? 4 + body.length, 2);
  return bytes;
}

/** One page with one term, "a", and this doclist. */
function doclist(...bytes: readonly number[]): HandMadePage[] {
  return [{ content: [2, '0a', ...bytes], footer: [4] }];
}

/** A page without a term behind one that begins the doclist of "a". */
function goesOn(first: readonly number[], next: readonly number[], rowid = 0): HandMadePage[] {
  return [...doclist(...first), { content: [...next], footer: [], rowid }];
}

describe('the grammar of a leaf page', () => {
  it('is that of pages made by hand', () => {
    // Title, heading and body; a position of two bytes; a second rowid of two bytes.
    const page = doclist(7, 20, 2, 5, 1, 1, 3, 1, 2, 0x81, 0x01, 2, 0x81, 0x00, 2, 9);
    expect(Object.fromEntries(termsByWalk(indexOf(page)))).toEqual({
      a: { chunks: [7, 135], units: [15, 5], occurrences: 6 },
    });
  });

  it('lets a list be cut anywhere between its varints', () => {
    const poslist = [2, 1, 1, 2, 0x82, 0x03, 1, 2, 3, 4];
    const whole = termsByWalk(indexOf(doclist(7, 20, ...poslist, 1, 2, 9)));
    for (const cut of [0, 1, 2, 3, 4, 6, 7, 8, 9, 10]) {
      const pages = goesOn([7, 20, ...poslist.slice(0, cut)], [...poslist.slice(cut), 8, 2, 9], 14 - cut);
      expect(termsByWalk(indexOf(pages)), `cut at ${cut}`).toEqual(whole);
    }
  });

  it('lets the offset of the first rowid be behind the first term, where it says nothing', () => {
    const pages = [...doclist(7, 2, 5), { content: [2, '0b', 7, 2, 5], footer: [4], rowid: 7 }];
    expect([...termsByWalk(indexOf(pages)).keys()]).toEqual(['a', 'b']);
  });

  it('lets the first rowid of a term be on the next page', () => {
    expect(termsByWalk(indexOf(goesOn([], [7, 2, 5], 4))).get('a')?.chunks).toEqual([7]);
  });

  const term = [2, '0a', 7, 2, 5] as const;
  it.each<[what: string, pages: HandMadePage[], detail: RegExp]>([
    ['no content', [{ content: [], footer: [] }], /it has 4 bytes/],
    ['content that ends in the header', [{ content: [...term], footer: [4], end: 3 }], /content ends at byte 3 of 11/],
    ['content that ends behind the page', [{ content: [...term], footer: [4], end: 12 }], /ends at byte 12 of 11/],
    ['a rowid in the header', [{ content: [...term], footer: [4], rowid: 2 }], /first rowid is at byte 2 of 10/],
    ['a rowid in the footer', [{ content: [...term], footer: [4], rowid: 10 }], /first rowid is at byte 10 of 10/],
    ['a term in the header', [{ content: [...term], footer: [3] }], /term 1 begins at byte 3 of 10/],
    ['a term in the footer', [{ content: [...term], footer: [10] }], /term 1 begins at byte 10 of 10/],
    ['a term twice in the footer', [{ content: [...term], footer: [4, 0] }], /term 2 begins at byte 4 of 10/],
    ['a footer that is cut', [{ content: [...term], footer: [0x80] }], /a number runs past byte 11/],
    ['no term on the first page', [{ content: [...term], footer: [] }], /first page does not begin with a term/],
    ['a term behind other bytes', [{ content: [9, ...term], footer: [5] }], /first page does not begin with a term/],
    ['a term that is cut', [{ content: [9, '0a', 7, 2, 5], footer: [4] }], /term 1 is longer than its bytes/],
    ['a term of another index', [{ content: [2, '1a', 7, 2, 5], footer: [4] }], /term 1 is not of the main index/],
    ['an empty term', [{ content: [1, '0', 7, 2, 5], footer: [4] }], /term 1 is not of the main index/],
    ['a term without bytes', [{ content: [0, 7, 2, 5], footer: [4] }], /term 1 is not greater/],
    ['a term twice', [{ content: [...term, 2, 0, 7, 2, 5], footer: [4, 6] }], /term 2 is not greater/],
    ['a lesser term', [{ content: [2, '0b', 7, 2, 5, 1, 1, 'a', 7, 2, 5], footer: [4, 6] }], /term 2 is not greater/],
    ['a term with bytes of none', [{ content: [...term, 3, 1, 'a', 7, 2, 5], footer: [4, 6] }], /term 2 is longer/],
    ['a term without postings', [{ content: [2, '0a'], footer: [4] }], /a term has no postings/],
    [
      'a term without postings in the middle',
      [{ content: [2, '0a', 1, 1, 'b', 7, 2, 5], footer: [4, 3] }],
      /no postings/,
    ],
    ['a chunk 0', doclist(0, 2, 5), /rowid 0 .* is not one of 1000/],
    ['a chunk twice', doclist(7, 2, 5, 0, 2, 5), /rowid 7 .* is not one of 1000/],
    ['a chunk behind the last', doclist(0x87, 0x69, 2, 5), /rowid 1001 .* is not one of 1000/],
    ['a rowid without positions', doclist(7), /the posting at byte 7 has no positions/],
    ['a rowid of two bytes without positions', doclist(0x81, 0), /the posting before byte 9 has no positions/],
    ['a rowid above 31 bits', doclist(0x90, 0x80, 0x80, 0x80, 0, 2, 5), /the number before byte 12 is too large/],
    ['a rowid of six bytes', doclist(0x80, 0x80, 0x80, 0x80, 0x80, 1, 2, 5), /before byte 12 is too large/],
    ['an empty list', doclist(7, 0), /the posting before byte 9 is empty or deleted/],
    ['a deleted posting', doclist(7, 3, 5), /the posting before byte 9 is empty or deleted/],
    ['a list longer than the index', doclist(7, 4, 5), /goes on for 1 bytes, more than the index has/],
    [
      'a list over the next term',
      [{ content: [2, '0a', 7, 4, 5, 1, 1, 'b'], footer: [4, 6] }],
      /over the term at byte 10/,
    ],
    ['a position 0', doclist(7, 2, 0), /there is no position at byte 9/],
    ['a position that is cut', doclist(7, 2, 0x81), /a number runs past byte 10/],
    ['a body without a position', doclist(7, 4, 1, 2), /there is no position at byte 9/],
    ['a body with position 0', doclist(7, 6, 1, 2, 0), /there is no position at byte 11/],
    ['a body with a cut position', doclist(7, 8, 1, 2, 5, 0x81), /a number runs past byte 13/],
    ['a column behind the body', doclist(7, 12, 1, 2, 5, 1, 3, 5), /there is no column 3 at byte 13/],
    ['a column 0 behind a mark', doclist(7, 6, 1, 0, 5), /there is no column 0 at byte 10/],
    ['a column twice', doclist(7, 12, 1, 1, 5, 1, 1, 5), /there is no column 1 at byte 13/],
    ['a column without a position', doclist(7, 12, 1, 1, 1, 2, 5, 5), /there is no position at byte 11/],
    ['a mark at the end', doclist(7, 4, 5, 1), /there is no position at byte 10/],
    ['a list that never ends', goesOn([7, 20, 5], [5, 5, 5]), /lacks its last 6 bytes/],
    ['a list that ends within a column', goesOn([7, 6, 5], [1, 2]), /list of positions of rowid 7 ends too early/],
    ['a mark without a column', goesOn([7, 4, 5], [1]), /list of positions of rowid 7 ends too early/],
    ['a column twice, over pages', goesOn([7, 14, 1, 1, 5], [1, 1, 5, 5]), /there is no column 1 at byte 5/],
    ['a position 0, over pages', goesOn([7, 4, 5], [0]), /there is no position at byte 4/],
    ['an empty column, over pages', goesOn([7, 12, 1, 1], [1, 2, 5, 5]), /there is no position at byte 4/],
    ['a cut position, over pages', goesOn([7, 6, 5], [5, 0x81]), /a number runs past byte 6/],
    ['a rowid the header is silent about', goesOn([7, 2, 5], [8, 2, 5]), /rowid is at byte 0, expected 4/],
    ['a rowid elsewhere than the header says', goesOn([7, 4, 5], [5, 8, 2, 5], 4), /rowid is at byte 4, expected 5/],
    [
      'a rowid where the header says but nothing is',
      goesOn([7, 4, 5], [5, 8], 5),
      /the posting at byte 5 has no positions/,
    ],
    ['a rowid that does not rise over pages', goesOn([7, 2, 5], [7, 2, 5], 4), /not greater than the one before/],
    [
      'a list over the first term of the next page',
      [...doclist(7, 10, 5), { content: [5, 2, '0b', 7, 2, 5], footer: [5] }],
      /a list of positions runs over the term at byte 5/,
    ],
    [
      'a first term on the next page that is not greater',
      [...doclist(7, 2, 5), { content: [2, '0a', 7, 2, 5], footer: [4] }],
      /term 1 is not greater than the term before/,
    ],
  ])('does not allow %s', (_, pages, detail) => {
    const error = errorOf(() => termsByWalk(indexOf(pages)));
    expect(error).toBeInstanceOf(CorruptError);
    expect(error.facts.part).toBe(`its index (page ${pages.length})`);
    expect(error.facts.detail).toMatch(detail);
  });
});
