import { describe, expect, it } from 'vitest';
import { PostingSum } from '../../shards/posting-sum.ts';

type Posting = [term: string, chunk: number, column: string, offset: number];

function sumOf(postings: Iterable<Posting>): { readonly count: number; readonly sum: number } {
  const total = new PostingSum();
  for (const posting of postings) total.add(...posting);
  return { count: total.count, sum: total.sum };
}

describe('the sum of a bag of postings', () => {
  const postings: Posting[] = [
    ['book', 1, 'body', 0],
    ['book', 1, 'body', 1],
    ['shelf', 1, 'title', 0],
    ['book', 70_000, 'heading', 5],
  ];

  it('is the same in any order', () => {
    expect(sumOf(postings.toReversed())).toEqual(sumOf(postings));
  });

  it('is another when anything of a posting is another, or one is missing or twice there', () => {
    const sums = new Set([sumOf(postings).sum]);
    for (const other of [
      ['books', 1, 'body', 0],
      ['book', 2, 'body', 0],
      ['book', 65_537, 'body', 0],
      ['book', 1, 'title', 0],
      ['book', 1, 'body', 2],
    ] as Posting[]) {
      sums.add(sumOf([other, ...postings.slice(1)]).sum);
    }
    sums.add(sumOf(postings.slice(1)).sum);
    sums.add(sumOf([...postings, ...postings.slice(0, 1)]).sum);
    expect(sums.size).toBe(8);
  });

  it('is exact for millions of them', () => {
    // Sums above 2^53 were rounded, each order in its own way: verify --deep called every large shard damaged.
    const count = 5_000_000;
    const [forward, backward] = [new PostingSum(), new PostingSum()];
    for (let index = 0; index < count; index++) forward.add('term', index, 'body', index & 255);
    for (let index = count - 1; index >= 0; index--) backward.add('term', index, 'body', index & 255);
    expect(backward.sum).toBe(forward.sum);
    expect(Number.isSafeInteger(forward.sum)).toBe(true);
  });
});
