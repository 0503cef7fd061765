import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ErrorCode,
  type SealedShard,
  type ShardQuery,
  type StoredDocument,
  type VerifyDepth,
  verifyShardFile,
} from '../../shards/index.ts';
import type { RankTask, ShardTarget } from '../../workers/protocol.ts';
import { fetchHits, rankShards } from '../../workers/search-shards.ts';
import { ShardCache } from '../../workers/shard-cache.ts';
import { verifyShard } from '../../workers/verify-shard.ts';
import {
  analyzer,
  buildShard,
  copyOf,
  documentOf,
  editShard,
  flipByte,
  randomFrom,
  reopen,
  type TestDocument,
} from '../shards/support.ts';

const seed = Number(process.env.SHELFMARK_SEED ?? Date.now() % 1_000_000);
const flips = Number(process.env.SHELFMARK_FLIPS ?? 210);

const vocabulary = (
  'archive shelf book page ledger letter 1384 PIO-1384 getElementById l\u2019été Straße naïve 東京都 図書館 한국어 हिन्दी 🗄️ ' +
  'the of and in to river bridge winter harbour captain cargo invoice wool copper salt'
).split(' ');

/** Documents enough for several pages of every table, in words that come again. */
function archive(random: (below: number) => number): TestDocument[] {
  return Array.from({ length: 40 }, (_, index) => {
    const sentence = (): string =>
      Array.from({ length: 30 + random(80) }, () =>
        random(6) === 0 ? `n${random(2_000)}` : (vocabulary[random(vocabulary.length)] ?? ''),
      ).join(' ');
    return documentOf(
      // A long rule fills a block without a word, so that there are several blocks.
      [index % 13 === 12 ? '='.repeat(66_000) : '', ...Array.from({ length: 1 + random(4) }, () => `${sentence()}\n`)],
      {
        uri: `letters/${index}.txt`,
        title: `Letter ${index} from the ${vocabulary[random(vocabulary.length)]}`,
        kind: index % 2 === 0 ? 'letter' : 'note',
        byteStart: index * 10_000,
        heading: ['Letters', `Year ${1800 + index}`],
        metadata: JSON.stringify({ index }),
      },
    );
  });
}

const questions = ['archive shelf', 'PIO-1384', '東京都 図書館', 'harbour', 'n17', 'letter river', 'year 1815'];
const queries: ShardQuery[] = questions.map((text, index) => ({
  mode: index % 2 === 0 ? 'or' : 'and',
  tokens: analyzer.queryTokens(text).map(({ alternatives }) => alternatives),
}));

let sealed: SealedShard;
let documents: Map<number, StoredDocument>;
let texts: Map<number, string>;

beforeAll(async () => {
  sealed = await buildShard(archive(randomFrom(7)));
  reopen(sealed.file, (reader) => {
    documents = new Map([...reader.documents()].map((document) => [document.id, document]));
    texts = new Map([...reader.chunks()].map(({ chunk, lead, body }) => [chunk, lead + body]));
  });
});

function targetAt(file: string): ShardTarget {
  const { id, meta } = sealed;
  return { id, file, documents: meta.documents, chunks: meta.chunks, dead: [] };
}

function rankTask(file: string, by: RankTask['by'] = 'chunk'): RankTask {
  const filter = { kinds: by === 'chunk' ? [] : ['letter'], collections: [] };
  return { op: 'rank', shards: [targetAt(file)], queries, k: 12, by, filter, deadline: null, stop: null };
}

const typedCodes: readonly ErrorCode[] = [
  'SHELFMARK_CORRUPT',
  'SHELFMARK_TOO_NEW',
  'SHELFMARK_TOO_OLD',
  'SHELFMARK_UNKNOWN_ANALYZER',
];

