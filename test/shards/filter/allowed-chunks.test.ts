import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_FILTER, PostingsCache, ShardReader } from '../../../shards/index.ts';
import { buildShard, documentOf, filterBy, newPath, reopen, type TestDocument, tempFolder } from '../support.ts';
import { anyFilter, filterableFields, meets } from './filter-model.ts';

const folder = tempFolder();

/** Documents of one to three chunks. */
const documents = fc
  .array(fc.tuple(filterableFields, fc.integer({ min: 1, max: 3 })), { minLength: 1, maxLength: 30 })
  .map((all) =>
    all.map(([{ folder, mentions, ...fields }, chunks], index): TestDocument => {
      const texts = Array.from({ length: chunks }, (_, chunk) => `passage ${chunk}. `);
      return documentOf([...texts, mentions], { ...fields, uri: `${folder}u${index}` });
    }),
  );

/** Bytes for attributes: enough for all, for some, and for none. */
const attributeBytes = fc.constantFrom(2 ** 27, 2_000, 0);

/** The id that each document has in a shard of them all. */
function idsOf(documents: readonly TestDocument[]): number[] {
  let next = 1;
  return documents.map(({ chunks }) => {
    next += chunks.length;
    return next - chunks.length;
  });
}

describe('the chunks that a filter allows', () => {
  it('are those of the documents that meet it, with an index or without, but for dead ones', async () => {
    await fc.assert(
      fc.asyncProperty(
        documents,
        attributeBytes,
        fc.array(anyFilter, { minLength: 20, maxLength: 20 }),
        async (documents, attributeBytes, filters) => {
          const { file, meta } = await buildShard(documents, { file: newPath(folder), attributeBytes });
          const ids = idsOf(documents);
          const dead = new Set(ids.filter((_, index) => index % 5 === 4));
          const readers = [new ShardReader(file), new ShardReader(file, { dead, cache: new PostingsCache(1) })];
          for (const filter of filters) {
            for (const [reader, gone] of [
              [readers[0]!, new Set<number>()],
              [readers[1]!, dead],
            ] as const) {
              const expected = new Uint8Array(meta.chunks + 1);
              for (const [index, { document, chunks }] of documents.entries()) {
                const id = ids[index]!;
                if (!gone.has(id) && meets(document, filter)) expected.fill(1, id, id + chunks.length);
              }
              const isAll = expected.every((allowed, chunk) => chunk === 0 || allowed === 1);
              const found = reader.allowedChunks(filter);
              if (isAll) expect(found).toBeNull();
              else expect(found?.bitmap).toEqual(expected);
            }
          }
          for (const reader of readers) reader.close();
        },
      ),
      { numRuns: 60 },
    );
  });

  it('are remembered for several filters, and forgotten when memory is short', async () => {
    const { file } = await buildShard([documentOf('one', { kind: 'a' }), documentOf('two', { uri: 'b', kind: 'b' })]);
    const [a, b] = [filterBy({ kind: ['a'] }), filterBy({ kind: ['b'] })];
    reopen(file, (reader) => {
      const first = reader.allowedChunks(a);
      expect(reader.allowedChunks(b)).not.toBe(first);
      expect(reader.allowedChunks(a)).toBe(first);
    });
    const cache = new PostingsCache(600);
    reopen(
      file,
      (reader) => {
        const first = reader.allowedChunks(a);
        for (let number = 0; number < 20; number++) reader.allowedChunks(filterBy({ kind: [`${number}`] }));
        expect(reader.allowedChunks(a)).toEqual(first);
        expect(reader.allowedChunks(a)).not.toBe(first);
        expect(cache.bytes).toBeLessThan(2_000);
      },
      { cache },
    );
  });

  it('stops when it is told to while it reads documents one by one', async () => {
    const texts = Array.from({ length: 50 }, (_, index) => documentOf('x', { uri: `${index}`, kind: 'a' }));
    const { file } = await buildShard(texts, { attributeBytes: 0 });
    reopen(file, (reader) => {
      let left = 10;
      const check = (): void => {
        if (left-- === 0) throw new Error('stopped');
      };
      expect(() => reader.allowedChunks(filterBy({ kind: ['a', 'b'] }), check)).toThrow('stopped');
      expect(reader.allowedChunks(filterBy({ kind: ['a', 'b'] }))).toBeNull();
      expect(reader.allowedChunks(NO_FILTER)).toBeNull();
    });
  });
});
