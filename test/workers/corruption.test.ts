import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ErrorCode,
  type ErrorData,
  type SealedShard,
  type ShardQuery,
  type StoredDocument,
  termsOf,
  type VerifyDepth,
  verifyShardFile,
} from '../../shards/index.ts';
import type { RankedHit, ShardTarget } from '../../workers/protocol.ts';
import { fetchHits } from '../../workers/search-shards.ts';
import type { ShardCache } from '../../workers/shard-cache.ts';
import { verifyShard } from '../../workers/verify-shard.ts';
import { ask } from '../shards/ranking/support.ts';
import {
  buildShard,
  copyOf,
  documentOf,
  editShard,
  filterBy,
  flipByte,
  randomFrom,
  reopen,
  type TestDocument,
} from '../shards/support.ts';
import { cacheOf, fetchTask, type RankRequest, rankAlone, rankTask, targetOf, type UnpackedAnswer } from './support.ts';

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

const questions: readonly (readonly [text: string, mode: ShardQuery['mode'], phrases: readonly string[]])[] = [
  ['archive shelf', 'or', []],
  ['PIO-1384', 'and', []],
  ['東京都 図書館', 'or', []],
  ['harbour', 'and', []],
  ['n17', 'or', []],
  ['letter river', 'and', []],
  ['year 1815', 'or', []],
  ['the wool of harbour', 'or', []],
  ['copper', 'and', ['the letter']],
  ['', 'or', ['PIO-1384']],
];
const queries = questions.map((question) => ask(...question));

let sealed: SealedShard;
let other: SealedShard;
let documents: Map<number, StoredDocument>;
let texts: Map<number, string>;
let task: RankRequest;
/** per query the hits of the sound shard, and every chunk that can be one with its score */
let expected: readonly (readonly RankedHit[])[];
/** the same by document, of letters alone */
let expectedLetters: readonly (readonly RankedHit[])[];
let scores: readonly ReadonlyMap<number, number>[];
let expectedOfOther: UnpackedAnswer['hits'];

beforeAll(async () => {
  // A low threshold, so that there are lists.
  sealed = await buildShard(archive(randomFrom(7)), { listThreshold: 16 });
  other = await buildShard(archive(randomFrom(8)), { listThreshold: 16 });
  reopen(sealed.file, (reader) => {
    documents = new Map([...reader.documents()].map((document) => [document.id, document]));
    texts = new Map([...reader.chunks()].map(({ chunk, lead, body }) => [chunk, lead + body]));
  });
  const corpus = [targetOf(sealed), targetOf(other)];
  task = rankTask(corpus, queries, { k: 12 });
  const sound = cacheOf([targetOf(sealed)]);
  expected = rankAlone(task, sound).hits;
  expectedLetters = rankAlone({ ...task, by: 'document', filter: filterBy({ kind: ['letter'] }) }, sound).hits;
  scores = rankAlone({ ...task, k: 10_000 }, sound).hits.map((hits) => {
    return new Map(hits.map(({ chunk, score }) => [chunk, score]));
  });
  sound.close();
  const soundOther = cacheOf([targetOf(other)]);
  expectedOfOther = rankAlone(task, soundOther).hits;
  soundOther.close();
});

function targetAt(file: string): ShardTarget {
  return { ...targetOf(sealed), file };
}

const typedCodes: readonly ErrorCode[] = [
  'SHELFMARK_CORRUPT',
  'SHELFMARK_TOO_NEW',
  'SHELFMARK_TOO_OLD',
  'SHELFMARK_UNKNOWN_ANALYZER',
];

function expectTyped({ code, message, stack }: ErrorData, file: string): void {
  expect(typedCodes, `${code}: ${stack}`).toContain(code);
  expect(message).toContain(file);
}

/**
 * Hits are those of the sound shard. The part of FTS5's index that MATCH alone reads for a phrase is not verified: there a
 * hit can be lost, but what is found has its right score.
 */
function expectRight(answer: { readonly hits: typeof expected }, wanted: typeof expected): void {
  for (const [query, hits] of answer.hits.entries()) {
    if (queries[query]!.phrases.length === 0) expect(hits).toEqual(wanted[query]);
    else for (const { chunk, score } of hits) expect(score).toBe(scores[query]!.get(chunk));
  }
}

/** Searches a file and fetches all hits; each is either an error of the right kind or true to the original. */
function searchTruthfully(file: string): 'failed' | 'partly' | 'answered' {
  const cache = cacheOf([targetAt(file)]);
  try {
    let failures = 0;
    let fetched = 0;
    for (const by of ['chunk', 'document'] as const) {
      const isFiltered = by === 'document';
      const filter = filterBy({ kind: isFiltered ? ['letter'] : [] });
      const answer = rankAlone({ ...task, by, filter }, cache);
      const failed = [...answer.failed, ...answer.unnamed];
      for (const { shard, error } of failed) {
        failures++;
        expect(shard).toBe(sealed.id);
        expectTyped(error, file);
      }
      if (failed.length === 0) expectRight(answer, isFiltered ? expectedLetters : expected);
      const found = answer.hits.flatMap((list, query) => list.map((hit) => ({ ...hit, query })));
      const items = [...new Map(found.map((item) => [item.chunk, item])).values()];
      const results = fetchHits(
        { ...fetchTask(targetAt(file), [], queries[0]!), items, queries: shown, snippetLength: 120, text: true },
        cache,
      );
      for (const [index, result] of results.entries()) {
        const hit = items[index]!;
        if (!result.ok) {
          failures++;
          expectTyped(result.error, file);
          continue;
        }
        fetched++;
        const { value } = result;
        expect(value.document).toEqual(documents.get(hit.document));
        expect(value.text).toBe(texts.get(hit.chunk));
        if (isFiltered) expect(value.document.kind).toBe('letter');
        expect(value.ordinal).toBe(hit.ordinal);
      }
    }
    return failures === 0 ? 'answered' : fetched === 0 ? 'failed' : 'partly';
  } finally {
    cache.close();
  }
}

