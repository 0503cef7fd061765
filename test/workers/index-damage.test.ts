import BetterSqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, type SealedShard, type ShardQuery, ShardReader } from '../../shards/index.ts';
import { hasPhrases } from '../../shards/ranking/phrase.ts';
import { planWordFilter } from '../../src/search/word-filter.ts';
import type { ShardTarget } from '../../workers/protocol.ts';
import type { ShardCache } from '../../workers/shard-cache.ts';
import { randomCorpus } from '../shards/ranking/random-corpus.ts';
import { ask } from '../shards/ranking/support.ts';
import {
  buildShard,
  copyOf,
  documentOf,
  documentsOf,
  editShard,
  queryAnalyzer,
  randomFrom,
} from '../shards/support.ts';
import { cacheOf, type RankRequest, rankAlone, rankTask, targetOf, type UnpackedAnswer } from './support.ts';

const seed = Number(process.env.SHELFMARK_SEED ?? Date.now() % 1_000_000);
const changes = Number(process.env.SHELFMARK_FLIPS ?? 200);

const queries: ShardQuery[] = [
  ask('every book', 'or'),
  ask('the harbour 東京都 absent', 'or'),
  ask('wi-fi shelf'),
  ask('every river wi'),
  ask('stretch2 stretch0 dune', 'or'),
  ask('basalt copper 1,024.5 archive-2', 'or'),
  ask('amber cedar'),
  ask('', 'or', ['the the']),
  ask('book', 'and', ['wi fi']),
];

let sealed: SealedShard;
let other: ShardCache;
let tasks: RankRequest[];
/** per task the hits of the sound shard, all chunks with their scores, and the hits of another shard */
let expected: UnpackedAnswer['hits'][];
let scores: ReadonlyMap<number, number>[];
let expectedOfOther: UnpackedAnswer['hits'][];

function ofFile(file: string): ShardTarget {
  return { ...targetOf(sealed), file };
}

beforeAll(async () => {
  // Two blocks, and lists for half of the terms, so that postings come from lists and from pages.
  sealed = await buildShard(randomCorpus({ seed: 3, chunks: 4_300, hasDuplicates: true }), { listThreshold: 600 });
  const second = await buildShard(randomCorpus({ seed: 4, chunks: 200, hasDuplicates: false }), { listThreshold: 20 });
  const corpus = [targetOf(sealed), targetOf(second)];
  const task = rankTask(corpus, queries);
  const words = planWordFilter(queryAnalyzer, { prefixes: ['s'], not: ['river', 'the the'] });
  tasks = [task, { ...task, by: 'document' }, { ...task, words }];
  const sound = cacheOf([targetOf(sealed)]);
  other = cacheOf([targetOf(second)]);
  expected = tasks.map((one) => rankAlone(one, sound).hits);
  expectedOfOther = tasks.map((one) => rankAlone(one, other).hits);
  scores = rankAlone({ ...task, k: 10_000 }, sound).hits.map(
    (hits) => new Map(hits.map(({ chunk, score }) => [chunk, score])),
  );
  sound.close();
});

afterAll(() => other.close());

/**
 * Searches a damaged file: it fails as damaged, or the answer is right.
 *
 * For a phrase FTS5's MATCH reads pages whose checksums nobody compares, so a hit may be lost there. Wrong ones may not be
 * found: their terms are looked up in checked pages and lists, and where these stand is read from the text.
 */
function searchDamaged(file: string): 'failed' | 'answered' {
  const cache = cacheOf([ofFile(file)]);
  let outcome: 'failed' | 'answered' = 'answered';
  for (const [index, task] of tasks.entries()) {
    const { hits, failed, timedOut } = rankAlone(task, cache);
    expect(timedOut).toEqual([]);
    if (failed.length > 0) {
      outcome = 'failed';
      const [{ error } = { error: undefined }] = failed;
      expect(error, error?.stack ?? '').toMatchObject({ code: 'SHELFMARK_CORRUPT' });
      expect(error?.message).toContain(file);
      expect(hits.flat()).toEqual([]);
      continue;
    }
    for (const [query, { phrases }] of queries.entries()) {
      if (phrases.length === 0) expect(hits[query]).toEqual(expected[index]![query]);
      else expectTruePhrases(hits[query]!, query);
    }
  }
  cache.close();
  return outcome;
}

