import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChunkId, ShardReader } from '../../shards/index.ts';
import { anyDocument } from './arbitraries.ts';
import { buildShard, documentOf, reopen, type TestDocument, tempFolder } from './support.ts';

/** Everything that was put in must come out. */
function expectRoundTrip(reader: ShardReader, documents: readonly TestDocument[]): void {
  let id = 1;
  for (const { document, chunks } of documents) {
    for (const [index, chunk] of chunks.entries()) {
      const stored = reader.chunk((id + index) as ChunkId);
      expect(stored).toEqual({
        chunk: id + index,
        document: id,
        textStart: Buffer.byteLength(document.text.slice(0, chunk.start)),
        textBytes: Buffer.byteLength(document.text.slice(chunk.start, chunk.end)),
        heading: chunk.heading,
        lead: document.text.slice(chunk.start, chunk.bodyStart),
        body: document.text.slice(chunk.bodyStart, chunk.end),
      });
      const found = reader.documentOfChunk((id + index) as ChunkId);
      expect(reader.metadata(found)).toBe(document.metadata);
      expect(found).toEqual({
        id,
        chunkCount: chunks.length,
        uri: document.uri,
        title: document.title,
        kind: document.kind,
        collection: document.collection,
        fileType: document.fileType,
        modifiedAt: document.modifiedAt,
        label: document.label,
        analyzer: 'en-1',
        metadataBytes: Buffer.byteLength(document.metadata ?? ''),
        source: {
          ...document.source,
          byteStart: document.byteStart,
          byteEnd: document.byteEnd,
          sha256: document.sha256.toString('hex'),
        },
      });
    }
    id += chunks.length;
  }
  expect([...reader.documents()].map(({ uri }) => uri)).toEqual(documents.map(({ document }) => document.uri));
  expect([...reader.chunks()].map(({ chunk }) => chunk)).toEqual(
    Array.from({ length: id - 1 }, (_, index) => index + 1),
  );
  expect(reader.meta).toMatchObject({ documents: documents.length, chunks: id - 1 });
}

describe('what a shard gives back', () => {
  it('is every field, text, heading and place of every document put in', async () => {
    const folder = tempFolder();
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(anyDocument, { minLength: 1, maxLength: 5 }), async (documents) => {
        const sealed = await buildShard(documents, { file: `${folder}/${run++}.shard` });
        reopen(sealed.file, (reader) => expectRoundTrip(reader, documents));
      }),
      { numRuns: 150 },
    );
  });

  it('is the whole text when the chunks of a document that do not overlap are joined', async () => {
    const pieces = ['# Röd 🧶\n', 'första stycket. ', '東京都の図書館。', '', 'e\u0301 \u200d slut'];
    const sealed = await buildShard([documentOf('before'), documentOf(pieces, { uri: 'b' }), documentOf('after')]);
    reopen(sealed.file, (reader) => {
      const joined = [...reader.chunks()].filter(({ document }) => document === 2).map(({ lead, body }) => lead + body);
      expect(joined.join('')).toBe(pieces.join(''));
    });
  });

  it('is the same for a chunk of a megabyte, which has a block of its own size', async () => {
    const large = 'Ett långt stycke om arkiv 🗄️ och 東京. '.repeat(26_000);
    const documents = [documentOf('small'), documentOf(['x ', large, ' y'], { uri: 'large' }), documentOf('last')];
    const sealed = await buildShard(documents);
    reopen(sealed.file, (reader) => expectRoundTrip(reader, documents));
    expect(Buffer.byteLength(large)).toBeGreaterThan(1_000_000);
  });

  it('is right over many blocks, read in any order', async () => {
    const documents = Array.from({ length: 60 }, (_, index) =>
      documentOf([`${index} `, `passage ${index} `.repeat(500), 'tail'], { uri: `${index}`, heading: [`h${index}`] }),
    );
    const sealed = await buildShard(documents);
    expect(sealed.meta.blocks).toBeGreaterThan(3);
    reopen(sealed.file, (reader) => {
      expectRoundTrip(reader, documents);
      for (const id of [180, 1, 91, 90, 2, 179]) expect(reader.chunk(id as ChunkId).chunk).toBe(id);
    });
  });

  it('keeps sources apart that have one path but are packed in different ways', async () => {
    // A shard whose sources differed in compression only did not verify: both documents were given the first source.
    const documents = ['none', 'gzip'].map((compression) =>
      documentOf('text', { uri: compression, source: { path: '/a', compression } }),
    );
    const sealed = await buildShard(documents);
    reopen(sealed.file, (reader) => expectRoundTrip(reader, documents));
  });

  it('has a space for the separator of heading parts inside a heading', async () => {
    const sealed = await buildShard([documentOf('text', { heading: ['a\u001fb', 'c'] })]);
    reopen(sealed.file, (reader) => expect(reader.chunk(1 as ChunkId).heading).toEqual(['a b', 'c']));
  });
});
