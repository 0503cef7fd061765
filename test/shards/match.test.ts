import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type ChunkId,
  compareRanked,
  type MatchOptions,
  matchShard,
  type RankedChunk,
  type SealedShard,
  type ShardQuery,
  type ShardReader,
} from '../../shards/index.ts';
import { COLUMN_WEIGHTS, toExpression } from '../../shards/match.ts';
import { analyzer, buildShard, documentOf, documentsOf, reopen, type TestDocument, tempFolder } from './support.ts';

const everything: MatchOptions = {
  k: 10,
  by: 'chunk',
  filter: { kinds: [], collections: [] },
  check: () => {},
};

/** A query as the analyzer makes it. */
function ask(text: string, mode: ShardQuery['mode'] = 'and'): ShardQuery {
  return { mode, tokens: analyzer.queryTokens(text).map(({ alternatives }) => alternatives) };
}

/** Terms of a chunk: of its title, heading path and body. */
function termsOf(reader: ShardReader, chunk: ChunkId): Set<string> {
  const { heading, body } = reader.chunk(chunk);
  const terms = new Set<string>();
  for (const text of [reader.documentOfChunk(chunk).title, heading.join('\n'), body]) {
    analyzer.visitTerms(text, undefined, (term) => terms.add(term));
  }
  return terms;
}

/** Which chunks a query means, by its definition, without FTS5. */
function chunksThatMatch(reader: ShardReader, query: ShardQuery): Set<ChunkId> {
  const matching = new Set<ChunkId>();
  for (const { chunk } of reader.chunks()) {
    const terms = termsOf(reader, chunk);
    const has = (alternative: readonly string[]): boolean => alternative.every((term) => terms.has(term));
    const found =
      query.mode === 'and'
        ? query.tokens.every((alternatives) => alternatives.some(has))
        : query.tokens.flat(2).some((term) => terms.has(term));
    if (found) matching.add(chunk);
  }
  return matching;
}

/** Scores every match with FTS5's own bm25(), then filters, sorts and cuts: slow and plain. */
function scoreEverything(
  reader: ShardReader,
  query: ShardQuery,
  options: MatchOptions,
  dead: readonly number[],
): RankedChunk[] {
  const sql = 'SELECT rowid, -bm25(fts, ?, ?, ?) FROM fts WHERE fts MATCH ?';
  const rows = [...reader.inspect(sql, ...COLUMN_WEIGHTS, toExpression(query))] as [ChunkId, number][];
  expect(new Set(rows.map(([chunk]) => chunk))).toEqual(chunksThatMatch(reader, query));
  const { kinds, collections } = options.filter;
  const ranked = rows.flatMap(([chunk, score]) => {
    const document = reader.documentOfChunk(chunk);
    const isWanted =
      (kinds.length === 0 || kinds.includes(document.kind)) &&
      (collections.length === 0 || collections.includes(document.collection)) &&
      !dead.includes(document.id);
    const hit = { score, chunk, document: document.id, ordinal: chunk - document.id + 1, uri: document.uri };
    return isWanted ? [hit] : [];
  });
  ranked.sort(compareRanked);
  const isFirst = (hit: RankedChunk, index: number): boolean =>
    ranked.findIndex(({ document }) => document === hit.document) === index;
  return (options.by === 'chunk' ? ranked : ranked.filter(isFirst)).slice(0, options.k);
}

const words = fc.constantFrom(
  'wi-fi',
  'wi',
  'fi',
  'shelf',
  'shelves',
  'PIO-1384',
  '1384',
  'book',
  '東京都',
  '京都',
  'the',
);
const passage = fc.array(words, { maxLength: 8 }).map((list) => list.join(' '));
const smallDocument = fc.record({
  passages: fc.array(passage, { minLength: 1, maxLength: 4 }),
  title: passage,
  heading: fc.array(words, { maxLength: 2 }),
  kind: fc.constantFrom('a', 'b', 'c'),
  collection: fc.constantFrom('x', 'y'),
  uri: fc.nat(99).map((number) => `u${number}`),
});

