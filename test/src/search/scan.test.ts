import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ChunkId, ShardReader } from '../../../shards/index.ts';
import { foldCase } from '../../../shards/scan/literal.ts';
import { Catalog } from '../../../src/catalog.ts';
import { Corpus, type ScanProgress } from '../../../src/index.ts';
import { editShard, tempFolder } from '../../shards/support.ts';
import { build, randomNumbers, randomWords, shelfmarkError } from '../support.ts';

/** A document as the model has it: its whole text, and where its chunks end in it. */
interface ModelDocument {
  readonly uri: string;
  readonly text: string;
  readonly chunks: readonly { readonly shelfmark: string; readonly end: number }[];
}

let folder: string;
/** the same sources with chunks that do not overlap, and that do */
let corpora: { readonly opened: readonly Corpus[]; readonly documents: readonly ModelDocument[] }[];

beforeAll(async () => {
  folder = tempFolder();
  const random = randomNumbers(3);
  const lines = (): string => `if (${randomWords(random, 3)}) { return x->y; } // Été ${randomWords(random, 40)}\n`;
  for (let index = 0; index < 40; index++) {
    // Some of one passage, some of sections, some of a section that is cut because it is long.
    const sections = Array.from({ length: 1 + (index % 4) }, (_, part) => `## Part ${part}\n\n${lines()}`);
    const long = index % 5 === 0 ? Array.from({ length: 18 }, lines).join('') : '';
    writeFileSync(join(folder, `r${(index * 7) % 40}.md`), `# ${index}\n\n${sections.join('\n')}\n${long}`);
  }
  corpora = [];
  for (const overlap of [0, 40]) {
    const path = join(tempFolder(), 'corpus');
    await build({ sources: [folder], corpus: path, shardBytes: 8192, overlapWords: overlap });
    const opened = [await Corpus.open(path, { workers: 0 }), await Corpus.open(path, { workers: 2 })];
    corpora.push({ opened, documents: modelOf(path) });
  }
});

afterAll(async () => {
  for (const { opened } of corpora) for (const corpus of opened) await corpus.close();
});

/** The documents of all shards in their order, read plainly. */
function modelOf(path: string): ModelDocument[] {
  const catalog = Catalog.openReadOnly(path);
  const rows = catalog.shards();
  catalog.close();
  return rows.flatMap(({ name, file }) => {
    const reader = new ShardReader(join(path, 'shards', file));
    const documents = [...reader.documents()].map(({ id, uri, chunkCount }): ModelDocument => {
      let bytes = Buffer.alloc(0);
      const chunks = Array.from({ length: chunkCount }, (_, index) => {
        const { lead, body, textStart } = reader.chunk((id + index) as ChunkId);
        bytes = Buffer.concat([bytes.subarray(0, textStart), Buffer.from(lead + body)]);
        return { shelfmark: `${name}/${id}/${index + 1}`, end: bytes.toString().length };
      });
      return { uri, text: bytes.toString(), chunks };
    });
    reader.close();
    return documents;
  });
}

/** What a scan is to find: per hit its shelfmark and how often the text begins in it. */
function expected(
  documents: readonly ModelDocument[],
  query: string,
  { ignoreCase, by, limit }: { ignoreCase: boolean; by: 'chunk' | 'document'; limit: number },
): [string, number][] {
  const fold = (text: string): string => (ignoreCase ? foldCase(text) : text);
  const hits = documents.flatMap(({ text, chunks }) => {
    const counts = new Map<string, number>();
    const [hay, needle] = [fold(text), fold(query)];
    for (let at = hay.indexOf(needle); at >= 0; at = hay.indexOf(needle, at + needle.length)) {
      const { shelfmark } = chunks.find(({ end }) => end > at)!;
      counts.set(shelfmark, (counts.get(shelfmark) ?? 0) + 1);
    }
    const found = [...counts];
    return by === 'document' ? found.slice(0, 1) : found;
  });
  return hits.slice(0, limit);
}

