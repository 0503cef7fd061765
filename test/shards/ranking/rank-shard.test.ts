import { beforeAll, describe, expect, it } from 'vitest';
import type { SealedShard } from '../../../shards/index.ts';
import { buildShard, documentOf, documentsOf, reopen } from '../support.ts';
import { ask, placesOf, rank } from './support.ts';

describe('the hits of a shard', () => {
  it('that tie at the last place are chosen by uri, then by ordinal, however many there are', async () => {
    const uris = Array.from({ length: 700 }, (_, index) => `u${String((index * 37) % 700).padStart(3, '0')}`);
    const sealed = await buildShard(uris.map((uri) => documentOf(['same words ', 'same words '], { uri })));
    reopen(sealed.file, (reader) => {
      const chunks = rank(reader, ask('same'), { k: 5 });
      expect(placesOf(reader, chunks)).toEqual(['u000/1', 'u000/2', 'u001/1', 'u001/2', 'u002/1']);
      const documents = rank(reader, ask('same'), { k: 3, by: 'document' });
      expect(placesOf(reader, documents)).toEqual(['u000/1', 'u001/1', 'u002/1']);
    });
  });

  it('are all there are when fewer than k match, and none when nothing does', async () => {
    const sealed = await buildShard(documentsOf('red shelf', 'blue shelf', 'a book'));
    reopen(sealed.file, (reader) => {
      expect(rank(reader, ask('shelf'), { k: 10_000 })).toHaveLength(2);
      expect(rank(reader, ask('shelf red'))).toHaveLength(1);
      expect(rank(reader, ask('absent'))).toEqual([]);
      expect(rank(reader, ask('absent book'))).toEqual([]);
      expect(rank(reader, ask('absent book', 'or'))).toHaveLength(1);
    });
  });

  it('are none in a shard without any word', async () => {
    const sealed = await buildShard(documentsOf('', '?!'));
    reopen(sealed.file, (reader) => {
      for (const mode of ['and', 'or'] as const) expect(rank(reader, ask('word', mode))).toEqual([]);
    });
  });

  it('are found by words of title and heading too, which count for more than words of the body', async () => {
    const sealed = await buildShard([
      documentOf('loans of books', { uri: 'body' }),
      documentOf('body of text', { uri: 'heading', heading: ['Loans'] }),
      documentOf('body of text', { uri: 'title', title: 'Loans' }),
    ]);
    reopen(sealed.file, (reader) => {
      // Title and heading make a chunk longer by one token, which counts against them, but less.
      expect(placesOf(reader, rank(reader, ask('loan')))).toEqual(['title/1', 'heading/1', 'body/1']);
    });
  });

  it('are found by terms that look like operators', async () => {
    const sealed = await buildShard(documentsOf('NOT AND OR NEAR', 'C++ and .NET', 'C#'));
    reopen(sealed.file, (reader) => {
      const found = (text: string): number[] => rank(reader, ask(text)).map(({ chunk }) => chunk);
      expect(found('NOT')).toEqual([1]);
      expect(found('NEAR OR')).toEqual([1]);
      expect(found('C++')).toEqual([2]);
      expect(found('.NET')).toEqual([2]);
      expect(found('"*^ C#')).toEqual([3]);
    });
  });

  it('come out for a query of 10,000 words', async () => {
    const sealed = await buildShard(documentsOf('w42 w43', 'w44'));
    const words = Array.from({ length: 10_000 }, (_, index) => `w${index}`).join(' ');
    reopen(sealed.file, (reader) => {
      const found = rank(reader, ask(words, 'or')).map(({ chunk }) => chunk);
      expect(found.sort()).toEqual([1, 2]);
      expect(rank(reader, ask(words))).toEqual([]);
    });
  });

  it('are all found when a frequent required word is also part of an alternative of another', async () => {
    // "wi" is looked up for the few chunks with "rare", and once more for each as a part of "wi-fi".
    const texts = Array.from({ length: 600 }, (_, index) => `wi fi ${index % 90 === 7 ? 'rare' : ''} `);
    const sealed = await buildShard([documentOf([...texts, 'wi-fi'])]);
    reopen(sealed.file, (reader) => {
      const found = rank(reader, ask('rare wi wi-fi')).map(({ chunk }) => chunk);
      expect(found).toEqual([8, 98, 188, 278, 368, 458, 548]);
    });
  });

  it('do not depend on a word that stands in the query twice', async () => {
    const sealed = await buildShard(documentsOf('red shelf', 'blue shelf shelf'));
    reopen(sealed.file, (reader) => {
      for (const mode of ['and', 'or'] as const) {
        expect(rank(reader, ask('shelf shelf', mode))).toEqual(rank(reader, ask('shelf', mode)));
      }
    });
  });

  it('leave out a term that is nowhere in the corpus by the frequencies given', async () => {
    const sealed = await buildShard(documentsOf('red', 'blue'));
    reopen(sealed.file, (reader) => {
      const frequencies = new Map([['red', 1]]);
      expect(rank(reader, ask('red blue', 'or'), { frequencies }).map(({ chunk }) => chunk)).toEqual([1]);
      expect(rank(reader, ask('red blue'), { frequencies })).toEqual([]);
    });
  });

  it('are refused as damaged when the shard has a term more often than the whole corpus', async () => {
    const sealed = await buildShard(documentsOf('red', 'red'));
    reopen(sealed.file, (reader) => {
      const frequencies = new Map([['red', 1]]);
      expect(() => rank(reader, ask('red'), { frequencies })).toThrow(
        /"red" is in 2 of its chunks, and in 1 of the corpus/,
      );
    });
  });
});

describe('a search that is stopped', () => {
  let sealed: SealedShard;

  beforeAll(async () => {
    // Three blocks of 4,096 chunks.
    const texts = Array.from({ length: 9_000 }, (_, index) => `shelf ${index % 10 === 0 ? 'book' : ''} ${index} `);
    sealed = await buildShard([documentOf(texts)]);
  });

  it.each([
    ['any', ask('shelf book', 'or')],
    ['all', ask('shelf book')],
    ['phrase', ask('', 'or', ['shelf book'])],
  ])('ends with what check() throws at any time, and leaves the reader fit for use (%s)', (_, query) => {
    reopen(sealed.file, (reader) => {
      const expected = rank(reader, query);
      let calls = 0;
      rank(reader, query, { check: () => calls++ });
      expect(calls).toBeGreaterThan(3);
      for (let stopAt = 1; stopAt <= Math.min(calls, 40); stopAt++) {
        let left = stopAt;
        const check = (): void => {
          if (--left === 0) throw new Error('enough');
        };
        expect(() => rank(reader, query, { check })).toThrow('enough');
        expect(left).toBe(0);
        expect(rank(reader, query)).toEqual(expected);
      }
    });
  });

  it('has a chance to end at every term and every block', () => {
    reopen(sealed.file, (reader) => {
      let calls = 0;
      // With a k beyond the chunks there is nothing to skip.
      rank(reader, ask('shelf book', 'or'), { k: 10_000, check: () => calls++ });
      expect(calls).toBe(2 + 3);
    });
  });
});
