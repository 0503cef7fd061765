import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type VerifyDepth, verifyShardFile } from '../../shards/index.ts';
import { anyDocument } from './arbitraries.ts';
import { buildShard, documentOf, documentsOf, newPath, type TestDocument, tempFolder } from './support.ts';

/** The detail of one part of a report in which everything is sound. */
function soundPart(file: string, depth: VerifyDepth, name: string): string {
  const report = verifyShardFile(file, { depth });
  expect(report.parts.filter(({ status }) => status === 'damaged')).toEqual([]);
  expect(report).toMatchObject({ ok: true, file });
  return report.parts.find((part) => part.name === name)?.detail ?? '';
}

const overlapping: TestDocument = {
  document: documentOf('one two three four five').document,
  chunks: [
    { start: 0, bodyStart: 0, end: 13, heading: ['A'] },
    { start: 4, bodyStart: 8, end: 18, heading: ['A', 'B'] },
    { start: 8, bodyStart: 8, end: 23, heading: [] },
  ],
};

describe('verify of a sound shard', () => {
  it('has one part each, lists and index among them unless it is quick', async () => {
    const { file } = await buildShard(documentsOf('one', 'two'));
    const names = (depth: VerifyDepth): string[] => verifyShardFile(file, { depth }).parts.map(({ name }) => name);
    expect(names('quick')).toEqual(['open', 'sqlite', 'counts', 'documents', 'blocks', 'columns', 'attributes']);
    expect(names('sample')).toEqual([...names('quick'), 'lists', 'index']);
    expect(names('deep')).toEqual(names('sample'));
  });

  it.each([
    ['in English', documentsOf('Shelves and books', 'PIO-1384 getElementById wi-fi', 'the the the')],
    ['in Chinese, Japanese and Korean', documentsOf('東京都の図書館', '한국어 도서관', '图书馆和档案馆在北京')],
    ['without any word', documentsOf('', '?!', '🗄️')],
    ['some of them without a word', documentsOf('', 'word', '…')],
    ['with overlap and lead', [overlapping, documentOf('after', { title: 'Title words' })]],
    ['of one term many times over', documentsOf('x '.repeat(20_000))],
  ])('agrees at every depth for texts %s', async (_what, documents) => {
    const { file, meta } = await buildShard(documents);
    soundPart(file, 'quick', 'blocks');
    soundPart(file, 'sample', 'index');
    expect(soundPart(file, 'deep', 'index')).toBe(`${meta.terms} postings match the text`);
  });

  it('looks up terms of chunks from all over a large shard', async () => {
    // A sample reported every shard as damaged in which a term stood in more than one chunk.
    const { file } = await buildShard(documentsOf(...Array.from({ length: 1_000 }, (_, index) => `common ${index}`)));
    const [, sampled] = /^(\d+) postings sampled$/.exec(soundPart(file, 'sample', 'index')) ?? [];
    expect(Number(sampled)).toBeGreaterThanOrEqual(2 * 64);
  });

  it('counts in meta the terms that stand in the index: those of a title once per chunk', async () => {
    const { file, meta } = await buildShard([
      documentOf(['a b ', 'c'], { title: 'long title', heading: ['one', 'two three'] }),
    ]);
    expect(meta.terms).toBe(3 + 2 * 2 + 2 * 3);
    soundPart(file, 'deep', 'index');
  });

  it('agrees for any documents', async () => {
    const folder = tempFolder();
    await fc.assert(
      fc.asyncProperty(fc.array(anyDocument, { minLength: 1, maxLength: 4 }), async (documents) => {
        const { file, meta } = await buildShard(documents, { file: newPath(folder) });
        soundPart(file, 'sample', 'index');
        expect(soundPart(file, 'deep', 'index')).toBe(`${meta.terms} postings match the text`);
      }),
      { numRuns: 60 },
    );
  });

  it('says that a missing file cannot be opened, and nothing else', () => {
    const file = newPath();
    const report = verifyShardFile(file, { depth: 'deep' });
    expect(report.ok).toBe(false);
    expect(report.parts).toEqual([{ name: 'open', status: 'damaged', detail: expect.stringContaining(file) }]);
  });
});
