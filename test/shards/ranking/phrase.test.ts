import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_FILTER, type ShardReader, termsOf } from '../../../shards/index.ts';
import { buildShard, documentOf, documentsOf, newPath, reopen, type TestDocument, tempFolder } from '../support.ts';
import { cutHits, inShard, Model } from './model.ts';
import { ask, placesOf, rank, scoringOf } from './support.ts';

/** Numbers of the chunks that have all of some phrases. */
function found(reader: ShardReader, ...phrases: readonly string[]): number[] {
  return rank(reader, ask('', 'or', phrases), { k: 10_000 })
    .map(({ chunk }) => Number(chunk))
    .sort((a, b) => a - b);
}

async function search(documents: readonly TestDocument[], use: (reader: ShardReader) => void): Promise<void> {
  const { file } = await buildShard(documents, { listThreshold: 3 });
  reopen(file, use);
}

describe('a phrase', () => {
  it('is found where its words stand next to each other, in any form of theirs', async () => {
    await search(documentsOf('the reading room', 'room for reading', 'Reading rooms!', 'reading – room'), (reader) => {
      expect(found(reader, 'reading room')).toEqual([1, 3, 4]);
      expect(found(reader, 'the reading')).toEqual([1]);
      expect(found(reader, 'reading the')).toEqual([]);
      expect(found(reader, 'room reading')).toEqual([]);
    });
  });

  it('is never made by the wholes of compounds, which the index has behind the words of a field', async () => {
    const documents = documentsOf('getElementById of wi-fi', 'fi wifi', 'wifi getElementById', 'by id wifi');
    await search(documents, (reader) => {
      // In the index: get element by id of wi fi getelementbyid wifi.
      expect(found(reader, 'fi wifi')).toEqual([2]);
      expect(found(reader, 'wifi')).toEqual([3, 2, 4].sort());
      expect(found(reader, 'by id wifi')).toEqual([4]);
      expect(found(reader, 'element by id')).toEqual([1, 3]);
      expect(found(reader, 'Wi-Fi')).toEqual([1]);
      expect(found(reader, 'getelementbyid wifi')).toEqual([]);
    });
  });

  it('makes room for others when the index has it and the text has not, however many there are', async () => {
    const texts = Array.from({ length: 60 }, (_, index) => (index % 3 === 0 ? 'fi wifi' : 'fi wi-fi'));
    await search(documentsOf(...texts), (reader) => {
      const hits = rank(reader, ask('', 'or', ['fi wifi']), { k: 20 });
      expect(hits.map(({ chunk }) => chunk)).toEqual(Array.from({ length: 20 }, (_, index) => 3 * index + 1));
    });
  });

  it('makes room for others in other blocks of a shard too', async () => {
    // 5,000 chunks are two blocks; those of the first, which score more, have the phrase in the index only.
    const texts = Array.from({ length: 5_000 }, (_, index) => (index < 4_500 ? 'fi wi-fi ' : 'fi wifi and more '));
    await search([documentOf(texts)], (reader) => {
      const hits = rank(reader, ask('', 'or', ['fi wifi']), { k: 600 });
      expect(hits.map(({ chunk }) => chunk)).toEqual(Array.from({ length: 500 }, (_, index) => 4_501 + index));
    });
  });

  it('stands in title, in the headings joined, or in the body, and never runs from one into another', async () => {
    const document = documentOf(['closed rooms ', 'are locked'], {
      title: 'The reading',
      heading: ['East wing', 'Old map'],
    });
    await search([document, documentOf('x')], (reader) => {
      expect(found(reader, 'the reading')).toEqual([1, 2]);
      expect(found(reader, 'wing old map')).toEqual([1, 2]);
      expect(found(reader, 'closed rooms')).toEqual([1]);
      for (const phrase of ['reading east', 'map closed', 'rooms are', 'reading closed']) {
        expect(found(reader, phrase)).toEqual([]);
      }
    });
  });

  it('is found in Chinese and Japanese wherever its characters stand in a row', async () => {
    await search(documentsOf('図書館の地下には東京都の新聞がある', '東京の都', '都の東京都'), (reader) => {
      expect(found(reader, '東京都の新聞')).toEqual([1]);
      expect(found(reader, '東京')).toEqual([1, 2, 3]);
      expect(found(reader, '京都')).toEqual([1, 3]);
      expect(found(reader, '京 都')).toEqual([]);
    });
  });

  it('may have a word twice, or be a symbol or an operator', async () => {
    await search(documentsOf('the the band', 'the band the', 'C++ AND "NEAR"', 'C and near'), (reader) => {
      expect(found(reader, 'the the')).toEqual([1]);
      expect(found(reader, 'C++ AND NEAR')).toEqual([3]);
      expect(found(reader, 'C AND')).toEqual([4]);
    });
  });

  it('is one of up to 1,024 that must all be there', async () => {
    const words = Array.from({ length: 1_024 }, (_, index) => `w${index}`);
    await search(documentsOf(words.join(' '), words.slice(1).join(' ')), (reader) => {
      expect(found(reader, ...words)).toEqual([1]);
      expect(found(reader, words.join(' '))).toEqual([1]);
      expect(found(reader, ...words.slice(1))).toEqual([1, 2]);
    });
  });

  it('is required beside all words or any word of the query, and its words count for the score', async () => {
    const documents = documentsOf(
      'reading room, red',
      'reading room, blue',
      'room of reading, red',
      'red',
      'reading room',
    );
    await search(documents, (reader) => {
      const hits = (text: string, mode: 'and' | 'or'): string[] =>
        placesOf(reader, rank(reader, ask(text, mode, ['reading room'])));
      expect(hits('red', 'and')).toEqual(['000.txt/1']);
      expect(hits('red blue', 'and')).toEqual([]);
      expect(hits('red blue', 'or').sort()).toEqual(['000.txt/1', '001.txt/1']);
      expect(hits('absent', 'or')).toEqual([]);
      expect(hits('', 'or')).toHaveLength(3);
      const [withPhrase] = rank(reader, ask('red', 'and', ['reading room']));
      const [asWords] = rank(reader, ask('red reading room', 'and')).filter(({ chunk }) => chunk === 1);
      expect(withPhrase).toEqual(asWords);
    });
  });

  it('is found as the model finds it, whatever the texts', async () => {
    const folder = tempFolder();
    const word = fc.constantFrom(
      'a',
      'b',
      'wi-fi',
      'wifi',
      'fi',
      'wi',
      '.NET',
      'net',
      'readShelf',
      'shelf',
      '東京都',
      '都',
    );
    const text = fc.array(word, { maxLength: 8 }).map((words) => words.join(' '));
    const chunk = fc.record({ title: text, heading: fc.array(text, { maxLength: 2 }), body: text });
    const phrase = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' '));
    const question = fc.record({
      phrases: fc.array(phrase, { minLength: 1, maxLength: 2 }),
      text: fc.oneof(fc.constant(''), text),
      mode: fc.constantFrom<'and' | 'or'>('and', 'or'),
      k: fc.constantFrom(1, 3, 100),
      by: fc.constantFrom<'chunk' | 'document'>('chunk', 'document'),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(chunk, { minLength: 1, maxLength: 40 }),
        fc.array(question, { minLength: 20, maxLength: 20 }),
        async (chunks, questions) => {
          const documents = chunks.map(({ title, heading, body }, index) =>
            documentOf([`${body} `, body], { uri: `${index}`, title, heading }),
          );
          const { file } = await buildShard(documents, { file: newPath(folder), listThreshold: 4 });
          reopen(file, (reader) => {
            const model = new Model([reader]);
            for (const { phrases, text, mode, k, by } of questions) {
              const query = ask(text, mode, phrases);
              const options = { scoring: scoringOf(reader), frequencies: model.frequencies(termsOf(query)) };
              const expected = model.rank(query, { ...options, filter: NO_FILTER });
              expect(rank(reader, query, { ...options, k, by })).toEqual(inShard(cutHits(expected, k, by)));
            }
          });
        },
      ),
      { numRuns: 25 },
    );
  });
});