/** Searches a file and fetches all hits; each is either an error of the right kind or true to the original. */
function searchTruthfully(file: string): 'failed' | 'partly' | 'answered' {
  const cache = new ShardCache(4);
  try {
    let failures = 0;
    let fetched = 0;
    for (const by of ['chunk', 'document'] as const) {
      const answer = rankShards(rankTask(file, by), cache);
      for (const { shard, error } of answer.failed) {
        failures++;
        expect(shard).toBe(sealed.id);
        expect(typedCodes, `${error.code}: ${error.stack}`).toContain(error.code);
        expect(error.message).toContain(file);
      }
      const found = answer.hits.flatMap((list, query) => list.map((hit) => ({ hit, query })));
      const hits = [...new Map(found.map((item) => [item.hit.chunk, item])).values()];
      const items = hits.map(({ hit, query }) => ({ shard: targetAt(file), chunk: hit.chunk, query }));
      const tokens = queries.map((query) => query.tokens);
      const results = fetchHits({ op: 'fetch', items, queries: tokens, snippetLength: 120, text: true }, cache);
      for (const [index, result] of results.entries()) {
        const { hit } = hits[index]!;
        if (!result.ok) {
          failures++;
          expect(typedCodes, `${result.error.code}: ${result.error.stack}`).toContain(result.error.code);
          expect(result.error.message).toContain(file);
          continue;
        }
        fetched++;
        const { value } = result;
        expect(value.document).toEqual(documents.get(hit.document));
        expect(value.text).toBe(texts.get(hit.chunk));
        if (by === 'document') expect(value.document.kind).toBe('letter');
        expect(hit.uri).toBe(value.document.uri);
        expect(value.ordinal).toBe(hit.chunk - hit.document + 1);
        expect(Number.isFinite(hit.score)).toBe(true);
      }
    }
    return failures === 0 ? 'answered' : fetched === 0 ? 'failed' : 'partly';
  } finally {
    cache.close();
  }
}

async function verify(file: string, depth: 'sample' | 'deep') {
  const { id, sha256, bytes, meta } = sealed;
  const { documents: documentCount, chunks } = meta;
  return await verifyShard({ op: 'verify', shard: id, file, sha256, bytes, documents: documentCount, chunks, depth });
}

describe('an undamaged shard', () => {
  it('answers every question and verifies at every depth', async () => {
    expect(searchTruthfully(sealed.file)).toBe('answered');
    for (const depth of ['sample', 'deep'] as const) {
      expect(await verify(sealed.file, depth)).toMatchObject({ ok: true, shard: sealed.id });
    }
  });
});

describe(`one damaged byte anywhere (SHELFMARK_SEED=${seed})`, () => {
  const outcomes: Record<string, number> = {};
  const noticed: Record<VerifyDepth, number> = { quick: 0, sample: 0, deep: 0 };
  const count = (outcome: string): void => {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  };

  afterAll(() => {
    console.info(`${flips} damaged bytes in ${sealed.bytes}: search`, outcomes, 'noticed without the hash', noticed);
  });

  it('never makes search give wrong text, and verify always reports it', async () => {
    const random = randomFrom(seed);
    const file = copyOf(sealed.file);
    const original = readFileSync(sealed.file);
    for (let flip = 0; flip < flips; flip++) {
      const offset = random(original.length);
      const mask = flip % 3 === 0 ? 1 + random(255) : 1 << random(8);
      writeFileSync(file, original);
      flipByte(file, offset, mask);
      const where = `seed ${seed}, flip ${flip}: byte ${offset} ^ ${mask}`;
      try {
        count(searchTruthfully(file));
        const report = await verify(file, 'sample');
        expect(report.ok).toBe(false);
        expect(report.parts.find(({ name }) => name === 'hash')?.status).toBe('damaged');
        const damaged = report.parts.filter(({ status }) => status === 'damaged').map(({ name }) => name);
        if (damaged.length > 1) noticed.sample++;
        if (damaged.some((name) => name !== 'hash' && name !== 'index')) noticed.quick++;
        if (damaged.length > 1 || !verifyShardFile(file, { depth: 'deep' }).ok) noticed.deep++;
      } catch (error) {
        throw new Error(where, { cause: error });
      }
    }
  }, 600_000);
});

/** Pages on which a table's rows or an index's entries stand. */
function pagesOf(table: string): { readonly page: number; readonly size: number; readonly unused: number }[] {
  return reopen(sealed.file, (reader) => {
    const sql = "SELECT pageno, pgsize, unused FROM dbstat WHERE name = ? AND pagetype IN ('leaf', 'overflow')";
    return [...reader.inspect(sql, table)].map(([page, size, unused]) => ({
      page: Number(page),
      size: Number(size),
      unused: Number(unused),
    }));
  });
}