const shown = queries.map((query) => ({ tokens: query.tokens, literal: null, terms: termsOf(query) }));

/** Searches the other shard of the thread, which is sound. */
function expectOtherUnharmed(cache: ShardCache): void {
  expect(rankAlone(task, cache)).toMatchObject({ hits: expectedOfOther, failed: [] });
}

async function verify(file: string, depth: 'sample' | 'deep') {
  const { id, sha256, bytes, meta } = sealed;
  const { documents: documentCount, chunks } = meta;
  return await verifyShard({
    op: 'verify',
    shard: id,
    file,
    sha256,
    bytes,
    documents: documentCount,
    chunks,
    depth,
    vectors: [],
  });
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

  it('never makes search give wrong hits or text, nor harms another shard, and verify always reports it', async () => {
    const random = randomFrom(seed);
    const file = copyOf(sealed.file);
    const original = readFileSync(sealed.file);
    const sound = cacheOf([targetOf(other)]);
    for (let flip = 0; flip < flips; flip++) {
      const offset = random(original.length);
      const mask = flip % 3 === 0 ? 1 + random(255) : 1 << random(8);
      writeFileSync(file, original);
      flipByte(file, offset, mask);
      const where = `seed ${seed}, flip ${flip}: byte ${offset} ^ ${mask}`;
      try {
        const outcome = searchTruthfully(file);
        count(outcome);
        if (outcome !== 'answered') expectOtherUnharmed(sound);
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
    sound.close();
  }, 600_000);
});

/** Where a table's rows stand, page by page. */
function pagesOf(table: string): { readonly start: number; readonly end: number }[] {
  return reopen(sealed.file, (reader) => {
    const sql = "SELECT pagetype, pageno, pgsize, unused FROM dbstat WHERE name = ? AND pagetype <> 'internal'";
    return [...reader.inspect(sql, table)].map(([type, page, size, unused]) => {
      const [start, end] = [(Number(page) - 1) * Number(size), Number(page) * Number(size)];
      // Rows fill a page from its end, with what is unused before them; the rest of a row fills a page from its start.
      if (type === 'leaf') return { start: Math.min(end - 1, start + Number(unused) + 100), end };
      return { start: start + 4, end: end - Number(unused) };
    });
  });
}

describe('verify without the hash', () => {
  it.each(['block', 'document', 'metadata_block', 'attribute_block', 'fts_data', 'packed', 'list', 'list_segment'])(
    'notices nearly all damage in the content of table %s when deep',
    (table) => {
      const random = randomFrom(seed + 1);
      const pages = pagesOf(table);
      const file = copyOf(sealed.file);
      const original = readFileSync(sealed.file);
      let noticed = 0;
      for (let flip = 0; flip < 40; flip++) {
        const { start, end } = pages[random(pages.length)]!;
        writeFileSync(file, original);
        flipByte(file, start + random(end - start), 1 + random(255));
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
    { what: 'other counts of lists', sql: "UPDATE meta SET value = '1' WHERE key = 'lists'", parts: ['counts'] },
    {
      what: 'postings that are missing',
      sql: 'DELETE FROM fts_data WHERE id = (SELECT max(id) FROM fts_data)',
      parts: ['columns', 'index'],
    },
    ...['lengths', 'documents', 'order', 'modified', 'leaves'].map((name) => ({
      what: `that the column "${name}" is missing`,
      sql: `DELETE FROM packed WHERE name = '${name}'`,
      parts: ['columns'],
    })),
    {
      what: 'that the list of attributes is missing',
      sql: "DELETE FROM packed WHERE name = 'attributes'",
      parts: ['attributes'],
    },
    { what: 'attributes that are missing', sql: 'DELETE FROM attribute_block', parts: ['counts', 'attributes'] },
    {
      what: 'attributes under the ids of others',
      sql: `UPDATE attribute_block SET id = -id;
            UPDATE attribute_block SET id = -id % (SELECT count(*) FROM attribute_block) + 1`,
      parts: ['attributes'],
    },
    { what: 'metadata that is missing', sql: 'DELETE FROM metadata_block', parts: ['counts', 'documents'] },
    { what: 'another profile', sql: "UPDATE profile SET kind = 'note' WHERE kind = 'letter'", parts: ['documents'] },
    { what: 'a missing profile', sql: 'DELETE FROM profile', parts: ['documents'] },
    {
      what: 'a list that is missing',
      sql: 'DELETE FROM list WHERE term = (SELECT min(term) FROM list)',
      parts: ['counts'],
    },
    { what: 'a list under another term', sql: "UPDATE list SET term = term || 'x'", parts: ['lists'] },
    {
      what: 'lists with the segments of others',
      sql: 'UPDATE list SET first_segment = first_segment % (SELECT max(id) FROM list_segment) + 1',
      parts: ['lists'],
    },
    { what: 'segments that are missing', sql: 'DELETE FROM list_segment', parts: ['lists'] },
    {
      what: 'segments under the ids of others',
      sql: `UPDATE list_segment SET id = -id;
            UPDATE list_segment SET id = -id % (SELECT count(*) FROM list_segment) + 1`,
      parts: ['lists'],
    },
  ])('reports $what and says in which part', ({ sql, parts }) => {
    const damaged = damagedParts(...sql.split(';'));
    expect(damaged.parts).toEqual(expect.arrayContaining(parts));
    searchTruthfully(damaged.file);
  });
});
