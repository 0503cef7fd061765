import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AttributeBuilder } from '../../../shards/attributes/attribute-builder.ts';
import { AttributeIndex } from '../../../shards/attributes/attribute-index.ts';
import { type AttributedDocument, visitAttributes } from '../../../shards/attributes/document-attributes.ts';
import { writeAttributes } from '../../../shards/attributes/write-attributes.ts';
import { SHARD_SCHEMA } from '../../../shards/index.ts';
import { PackedColumns } from '../../../shards/packed-columns.ts';
import { createScratchDatabase, type Database } from '../../../shards/sqlite.ts';
import { errorOf } from '../support.ts';

function documentWith(metadata: unknown): AttributedDocument {
  return { kind: 'note', collection: 'x', fileType: '', label: '', metadata: JSON.stringify(metadata), text: '' };
}

/** Writes the attributes of documents and reads them back. */
function withIndex(
  documents: readonly AttributedDocument[],
  use: (index: AttributeIndex, database: Database) => void,
  maxBytes?: number,
): void {
  const database = createScratchDatabase(':memory:');
  try {
    database.exec(SHARD_SCHEMA);
    const builder = new AttributeBuilder(maxBytes);
    for (const document of documents) builder.add(document);
    writeAttributes(database, builder);
    use(new AttributeIndex('f', database, new PackedColumns('f', database), documents.length), database);
  } finally {
    database.close();
  }
}

/** Numbers of the documents in runs. */
function numbersOf(runs: readonly number[] | undefined): number[] | undefined {
  if (runs === undefined) return undefined;
  const numbers: number[] = [];
  for (let at = 0; at < runs.length; at += 2) {
    for (let number = runs[at]!; number < runs[at]! + runs[at + 1]!; number++) numbers.push(number);
  }
  return numbers;
}

/** Per attribute and value the documents that have it, the plain way. */
function modelOf(documents: readonly AttributedDocument[]): Map<string, Map<string, number[]>> {
  const model = new Map<string, Map<string, number[]>>();
  for (const [number, document] of documents.entries()) {
    visitAttributes(document, (name, value) => {
      const values = model.get(name) ?? new Map<string, number[]>();
      model.set(name, values);
      const numbers = values.get(value) ?? [];
      values.set(value, numbers);
      if (!numbers.includes(number)) numbers.push(number);
    });
  }
  return model;
}

const value = fc.oneof(fc.constantFrom('a', 'ab', 'abc', 'b', '', 'é', '東京', '𠮷', '\uffff', 1, true), fc.string());
const metadata = fc.dictionary(fc.constantFrom('k', 'l', 'tags'), fc.oneof(value, fc.array(value, { maxLength: 3 })));
const documents = fc.array(metadata.map(documentWith), { minLength: 1, maxLength: 40 });

describe('the attribute index', () => {
  it('knows the documents of every value, and of no other', () => {
    fc.assert(
      fc.property(documents, value, (documents, other) => {
        const model = modelOf(documents);
        withIndex(documents, (index) => {
          expect([...index.names()]).toEqual([...model.keys()].sort());
          for (const [name, values] of model) {
            expect([...(index.values(name) ?? [])].map(({ value, runs }) => [value, numbersOf(runs)])).toEqual(
              // Without a compare function texts are sorted by UTF-16 units.
              [...values.keys()].sort().map((key) => [key, values.get(key)]),
            );
            for (const [key, numbers] of values) expect(numbersOf(index.documentsWith(name, key))).toEqual(numbers);
            const unsaid = String(other);
            expect(numbersOf(index.documentsWith(name, unsaid))).toEqual(values.get(unsaid) ?? []);
          }
          expect(index.has('metadata.absent')).toBe(false);
          expect(index.documentsWith('metadata.absent', 'a')).toEqual([]);
        });
      }),
      { numRuns: 60 },
    );
  });

  it('finds values in any of many blocks', () => {
    const documents = Array.from({ length: 9_000 }, (_, number) =>
      documentWith({ id: `number ${(number * 7_919) % 9_000}`, parity: number % 2 }),
    );
    withIndex(documents, (index, database) => {
      expect(database.prepare('SELECT count(*) FROM attribute_block').pluck().get()).toBeGreaterThan(5);
      for (let number = 0; number < 9_000; number += 97) {
        expect(index.documentsWith('metadata.id', `number ${(number * 7_919) % 9_000}`)).toEqual([number, 1]);
      }
      expect(numbersOf(index.documentsWith('metadata.parity', '1'))).toHaveLength(4_500);
      expect(index.documentsWith('metadata.id', 'number 12345')).toEqual([]);
      expect(index.documentsWith('metadata.id', 'zzz')).toEqual([]);
    });
  });

  it('says of what it does not have that the documents are to be asked', () => {
    const documents = Array.from({ length: 50 }, (_, number) =>
      documentWith({ long: `${number} ${'x'.repeat(500)}`, short: 'y', longest: 'z'.repeat(2_000) }),
    );
    // Not enough for one text a document, so that key is given up.
    withIndex(
      documents,
      (index) => {
        expect(index.has('metadata.long')).toBe(true);
        expect(index.documentsWith('metadata.long', '1')).toBeUndefined();
        expect(index.values('metadata.long')).toBeUndefined();
        expect(index.documentsWith('metadata.short', 'y')).toEqual([0, 50]);
        expect(index.documentsWith('metadata.longest', 'z'.repeat(2_000))).toBeUndefined();
        expect(index.documentsWith('metadata.longest', 'z')).toEqual([]);
        expect(index.has('metadata.absent')).toBe(false);
      },
      20_000,
    );
  });

  it('says so of all further keys when there are thousands, or one is very long', () => {
    const many = Array.from({ length: 3_000 }, (_, number) => documentWith({ [`key ${number}`]: 1 }));
    for (const documents of [many, [documentWith({ ['k'.repeat(300)]: 1 })]]) {
      withIndex(documents, (index) => {
        expect(index.has('metadata.key 2999')).toBeUndefined();
        expect(index.documentsWith('metadata.key 2999', '1')).toBeUndefined();
        expect(index.has('kind')).toBe(true);
      });
    }
  });

  it('notices a block that is missing, or another one', () => {
    const documents = Array.from({ length: 3 }, (_, number) => documentWith({ a: number, b: number }));
    for (const damage of [
      'DELETE FROM attribute_block',
      'UPDATE attribute_block SET data = (SELECT data FROM attribute_block ORDER BY id LIMIT 1)',
      'UPDATE attribute_block SET id = 100 - id',
      'UPDATE attribute_block SET raw_length = raw_length + 1',
    ]) {
      withIndex(documents, (index, database) => {
        database.exec(damage);
        const error = errorOf(() => index.documentsWith('metadata.b', '1'));
        expect(error).toMatchObject({ code: 'SHELFMARK_CORRUPT' });
      });
    }
  });
});