describe('verify without the hash', () => {
  it.each(['block', 'document', 'fts_data'])(
    'notices nearly all damage in the content of table %s when deep',
    (table) => {
      const random = randomFrom(seed + 1);
      const pages = pagesOf(table);
      const file = copyOf(sealed.file);
      const original = readFileSync(sealed.file);
      let noticed = 0;
      for (let flip = 0; flip < 40; flip++) {
        const { page, size, unused } = pages[random(pages.length)]!;
        // Rows fill a page from its end; what is unused lies before them.
        const used = Math.max(1, size - unused - 100);
        writeFileSync(file, original);
        flipByte(file, page * size - 1 - random(used), 1 + random(255));
        if (!verifyShardFile(file, { depth: 'deep' }).ok) noticed++;
      }
      expect(noticed, `of 40 with seed ${seed + 1}`).toBeGreaterThanOrEqual(36);
    },
  );

  /** Edits a copy and gives back which parts of a deep check are damaged. */
  function damagedParts(...statements: readonly string[]): { readonly file: string; readonly parts: string[] } {
    const file = copyOf(sealed.file);
    editShard(file, (database) => {
      for (const statement of statements) database.exec(statement);
    });
    const report = verifyShardFile(file, { depth: 'deep' });
    return { file, parts: report.parts.filter(({ status }) => status === 'damaged').map(({ name }) => name) };
  }

  it.each([
    {
      what: 'the data of two blocks swapped',
      sql: `CREATE TEMP TABLE two AS SELECT id, raw_length, data FROM block ORDER BY id LIMIT 2;
            UPDATE block SET (raw_length, data) = (SELECT raw_length, data FROM two WHERE two.id <> block.id)
            WHERE id IN (SELECT id FROM two)`,
      parts: ['blocks'],
    },
    { what: 'another raw length', sql: 'UPDATE block SET raw_length = raw_length + 1 WHERE id = 1', parts: ['blocks'] },
    { what: 'a raw length beyond all reason', sql: 'UPDATE block SET raw_length = 1 << 50', parts: ['blocks'] },
    { what: 'another chunk count', sql: 'UPDATE block SET chunk_count = chunk_count - 1', parts: ['blocks'] },
    { what: 'a block that is missing', sql: 'DELETE FROM block WHERE id > 1', parts: ['counts', 'blocks'] },
    { what: 'another uri', sql: "UPDATE document SET uri = 'other' WHERE id = 1", parts: ['documents'] },
    { what: 'another byte range', sql: 'UPDATE document SET byte_end = byte_end + 1', parts: ['documents'] },
    { what: 'another source path', sql: "UPDATE source SET path = '/etc/passwd'", parts: ['documents'] },
    { what: 'a missing source', sql: 'DELETE FROM source', parts: ['documents'] },
    { what: 'a missing document', sql: 'DELETE FROM document WHERE id = 1', parts: ['counts', 'documents'] },
    {
      what: 'other counts of documents',
      sql: "UPDATE meta SET value = '41' WHERE key = 'documents'",
      parts: ['counts'],
    },
    { what: 'other counts of terms', sql: "UPDATE meta SET value = '1' WHERE key = 'terms'", parts: ['index'] },
    { what: 'other counts of text', sql: "UPDATE meta SET value = '1' WHERE key = 'textBytes'", parts: ['blocks'] },
    { what: 'a length row that is missing', sql: 'DELETE FROM fts_docsize WHERE id = 3', parts: ['counts'] },
    {
      what: 'postings that are missing',
      sql: 'DELETE FROM fts_data WHERE id = (SELECT max(id) FROM fts_data)',
      parts: ['index'],
    },
  ])('reports $what and says in which part', ({ sql, parts }) => {
    const damaged = damagedParts(...sql.split(';'));
    expect(damaged.parts).toEqual(expect.arrayContaining(parts));
    searchTruthfully(damaged.file);
  });
});