describe('a scan', () => {
  test('finds what String.indexOf finds in the documents one after the other, in threads or not', async () => {
    const wanted = fc.record({
      corpus: fc.nat(1),
      document: fc.nat(),
      start: fc.nat(),
      length: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 2_000 })),
      upper: fc.boolean(),
      ignoreCase: fc.boolean(),
      by: fc.constantFrom<'chunk' | 'document'>('chunk', 'document'),
      limit: fc.constantFrom(1, 3, 10, 1000),
      threads: fc.nat(1),
    });
    await fc.assert(
      fc.asyncProperty(wanted, async ({ corpus, document, start, length, upper, threads, ...options }) => {
        const { opened, documents } = corpora[corpus]!;
        const { text } = documents[document % documents.length]!;
        const cut = text.slice(start % text.length, (start % text.length) + length);
        const query = upper ? cut.toUpperCase() : cut;
        const { hits, rung, coverage } = await opened[threads]!.search(query, { match: 'scan', ...options });
        expect(hits.map(({ shelfmark, score }) => [shelfmark, score])).toEqual(expected(documents, query, options));
        expect({ rung, searched: coverage.searched }).toEqual({ rung: 'scan', searched: coverage.shards });
        for (const hit of hits) {
          expect(hit.highlights.length).toBeGreaterThan(0);
          expect(hit).toMatchObject({ matched: [query], missing: [], rung: 'scan' });
        }
      }),
      { numRuns: 150 },
    );
  });

  test('is of documents that filters let through, and of passages that prefixes and exclusions do', async () => {
    const [corpus] = corpora[0]!.opened;
    const all = await corpus!.search('x->y', { match: 'scan', limit: 1000, by: 'chunk' });
    const narrowed = { match: 'scan', limit: 1000, by: 'chunk', not: ['walnut'] } as const;
    const left = (await corpus!.search('x->y', narrowed)).hits.map(({ shelfmark }) => shelfmark);
    const has = await corpus!.search('walnut', { match: 'any', limit: 1000, by: 'chunk' });
    const walnuts = new Set(has.hits.map(({ shelfmark }) => shelfmark));
    expect(left).toEqual(all.hits.map(({ shelfmark }) => shelfmark).filter((mark) => !walnuts.has(mark)));
    expect(left.length).toBeLessThan(all.hits.length);
    expect((await corpus!.search('x->y', { match: 'scan', pathPrefixes: ['nowhere'] })).hits).toEqual([]);
  });

  test('shows the text around it', async () => {
    const { hits } = await corpora[0]!.opened[0]!.search('{ return x->y; }', { match: 'scan', snippetLength: 60 });
    const { snippet, highlights } = hits[0]!;
    expect(highlights.map(([start, end]) => snippet.slice(start, end))).toContain('{ return x->y; }');
  });

  test('answers a batch, a query as often as it comes', async () => {
    const queries = ['x->y', 'no such text', '', 'x->y'].map((text, index) => ({ id: String(index), text }));
    const rows = [];
    for await (const row of corpora[0]!.opened[0]!.rank(queries, { match: 'scan', limit: 5 })) rows.push(row);
    expect(rows.map(({ rung, hits }) => [rung, hits.length])).toEqual([
      ['scan', 5],
      ['scan', 0],
      [null, 0],
      ['scan', 5],
    ]);
  });

  test('says how far it is, and is refused without a text, with phrases or evidence', async () => {
    const [corpus, threaded] = corpora[0]!.opened;
    const seen: ScanProgress[] = [];
    await threaded!.search('no such text', { match: 'scan', onProgress: (progress) => seen.push(progress) });
    expect(seen.at(-1)!.done).toBe(threaded!.stats().chunks);
    for (const { done, total } of seen) {
      expect(done).toBeLessThanOrEqual(total);
      expect(total).toBe(threaded!.stats().chunks);
    }
    // What comes after the first hit is not read.
    await corpus!.search('x->y', { match: 'scan', limit: 1, onProgress: (progress) => seen.push(progress) });
    expect(seen.at(-1)!.done).toBeLessThan(seen.at(-1)!.total / 2);
    await shelfmarkError(corpus!.search('', { match: 'scan' }), 'SHELFMARK_NO_WORDS');
    await shelfmarkError(corpus!.search('x', { match: 'scan', phrases: ['y'] }), 'SHELFMARK_USAGE');
    await shelfmarkError(corpus!.search('x', { match: 'scan', evidence: 2 }), 'SHELFMARK_USAGE');
  });

  test('finds what is left when a text is damaged, and says so', async () => {
    const path = join(tempFolder(), 'corpus');
    await build({ sources: [folder], corpus: path, shardBytes: 8192 });
    const documents = modelOf(path);
    const damaged = documents[0]!.chunks[0]!.shelfmark.split('/')[0]!;
    editShard(join(path, 'shards', `${damaged}.shard`), (database) =>
      database.exec('UPDATE block SET raw_length = raw_length + 1 WHERE id = (SELECT max(id) FROM block)'),
    );
    const corpus = await Corpus.open(path, { workers: 0 });
    const { hits, coverage } = await corpus.search('x->y', { match: 'scan', limit: 1000 });
    await corpus.close();
    const left = documents.filter(({ chunks }) => !chunks[0]!.shelfmark.startsWith(damaged));
    expect(coverage).toMatchObject({ failed: 1, failures: [{ shard: damaged, code: 'SHELFMARK_CORRUPT' }] });
    expect(hits.map(({ uri }) => uri)).toEqual(left.filter(({ text }) => text.includes('x->y')).map(({ uri }) => uri));
  });

  test('finds no half of a surrogate pair, and every whole one', async () => {
    const emoji = tempFolder();
    writeFileSync(join(emoji, 'a.md'), `smile ${'😀'.repeat(8)} end\n`);
    const path = join(tempFolder(), 'corpus');
    await build({ sources: [emoji], corpus: path });
    const corpus = await Corpus.open(path, { workers: 0 });
    const scores: (number | undefined)[] = [];
    for (const text of ['\ud83d', '\ude00', '😀']) {
      for (const ignoreCase of [false, true]) {
        const { hits, coverage } = await corpus.search(text, { match: 'scan', ignoreCase });
        expect(coverage.failed).toBe(0);
        scores.push(hits[0]?.score);
      }
    }
    await corpus.close();
    expect(scores).toEqual([undefined, undefined, undefined, undefined, 8, 8]);
  });
});
