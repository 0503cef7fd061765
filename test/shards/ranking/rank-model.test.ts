import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ChunkId,
  type ColumnUnits,
  DEFAULT_SCORING,
  PostingsCache,
  type ShardQuery,
  ShardReader,
  type ShardWriterOptions,
  termsOf,
  type WordFilter,
} from '../../../shards/index.ts';
import { QUANTUM } from '../../../shards/ranking/bm25.ts';
import { planWordFilter } from '../../../src/search/word-filter.ts';
import { analyzer, buildShard, filterBy, newPath, queryAnalyzer, tempFolder } from '../support.ts';
import { cutHits, inShard, Model, type ModelHit } from './model.ts';
import {
  type CorpusShape,
  collections,
  everywhere,
  kinds,
  nowhere,
  randomCorpus,
  rareWords,
  vocabulary,
  wordOfStretch,
} from './random-corpus.ts';
import { ask, floorAt, rank } from './support.ts';

const folder = tempFolder();

const units = fc.constantFrom<ColumnUnits>([4, 3, 2], [1, 1, 1], [5, 1, 3], [300, 2, 1]);

const word = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...vocabulary) },
  fc.constantFrom(everywhere!, nowhere!, 'wi-fi', 'the'),
  { weight: 2, arbitrary: fc.constantFrom(...rareWords) },
  fc.nat(5).map(wordOfStretch),
);

/** A phrase is cut from a random corpus, so that it occurs somewhere. */
const phrase = fc.record({ chunk: fc.nat(), start: fc.nat(), length: fc.integer({ min: 1, max: 3 }) });

const question = fc.record({
  text: fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join(' ')),
  mode: fc.constantFrom<ShardQuery['mode']>('and', 'or'),
  phrases: fc.oneof({ weight: 4, arbitrary: fc.array(phrase, { maxLength: 0 }) }, fc.array(phrase, { maxLength: 2 })),
  hasText: fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, fc.constant(false)),
  k: fc.constantFrom(1, 2, 5, 10, 17, 100, 150, 10_000),
  by: fc.constantFrom<'chunk' | 'document'>('chunk', 'document'),
  words: fc.option(
    fc.record({
      prefixes: fc.array(
        fc.tuple(word, fc.integer({ min: 1, max: 8 })).map(([text, length]) => text.slice(0, length)),
        { maxLength: 2 },
      ),
      not: fc.array(word, { maxLength: 2 }),
      notPhrases: fc.array(phrase, { maxLength: 1 }),
    }),
    { freq: 2 },
  ),
  kinds: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.subarray([...kinds])),
  collections: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.subarray([...collections])),
  k1: fc.oneof(fc.constantFrom(0, 0.9, 1.2, 3), fc.double({ min: 0, max: 3, noNaN: true })),
  b: fc.oneof(fc.constantFrom(0, 0.4, 1), fc.double({ min: 0, max: 1, noNaN: true })),
  columnUnits: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, units),
  // The rest of the corpus: chunks in other shards, and in how many of them each term is.
  outside: fc.record({ chunks: fc.constantFrom(0, 0, 7, 100_000), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
  // No floor, or the score of a hit, or a little more.
  floor: fc.option(fc.record({ hit: fc.nat(), more: fc.constantFrom(0, QUANTUM, 1) }), { freq: 3 }),
  reader: fc.nat(),
});

type Question = typeof question extends fc.Arbitrary<infer Value> ? Value : never;

const shapeOf = (chunks: fc.Arbitrary<number>): fc.Arbitrary<CorpusShape & WriterShape> =>
  fc.record({
    seed: fc.nat(),
    chunks,
    hasDuplicates: fc.boolean(),
    listThreshold: fc.constantFrom(1, 2, 8, 256),
    ftsHashBytes: fc.constantFrom(1024, 64 * 1024, 2 ** 29, 2 ** 29),
    columnUnits: units,
    attributeBytes: fc.constantFrom(0, 2 ** 27),
  });

type WriterShape = Required<ShardWriterOptions>;

