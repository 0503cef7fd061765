import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ChunkId, DocumentId, PreparedQuery } from '../../shards/index.ts';
import type { RankedHit } from '../../workers/protocol.ts';
import { packHits, packQueries, unpackHits, unpackQueries } from '../../workers/rank-message.ts';

const number = fc.integer({ min: 0, max: 2 ** 31 - 1 });
const list = fc.array(number, { maxLength: 4 });

test('queries are the same when packed and unpacked, and one that can have no hit has no terms', () => {
  const query: fc.Arbitrary<PreparedQuery> = fc.record({
    terms: list,
    required: list,
    choices: fc.array(fc.array(list, { maxLength: 3 }), { maxLength: 3 }),
    optional: list,
    phrases: fc.array(fc.array(list, { maxLength: 3 }), { maxLength: 3 }),
  });
  fc.assert(
    fc.property(fc.array(query, { maxLength: 5 }), (queries) => {
      expect(unpackQueries(packQueries(queries))).toEqual(queries);
    }),
  );
  expect(unpackQueries(packQueries([null]))).toMatchObject([{ terms: [], required: [], optional: [] }]);
});

test('hits are the same when packed and unpacked', () => {
  const hit = fc
    .record({
      score: fc.double({ min: 0, noNaN: true }),
      document: fc.integer({ min: 1, max: 2 ** 30 }),
      ordinal: fc.integer({ min: 1, max: 2 ** 30 }),
      shard: fc.constantFrom('s0000000001', 's0000000002', 's0000000003'),
      uri: fc.string().map((text) => text.replaceAll('\0', '')),
      collection: fc.string(),
    })
    .map(
      ({ document, ordinal, ...rest }): RankedHit => ({
        ...rest,
        ordinal,
        document: document as DocumentId,
        chunk: (document + ordinal - 1) as ChunkId,
      }),
    );
  fc.assert(
    fc.property(fc.array(fc.array(hit, { maxLength: 5 }), { maxLength: 5 }), (hits) => {
      expect(unpackHits(packHits(hits))).toEqual(hits);
    }),
  );
});