function expectTruePhrases(hits: UnpackedAnswer['hits'][number], query: number): void {
  const reader = new ShardReader(sealed.file);
  for (const { chunk, score } of hits) {
    expect(score).toBe(scores[query]!.get(chunk));
    expect(hasPhrases(reader, chunk, queries[query]!.phrases)).toBe(true);
  }
  reader.close();
}

/** A search that fails half-way must leave nothing behind in its thread. */
function expectOtherUnharmed(): void {
  for (const [index, task] of tasks.entries()) {
    expect(rankAlone(task, other)).toMatchObject({ hits: expectedOfOther[index], failed: [] });
  }
}

/** Changes something in a shard file; what it gives back takes it back. */
type Damage = (database: Database, random: (below: number) => number) => { readonly what: string; undo(): void };

/** Changes a byte of a value. */
function flip(table: string, key: string, column: string, where = '1'): Damage {
  return (database, random) => {
    const keys = database.prepare(`SELECT ${key} FROM ${table} WHERE ${where}`).pluck().safeIntegers().all();
    const row = keys[random(keys.length)];
    const select = database.prepare(`SELECT ${column} FROM ${table} WHERE ${key} = ?`).pluck();
    const update = database.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${key} = ?`);
    const bytes = select.get(row) as Buffer;
    const damaged = Buffer.from(bytes);
    const at = random(damaged.length);
    const mask = 1 + random(255);
    damaged[at]! ^= mask;
    update.run(damaged, row);
    return { what: `${table} ${row}, ${column}, byte ${at} ^ ${mask}`, undo: () => void update.run(bytes, row) };
  };
}

/** Changes rows by SQL and puts the whole table back. */
function edit(table: string, sql: string): Damage {
  return (database, random) => {
    database.exec(`CREATE TEMP TABLE kept AS SELECT * FROM main.${table}`);
    const nth = random(Number(database.prepare(`SELECT count(*) FROM ${table}`).pluck().get()));
    const statement = sql.replaceAll('$nth', String(nth));
    database.exec(statement);
    const undo = (): void => {
      database.exec(`DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM kept; DROP TABLE kept`);
    };
    return { what: statement, undo };
  };
}

const leaves = 'id >= 1 << 37';
const damages: Readonly<Record<string, readonly Damage[]>> = {
  'pages of the index': [flip('fts_data', 'id', 'block', leaves)],
  'the structure record': [flip('fts_data', 'id', 'block', 'id = 10')],
  'heads of lists': [
    flip('list', 'term', 'head'),
    edit('list', 'UPDATE list SET first_segment = first_segment + 1 WHERE term > (SELECT min(term) FROM list)'),
    edit('list', "UPDATE list SET term = term || 'x' WHERE term IN (SELECT term FROM list LIMIT 1 OFFSET $nth)"),
    edit('list', 'DELETE FROM list WHERE term IN (SELECT term FROM list LIMIT 1 OFFSET $nth)'),
    edit(
      'list',
      `UPDATE list SET (first_segment, head) = (SELECT first_segment, head FROM kept LIMIT 1 OFFSET $nth)
       WHERE term IN ('every', 'book', 'the', 'wi')`,
    ),
  ],
  'segments of lists': [
    flip('list_segment', 'id', 'data'),
    flip('list_segment', 'id', 'data'),
    edit('list_segment', 'UPDATE list_segment SET raw_length = raw_length + 1 WHERE id > $nth'),
    edit('list_segment', 'UPDATE list_segment SET id = -id WHERE id > $nth'),
    edit(
      'list_segment',
      `UPDATE list_segment SET (raw_length, data) = (SELECT raw_length, data FROM kept LIMIT 1 OFFSET $nth)`,
    ),
  ],
  'packed columns': [
    flip('packed', 'name', 'data'),
    edit(
      'packed',
      'UPDATE packed SET raw_length = raw_length - 1 WHERE name IN (SELECT name FROM kept LIMIT 1 OFFSET $nth)',
    ),
    edit('packed', "UPDATE packed SET name = name || 'x' WHERE name IN (SELECT name FROM kept LIMIT 1 OFFSET $nth)"),
    edit('packed', 'UPDATE packed SET (raw_length, data) = (SELECT raw_length, data FROM kept LIMIT 1 OFFSET $nth)'),
  ],
};

describe(`a shard with damage in its index (SHELFMARK_SEED=${seed})`, () => {
  it('answers rightly when there is none', () => {
    expect(searchDamaged(sealed.file)).toBe('answered');
  });

  it.each(Object.keys(damages))('fails or answers rightly with damage in %s, and harms no other shard', (part) => {
    const random = randomFrom(seed);
    const file = copyOf(sealed.file);
    const database = new BetterSqlite(file);
    database.unsafeMode(true);
    database.pragma('journal_mode=OFF');
    database.pragma('synchronous=OFF');
    const kinds = damages[part]!;
    const outcomes = { failed: 0, answered: 0 };
    for (let round = 0; round < changes / Object.keys(damages).length; round++) {
      const { what, undo } = kinds[round % kinds.length]!(database, random);
      try {
        outcomes[searchDamaged(file)]++;
        expectOtherUnharmed();
      } catch (error) {
        throw new Error(`seed ${seed}, round ${round}: ${what}`, { cause: error });
      }
      undo();
    }
    database.close();
    expect(searchDamaged(file)).toBe('answered');
    expect(outcomes.failed).toBeGreaterThan(0);
  });
});

describe('a packed column', () => {
  it('is never taken for another, as by an index entry that leads to the wrong row', async () => {
    // Documents of two chunks and of one, by turns: their numbers of chunks could be places in an order.
    const uris = ['a', 'b', 'c', 'd', 'e', 'f'];
    const shard = await buildShard(
      uris.map((uri, index) => documentOf(index % 2 === 0 ? ['same ', 'same'] : 'same', { uri })),
    );
    const corpus = [targetOf(shard)];
    const task = rankTask(corpus, [ask('same', 'or')], { k: 3, by: 'document' });
    const hitsIn = (target: ShardTarget): UnpackedAnswer => {
      const cache = cacheOf([target]);
      const answer = rankAlone(task, cache);
      cache.close();
      return answer;
    };
    const sound = hitsIn(corpus[0]!).hits;
    const names = ['lengths', 'documents', 'order', 'leaves'];
    for (const one of names) {
      for (const other of names.filter((name) => name !== one)) {
        const file = copyOf(shard.file);
        editShard(file, (database) =>
          database
            .prepare(
              `UPDATE packed SET (raw_length, data) = (SELECT raw_length, data FROM packed WHERE name = ?)
               WHERE name = ?`,
            )
            .run(other, one),
        );
        const { hits, failed } = hitsIn({ ...corpus[0]!, file });
        if (failed.length === 0) expect(hits, `${other} as ${one}`).toEqual(sound);
      }
    }
  });
});

describe('a search that fails half-way', () => {
  // Scores of the block under way stayed in the thread, and were added to what the next search found there.
  it.each([
    ['a segment of a list is damaged', 'chunk', 'UPDATE list_segment SET raw_length = 1 WHERE id = 1'],
    ['the order of documents is missing', 'chunk', "DELETE FROM packed WHERE name = 'order'"],
    ['the chunks of documents are missing', 'document', "DELETE FROM packed WHERE name = 'documents'"],
  ] as const)('because %s leaves nothing behind for the next', async (_, by, sql) => {
    const texts = Array.from(
      { length: 60 },
      (_, index) => `all ${index % 3 === 0 ? 'some' : ''} ${index % 5 === 0 ? 'few' : ''}`,
    );
    const shard = await buildShard(documentsOf(...texts), { listThreshold: 2 });
    const file = copyOf(shard.file);
    editShard(file, (database) => database.exec(sql));
    const corpus = [targetOf(shard)];
    const task = rankTask(corpus, [ask('some all', 'or')], { by });
    const next = rankTask(corpus, [ask('few all', 'or')], { k: 100 });
    const [sound, damaged] = [cacheOf(corpus), cacheOf([{ ...corpus[0]!, file }])];
    const before = rankAlone(next, sound).hits;
    expect(before[0]).toHaveLength(60);
    expect(rankAlone(task, damaged).failed).toHaveLength(1);
    expect(rankAlone(next, sound).hits).toEqual(before);
    for (const cache of [sound, damaged]) cache.close();
  });
});
