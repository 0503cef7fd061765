import { createHash } from 'node:crypto';
import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Corpus, Hit } from '../../src/index.ts';
import { temporaryFolder } from './sources/support.ts';
import { build, readSource, withCorpus, writeJsonl } from './support.ts';

const text = fc.array(fc.constantFrom('common', 'żółć', '日本語', '😀', 'e\u0301', '\u2028', 'x'.repeat(40)), {
  maxLength: 30,
});
const lineEnd = fc.constantFrom('\n', '\r\n', '\r', '\n\n', '\n  \n');
const line = fc.record({ words: text, end: lineEnd, bad: fc.integer({ min: 0, max: 9 }) });

async function expectTrueRanges(corpus: Corpus, hits: readonly Hit[], idOf: (hit: Hit) => string): Promise<void> {
  for (const hit of hits) {
    const { path, byteStart, byteEnd, sha256 } = hit.source;
    const record = (await readSource(path)).subarray(byteStart, byteEnd);
    expect(createHash('sha256').update(record).digest('hex')).toBe(sha256);
    expect(record.toString()).toContain(idOf(hit));
    expect(await corpus.cite(hit.shelfmark)).toMatchObject({ status: 'verified', shelfmark: hit.shelfmark });
  }
}

describe('the byte range of a hit', () => {
  test('is its record in the decompressed source, for any lines and line ends, plain and packed', {
    timeout: 120_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 30 }), fc.boolean(), async (lines, mark) => {
        const folder = await temporaryFolder();
        const content = lines.map(({ words, end, bad }, index) => {
          const record =
            bad === 0 ? 'no json' : JSON.stringify({ _id: `<${index}>`, text: `common ${words.join(' ')}` });
          return index === lines.length - 1 ? record : record + end;
        });
        const bytes = Buffer.from((mark ? '\ufeff' : '') + content.join(''));
        const files = [join(folder, 'a.jsonl'), join(folder, 'b.jsonl.gz')];
        await writeFile(files[0]!, bytes);
        await writeFile(files[1]!, gzipSync(bytes));
        const corpus = join(folder, 'corpus');
        // Of a collection each, so that neither file's documents are duplicates of the other's.
        const count = lines.filter(({ bad }) => bad !== 0).length;
        for (const file of files) {
          const report = await build({ sources: [file], corpus, collection: file, shardBytes: 4096 });
          expect(report.indexed).toBe(count);
        }
        await withCorpus(corpus, async (open) => {
          const { hits } = await open.search('common', { limit: 100 });
          expect(hits).toHaveLength(2 * count);
          await expectTrueRanges(open, hits, (hit) => JSON.stringify(hit.uri));
        });
      }),
      { numRuns: 5 },
    );
  });

  test('is the whole file for Markdown, with and without a byte order mark, plain and packed', async () => {
    const folder = await temporaryFolder();
    const notes = join(folder, 'notes');
    await mkdir(notes);
    const body = '---\ntitle: T\n---\n# Häding\r\n\r\ncommon words\r\n\r\n## Two\r\n\r\nmore common words';
    await writeFile(join(notes, 'a.md'), `<a>${body}`);
    await writeFile(join(notes, 'b.md'), `\ufeff<b>${body}\n`);
    await writeFile(join(notes, 'c.md.gz'), gzipSync(`<c>${body}`));
    const corpus = join(folder, 'corpus');
    await build({ sources: [notes], corpus });
    await withCorpus(corpus, async (open) => {
      const { hits } = await open.search('common', { by: 'chunk' });
      expect(new Set(hits.map(({ uri }) => uri)).size).toBe(3);
      await expectTrueRanges(open, hits, ({ uri }) => `<${uri.charAt(uri.lastIndexOf('/') + 1)}>`);
      const b = hits.find(({ uri }) => uri.endsWith('b.md'))!;
      expect(b.source).toMatchObject({ byteStart: 3, byteEnd: (await readFile(b.source.path)).length });
    });
  });
});

describe('a citation', () => {
  test('is verified while its record stands, changed when it does not, missing when the file is gone', async () => {
    const folder = await temporaryFolder();
    const record = (id: string, words: string): object => ({ _id: id, text: words });
    const plain = await writeJsonl(join(folder, 'a.jsonl'), [record('a', 'apple tart'), record('b', 'banana split')]);
    const packed = join(folder, 'c.jsonl.gz');
    await writeFile(packed, gzipSync('{"_id":"c","text":"cherry pie"}\n'));
    const corpus = join(folder, 'corpus');
    await build({ sources: [plain, packed], corpus });
    await withCorpus(corpus, async (open) => {
      const marks = new Map<string, string>();
      for (const query of ['apple', 'banana', 'cherry']) {
        marks.set(query, (await open.search(query)).hits[0]!.shelfmark);
      }
      const statuses = async (): Promise<string[]> => {
        const found = [];
        for (const mark of marks.values()) found.push((await open.cite(mark)).status);
        return found;
      };
      expect(await statuses()).toEqual(['verified', 'verified', 'verified']);
      await appendFile(plain, '{"_id":"d","text":"damson jam"}\n');
      expect(await statuses()).toEqual(['verified', 'verified', 'verified']);
      await writeJsonl(plain, [record('a', 'apple tart'), record('b', 'banana bread')]);
      await writeFile(packed, gzipSync('{"_id":"c","text":"cherry pie"}\n').subarray(0, 25));
      expect(await statuses()).toEqual(['verified', 'changed', 'changed']);
      await writeFile(plain, '{"_id":"a"');
      await rm(packed);
      expect(await statuses()).toEqual(['changed', 'changed', 'missing']);
      await rm(plain);
      expect(await statuses()).toEqual(['missing', 'missing', 'missing']);
      expect((await open.cite(marks.get('apple')!)).detail).toContain('no such file');
    });
  });
});