/** Builds a corpus and answers questions both ways. */
async function compare(shape: CorpusShape & WriterShape, questions: readonly Question[]): Promise<void> {
  const sealed = await buildShard(randomCorpus(shape), { file: newPath(folder), ...shape });
  const plain = new ShardReader(sealed.file);
  const model = new Model([plain]);
  const dead = new Set([...plain.documents()].map(({ id }) => id).filter((_, index) => index % 5 === 3));
  const none = new Set<number>();
  const opened = [
    { dead: none },
    // Nothing stays in so small a cache.
    { dead: none, cache: new PostingsCache(100) },
    { dead, cache: new PostingsCache(3_000) },
    { dead: none, useLists: false },
    { dead, useLists: false },
  ].map((options) => ({ reader: new ShardReader(sealed.file, options), dead: options.dead }));
  try {
    for (const asked of questions) {
      const { reader, dead } = opened[asked.reader % opened.length]!;
      const phrases = asked.phrases.flatMap((wanted) => phraseOf(plain, wanted));
      const query = {
        ...ask(asked.hasText || phrases.length === 0 ? asked.text : '', asked.mode),
        // In one way or another, as in a corpus of two languages.
        phrases: phrases.map((terms, index) => (index === 1 ? [terms, phrases[0]!] : [terms])),
      };
      const { k, by, k1, b, kinds, collections, outside } = asked;
      const scoring = {
        ...DEFAULT_SCORING,
        k1,
        b,
        columnUnits: asked.columnUnits ?? shape.columnUnits,
        chunks: model.chunks + outside.chunks,
        tokens: model.tokens + 9 * outside.chunks,
      };
      const more = Math.floor(outside.share * outside.chunks);
      const frequencies = new Map([...model.frequencies(termsOf(query))].map(([term, df]) => [term, df + more]));
      const words = wordsOf(plain, asked);
      const options = { filter: filterBy({ kind: kinds, collection: collections }), words, scoring, frequencies };
      const expected = model.rank(query, { ...options, dead: new Map([[sealed.id, dead]]) });
      const floor = floorAt(asked.floor === null ? 0 : floorOf(expected, asked.floor));
      const least = floor.value;
      const above = expected.filter(({ score }) => score >= least);
      expect(rank(reader, query, { ...options, k, by, floor })).toEqual(inShard(cutHits(above, k, by)));
    }
  } finally {
    for (const { reader } of [{ reader: plain }, ...opened]) reader.close();
  }
}

/** Prefixes and exclusions of a question, of those that are usable. */
function wordsOf(reader: ShardReader, { words }: Question): WordFilter | null {
  if (words === null) return null;
  const prefixes = words.prefixes.filter((prefix) => analyzer.queryTokens(prefix).length === 1);
  const planned = planWordFilter(queryAnalyzer, { prefixes, not: words.not });
  const { beginnings = [], withoutTokens = [], withoutPhrases = [] } = planned ?? {};
  const more = words.notPhrases.flatMap((wanted) => phraseOf(reader, wanted)).filter(({ length }) => length > 1);
  return { beginnings, withoutTokens, withoutPhrases: [...withoutPhrases, ...more.map((terms) => [terms])] };
}

/** The score of one of the hits, or somewhat more. */
function floorOf(hits: readonly ModelHit[], { hit, more }: NonNullable<Question['floor']>): number {
  return (hits[hit % Math.max(1, hits.length)]?.score ?? 0) + more;
}

/** Main terms next to each other in a chunk's body; none when it has no word. */
function phraseOf(reader: ShardReader, { chunk, start, length }: Question['phrases'][number]): string[][] {
  const { body } = reader.chunk(((chunk % reader.meta.chunks) + 1) as ChunkId);
  const terms = analyzer.mainTerms(body);
  if (terms.length === 0) return [];
  const from = start % terms.length;
  return [terms.slice(from, from + length)];
}

describe('the hits of a shard', () => {
  it('are those of scoring every chunk, sorting by score, uri, collection and ordinal, and cutting', async () => {
    await fc.assert(
      fc.asyncProperty(
        shapeOf(fc.integer({ min: 1, max: 400 })),
        fc.array(question, { minLength: 12, maxLength: 24 }),
        compare,
      ),
      { numRuns: 40 },
    );
  });

  it('are so too when the chunks fill several blocks of 4,096', async () => {
    await fc.assert(
      fc.asyncProperty(
        shapeOf(fc.integer({ min: 4_090, max: 9_000 })),
        fc.array(question, { minLength: 50, maxLength: 50 }),
        compare,
      ),
      // A failure is found again by its seed; making 9,000 chunks fewer takes minutes.
      { numRuns: 3, endOnFailure: true },
    );
  });
});