describe('the hits of a shard', () => {
  it('are those of scoring every match and sorting by score, uri and ordinal', async () => {
    const folder = tempFolder();
    let run = 0;
    const question = fc.record({
      text: fc.array(words, { minLength: 1, maxLength: 4 }).map((list) => list.join(' ')),
      mode: fc.constantFrom('and' as const, 'or' as const),
      k: fc.constantFrom(1, 2, 3, 5, 100),
      by: fc.constantFrom('chunk' as const, 'document' as const),
      kinds: fc.subarray(['a', 'b', 'c'], { maxLength: 2 }),
      collections: fc.subarray(['x', 'y'], { maxLength: 1 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(smallDocument, { minLength: 1, maxLength: 12, selector: ({ uri }) => uri }),
        fc.array(question, { minLength: 5, maxLength: 12 }),
        fc.array(fc.nat(11), { maxLength: 3 }),
        async (documents, questions, deadIndexes) => {
          const built = documents.map(({ passages, ...fields }) => documentOf(passages, fields));
          const sealed = await buildShard(built, { file: `${folder}/${run++}.shard` });
          const starts = reopen(sealed.file, (reader) => [...reader.documents()].map(({ id }) => id));
          const dead = deadIndexes.flatMap((index) => starts[index] ?? []);
          reopen(
            sealed.file,
            (reader) => {
              for (const { text, mode, k, by, kinds, collections } of questions) {
                const query = ask(text, mode);
                const options = { ...everything, k, by, filter: { kinds, collections } };
                expect(matchShard(reader, query, options)).toEqual(scoreEverything(reader, query, options, dead));
              }
            },
            dead,
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  it('that tie at the last place are chosen by uri, then by ordinal, however many there are', async () => {
    const uris = Array.from({ length: 700 }, (_, index) => `u${String((index * 37) % 700).padStart(3, '0')}`);
    const sealed = await buildShard(uris.map((uri) => documentOf(['same words ', 'same words '], { uri })));
    reopen(sealed.file, (reader) => {
      const chunks = matchShard(reader, ask('same'), { ...everything, k: 5 });
      const places = chunks.map(({ uri, ordinal }) => `${uri}/${ordinal}`);
      expect(places).toEqual(['u000/1', 'u000/2', 'u001/1', 'u001/2', 'u002/1']);
      const documents = matchShard(reader, ask('same'), { ...everything, k: 3, by: 'document' });
      expect(documents.map(({ uri, ordinal }) => `${uri}/${ordinal}`)).toEqual(['u000/1', 'u001/1', 'u002/1']);
    });
  });

  it('are all there are when fewer than k match, and none when nothing does', async () => {
    const sealed = await buildShard(documentsOf('red shelf', 'blue shelf', 'a book'));
    reopen(sealed.file, (reader) => {
      expect(matchShard(reader, ask('shelf'), { ...everything, k: 10_000 })).toHaveLength(2);
      expect(matchShard(reader, ask('shelf red'), everything)).toHaveLength(1);
      expect(matchShard(reader, ask('absent'), everything)).toEqual([]);
      expect(matchShard(reader, ask('absent book', 'or'), everything)).toHaveLength(1);
    });
  });

  it('are found by words of title and heading too', async () => {
    const sealed = await buildShard([documentOf('body', { title: 'Catalogue', heading: ['Rules', 'Loans'] })]);
    reopen(sealed.file, (reader) => {
      for (const text of ['catalogue', 'loan', 'rules body']) {
        expect(matchShard(reader, ask(text), everything)).toHaveLength(1);
      }
    });
  });

  it('are found by terms that look like operators', async () => {
    const sealed = await buildShard(documentsOf('NOT AND OR NEAR', 'C++ and .NET', 'C#'));
    reopen(sealed.file, (reader) => {
      const found = (text: string): number[] => matchShard(reader, ask(text), everything).map(({ chunk }) => chunk);
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
      expect(
        matchShard(reader, ask(words, 'or'), everything)
          .map(({ chunk }) => chunk)
          .sort(),
      ).toEqual([1, 2]);
      expect(matchShard(reader, ask(words), everything)).toEqual([]);
    });
  });
});

describe('a search that is stopped', () => {
  let sealed: SealedShard;
  const many: TestDocument[] = documentsOf(...Array.from({ length: 2_000 }, (_, index) => `shelf ${index}`));

  beforeAll(async () => {
    sealed = await buildShard(many);
  });

  it('ends with what check() throws, and leaves the reader fit for use', () => {
    reopen(sealed.file, (reader) => {
      let calls = 0;
      const check = (): void => {
        if (++calls === 2) throw new Error('enough');
      };
      expect(() => matchShard(reader, ask('shelf'), { ...everything, check })).toThrow('enough');
      expect(calls).toBe(2);
      expect(matchShard(reader, ask('1999'), everything).map(({ chunk }) => chunk)).toEqual([2000]);
    });
  });

  it('has a chance to end every few hundred rows', () => {
    reopen(sealed.file, (reader) => {
      let calls = 0;
      const check = (): void => {
        calls++;
      };
      matchShard(reader, ask('shelf'), { ...everything, check });
      expect(calls).toBeGreaterThanOrEqual(3);
    });
  });
});
