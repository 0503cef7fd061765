import { truncateSync, unlinkSync } from 'node:fs';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { COLUMN_UNITS, newFloors, type SealedShard } from '../../shards/index.ts';
import { byName, mergeRanked } from '../../workers/merge-ranked.ts';
import type { RankedHit, ShardTarget } from '../../workers/protocol.ts';
import { countTerms, fetchHits } from '../../workers/search-shards.ts';
import type { ShardCache } from '../../workers/shard-cache.ts';
import { randomCorpus } from '../shards/ranking/random-corpus.ts';
import { ask } from '../shards/ranking/support.ts';
import { buildShard, copyOf, documentOf, documentsOf, editShard, filterBy } from '../shards/support.ts';
import {
  cacheOf,
  fetchTask,
  rankAlone,
  rankBeside,
  rankIn,
  rankTask,
  targetOf,
  type UnpackedAnswer,
  unlimited,
} from './support.ts';

let rooms: SealedShard;
let letters: SealedShard;
let both: readonly ShardTarget[];
let cache: ShardCache;
const opened: ShardCache[] = [];

beforeAll(async () => {
  rooms = await buildShard([
    documentOf(['# Maps\nBlue ', 'and red maps.'], {
      uri: 'rooms/maps',
      title: 'Maps',
      kind: 'note',
      heading: ['Maps'],
      metadata: '{"floor":2}',
    }),
    documentOf('Red newspapers.', { uri: 'rooms/papers' }),
  ]);
  letters = await buildShard(documentsOf('A red letter.', 'A blue letter.', 'Red, red, red.'));
  both = [targetOf(rooms), targetOf(letters)];
  cache = open(...both);
});

afterEach(() => {
  for (const one of opened) one.close();
});

/** A thread's shards, closed after the test. */
function open(...shards: readonly ShardTarget[]): ShardCache {
  const opening = cacheOf(shards);
  opened.push(opening);
  return opening;
}

/** The same shard in another file, damaged or gone. */
function broken(sealed: SealedShard, damage: (file: string) => void): ShardTarget {
  const file = copyOf(sealed.file);
  damage(file);
  return { ...targetOf(sealed), file };
}

/** Uris of the hits of each query. */
function urisOf({ hits }: Pick<UnpackedAnswer, 'hits'>): string[][] {
  return hits.map((list) => list.map(({ uri }) => uri));
}

describe('counting', () => {
  const count = (shards: ShardCache, terms: readonly string[], limits = {}) =>
    countTerms({ op: 'count', terms, columnUnits: COLUMN_UNITS, ...unlimited, ...limits }, shards);

  it('gives the chunks of all shards that have a term', () => {
    expect(count(cache, ['red', 'blue', 'letter', 'absent', 'map'])).toEqual({
      frequencies: Float64Array.of(4, 2, 2, 0, 2),
      failed: [],
      timedOut: [],
    });
  });

  it('leaves out shards that are excluded, and those that fail with all they had', async () => {
    expect(count(cache, ['red', 'blue'], { excluded: [rooms.id] }).frequencies).toEqual(Float64Array.of(2, 1));
    // "blue" is on the first page of the index, "red" on a page that is gone.
    const words = Array.from({ length: 3_000 }, (_, index) => `m${index}`).join(' ');
    const sealed = await buildShard(documentsOf(`blue ${words} red`));
    const sound = targetOf(sealed);
    const target = broken(sealed, (file) =>
      editShard(file, (database) =>
        database.exec('DELETE FROM fts_data WHERE id = (SELECT max(id) FROM fts_data WHERE id < 1 << 38)'),
      ),
    );
    expect(count(open(sound), ['blue', 'red']).frequencies).toEqual(Float64Array.of(1, 1));
    expect(count(open(target), ['blue'])).toMatchObject({ frequencies: Float64Array.of(1), failed: [] });
    const answer = count(open(target, targetOf(letters)), ['blue', 'red']);
    expect(answer).toMatchObject({ frequencies: Float64Array.of(1, 2), failed: [{ shard: sealed.id }], timedOut: [] });
  });

  it('says of every shard that it did not reach in time that it timed out', () => {
    const answer = count(cache, ['red'], { deadline: Date.now() - 1 });
    expect(answer).toEqual({ frequencies: Float64Array.of(0), failed: [], timedOut: [rooms.id, letters.id] });
  });
});

describe('ranking', () => {
  it('gives per query the best hits over all shards of the thread, with their shard', () => {
    const answer = rankAlone(rankTask(both, [ask('red'), ask('blue'), ask('absent')]), cache);
    expect(answer).toMatchObject({ failed: [], timedOut: [] });
    expect(urisOf(answer).map((list) => list.sort())).toEqual([
      ['000.txt', '002.txt', 'rooms/maps', 'rooms/papers'],
      ['001.txt', 'rooms/maps'],
      [],
    ]);
    for (const [query, list] of answer.hits.entries()) {
      expect(list.map(({ score }) => score)).toEqual(list.map(({ score }) => score).sort((a, b) => b - a));
      for (const [index, { shard }] of list.entries()) {
        expect(shard).toBe(urisOf(answer)[query]![index]!.startsWith('rooms/') ? rooms.id : letters.id);
      }
    }
  });

  it('gives no more than k hits, the same in whatever order the shards come', () => {
    const task = rankTask(both, [ask('red')], { k: 2 });
    const forward = rankAlone(task, cache);
    const backward = rankAlone(task, open(...both.toReversed()));
    expect(forward.hits[0]).toHaveLength(2);
    expect(backward.hits).toEqual(forward.hits);
  });

  it('gives the same when only one shard can be open at a time', () => {
    const queries = [ask('red'), ask('blue letter', 'or')];
    const one = cacheOf(both, { maxOpen: 1 });
    opened.push(one);
    const expected = rankAlone(rankTask(both, queries), cache).hits;
    expect(rankAlone(rankTask(both, queries), one).hits).toEqual(expected);
  });

  it('leaves dead documents and excluded shards out', () => {
    const task = rankTask(both, [ask('red')]);
    expect(rankAlone(task, open(targetOf(letters, [1, 3]))).hits).toEqual([[]]);
    const { hits } = rankAlone({ ...task, excluded: [letters.id] }, cache);
    expect(hits[0]!.map(({ shard }) => shard)).toEqual([rooms.id, rooms.id]);
  });

  it('counts the work of each query apart, and shards that have nothing for it as skipped', () => {
    const { work } = rankAlone(rankTask(both, [ask('letter'), ask('absent'), ask('red')]), open(...both));
    expect(work).toMatchObject([
      { shards: 1, shardsSkipped: 1, terms: 2, termsCached: 0, candidates: 2, blocks: 1 },
      { shards: 0, candidates: 0, blocks: 0 },
      { shards: 2, shardsSkipped: 0, terms: 2, termsCached: 0, candidates: 4, postings: 4 },
    ]);
    for (const { pages } of [work[0]!, work[2]!]) expect(pages).toBe(2);
  });

  it('finds terms in the cache that were counted or ranked before', () => {
    const task = rankTask(both, [ask('red')]);
    const fresh = open(...both);
    countTerms({ op: 'count', terms: ['red'], columnUnits: COLUMN_UNITS, ...unlimited }, fresh);
    expect(rankAlone(task, fresh).work).toMatchObject([{ terms: 2, termsCached: 2, pages: 0, lists: 0 }]);
  });

  it.each([
    ['missing', 'SHELFMARK_NOT_FOUND', (file: string) => unlinkSync(file)],
    ['cut off', 'SHELFMARK_CORRUPT', (file: string) => truncateSync(file, 9_000)],
    [
      'without its index',
      'SHELFMARK_CORRUPT',
      (file: string) => editShard(file, (database) => database.exec('DROP TABLE fts')),
    ],
    [
      'without lists',
      'SHELFMARK_CORRUPT',
      (file: string) => editShard(file, (database) => database.exec('DROP TABLE list')),
    ],
    [
      'without packed columns',
      'SHELFMARK_CORRUPT',
      (file: string) => editShard(file, (database) => database.exec('DELETE FROM packed')),
    ],
    [
      'of a newer format',
      'SHELFMARK_TOO_NEW',
      (file: string) =>
        editShard(file, (database) => database.exec("UPDATE meta SET value = '9' WHERE key = 'format'")),
    ],
    [
      'of an older format',
      'SHELFMARK_TOO_OLD',
      (file: string) =>
        editShard(file, (database) => database.exec("UPDATE meta SET value = '1' WHERE key = 'format'")),
    ],
  ])('names a shard that is %s, with code %s and its file, and answers from the others', (_what, code, damage) => {
    const target = broken(rooms, damage);
    const shards = open(target, targetOf(letters));
    const answer = rankAlone(rankTask(both, [ask('red')]), shards);
    expect(answer.failed).toMatchObject([{ shard: rooms.id, error: { code } }]);
    expect(answer.failed[0]?.error.message).toContain(target.file);
    expect(urisOf(answer)[0]?.sort()).toEqual(['000.txt', '002.txt']);
  });

  it('names a shard without attributes when a filter needs them', () => {
    const target = broken(rooms, (file) => editShard(file, (database) => database.exec('DELETE FROM attribute_block')));
    const filter = filterBy({ kind: ['note', 'document'] });
    const answer = rankAlone(rankTask(both, [ask('red')], { filter }), open(target, targetOf(letters)));
    expect(answer.failed).toMatchObject([{ shard: rooms.id, error: { code: 'SHELFMARK_CORRUPT' } }]);
    expect(answer.hits[0]!.map(({ shard }) => shard)).toEqual([letters.id, letters.id]);
  });

  it('gives no hit of a shard that failed for one of the queries only', async () => {
    // "common" has a list, whose only segment is gone; "rare" has none.
    const texts = Array.from({ length: 300 }, (_, index) => (index === 7 ? 'common rare' : 'common'));
    const sealed = await buildShard(documentsOf(...texts));
    const target = broken(sealed, (file) => editShard(file, (database) => database.exec('DELETE FROM list_segment')));
    const corpus = [targetOf(sealed)];
    expect(rankAlone(rankTask(corpus, [ask('rare')]), open(target)).hits[0]).toHaveLength(1);
    const answer = rankAlone(rankTask(corpus, [ask('rare'), ask('common')]), open(target));
    expect(answer.failed).toHaveLength(1);
    expect(answer.hits).toEqual([[], []]);
  });

  it('gives all hits of a sound shard beside one that has better ones and then fails, also in another thread', async () => {
    const texts = Array.from({ length: 40 }, (_, index) => `red ${index % 2 === 0 ? 'blue' : ''}`);
    const better = await buildShard(documentsOf(...texts), { listThreshold: 10 });
    const worse = await buildShard(documentsOf(...texts.map((text) => `${text} and many more words`)));
    // "red" is ranked before the list of "blue" turns out to be damaged.
    const target = broken(better, (file) =>
      editShard(file, (database) => database.exec('UPDATE list_segment SET raw_length = 1 WHERE id = 1')),
    );
    const task = rankTask([targetOf(better), targetOf(worse)], [ask('red', 'or'), ask('blue', 'or')], { k: 5 });
    const expected = rankAlone(task, open(targetOf(worse))).hits;
    const together = rankAlone(task, open(target, targetOf(worse)));
    expect(together).toMatchObject({ failed: [{ shard: better.id }], hits: expected });
    const apart = rankIn([open(target), open(targetOf(worse))], task);
    expect(apart[0]!.failed).toHaveLength(1);
    expect(apart[1]!.hits).toEqual(expected);
  });

  it('gives all hits of a shard beside one with fewer chunks than are wanted', async () => {
    const small = await buildShard(documentsOf('red', 'red'));
    const large = await buildShard(documentsOf(...Array.from({ length: 8 }, () => 'red and other words')));
    const task = rankTask([targetOf(small), targetOf(large)], [ask('red'), ask('red', 'or')], { k: 6 });
    for (const { hits } of [
      rankAlone(task, open(targetOf(small), targetOf(large))),
      rankAlone(task, open(targetOf(large), targetOf(small))),
    ]) {
      for (const list of hits) {
        expect(list.map(({ shard }) => shard)).toEqual([small.id, small.id, ...Array(4).fill(large.id)]);
      }
    }
    const [, ofLarge] = rankIn([open(targetOf(small)), open(targetOf(large))], task);
    expect(ofLarge!.hits.map((list) => list.length >= 4)).toEqual([true, true]);
  });

  it('says of every shard that it did not reach in time that it timed out', () => {
    const answer = rankAlone(rankTask(both, [ask('red')], { deadline: Date.now() - 1 }), cache);
    expect(answer).toMatchObject({ hits: [[]], failed: [], timedOut: [rooms.id, letters.id] });
  });

  it('stops when it is told to', () => {
    const stop = new Int32Array(new SharedArrayBuffer(4));
    const task = rankTask(both, [ask('red')], { stop, deadline: Date.now() + 600_000 });
    expect(rankAlone(task, cache).timedOut).toEqual([]);
    Atomics.store(stop, 0, 1);
    expect(rankAlone(task, cache).timedOut).toEqual([rooms.id, letters.id]);
  });

  it('interrupted at any time gives the hits of the shards that it has done, and throws nothing', async () => {
    const sealed: SealedShard[] = [];
    for (const seed of [1, 2, 3, 4]) {
      sealed.push(await buildShard(randomCorpus({ seed, chunks: 300, hasDuplicates: false }), { listThreshold: 8 }));
    }
    const corpus = sealed.map((shard) => targetOf(shard));
    const queries = ['every book', 'wi-fi the', '東京都 shelf', 'harbour'].flatMap((text) => [
      ask(text, 'or'),
      ask(text),
      ask(text, 'or', ['the the']),
    ]);
    const task = rankTask(corpus, [...queries, ...queries, ...queries]);
    const whole = open(...corpus);
    for (let ms = -1; ms < 30; ms++) {
      const { hits, failed, timedOut } = rankAlone({ ...task, deadline: Date.now() + ms }, open(...corpus));
      expect(failed).toEqual([]);
      expect(hits).toEqual(rankAlone({ ...task, excluded: timedOut }, whole).hits);
    }
    // What an interrupted thread found of a shard that it did not finish must not keep hits of others out.
    const names = byName((hit: RankedHit) => hit);
    for (let ms = 0; ms < 30; ms++) {
      const floors = newFloors(task.queries.length);
      const early = rankBeside(floors, open(...corpus.slice(0, 2)), { ...task, deadline: Date.now() + ms });
      const late = rankBeside(floors, open(...corpus.slice(2)), task);
      const { hits } = rankAlone({ ...task, excluded: early.timedOut }, whole);
      const merged = hits.map((_, query) => mergeRanked([early.hits[query]!, late.hits[query]!], task.k, names));
      expect(merged).toEqual(hits);
    }
  });
});

describe('naming', () => {
  it('gives uri and collection of each hit', () => {
    const { hits } = rankAlone(rankTask(both, [ask('maps')]), cache);
    expect(hits[0]).toMatchObject([
      { shard: rooms.id, uri: 'rooms/maps', collection: 'default', ordinal: 1 },
      { shard: rooms.id, uri: 'rooms/maps', collection: 'default', ordinal: 2 },
    ]);
  });

  it('names a shard with a damaged name among its hits apart from those that could not be ranked', () => {
    const target = broken(rooms, (file) =>
      editShard(file, (database) => database.exec("UPDATE document SET uri = 'x' WHERE id = 1")),
    );
    const shards = open(target, targetOf(letters));
    const answer = rankAlone(rankTask(both, [ask('red'), ask('letter')]), shards);
    expect(answer.unnamed).toMatchObject([
      { shard: rooms.id, error: { code: 'SHELFMARK_CORRUPT', facts: { file: target.file } } },
    ]);
    expect(answer.failed).toEqual([]);
    expect(rankAlone(rankTask(both, [ask('newspapers')]), shards)).toMatchObject({ unnamed: [] });
  });

  it('leaves out hits that another thread has outdone', () => {
    const task = rankTask(both, [ask('red')], { k: 2 });
    const [best] = rankAlone(task, open(targetOf(letters))).hits;
    const floors = newFloors(1);
    const early = rankBeside(floors, open(...both), task);
    expect(early.hits[0]).toHaveLength(2);
    const late = rankBeside(floors, open(targetOf(rooms)), task);
    const least = early.hits[0]!.at(-1)!.score;
    expect(late.hits[0]!.every(({ score }) => score >= Math.fround(least) - 1e-6)).toBe(true);
    expect(late.hits[0]!.length).toBeLessThan(2 + best!.length);
  });
});

describe('fetching', () => {
  it('gives place, text, snippet and matched words of each hit', () => {
    const [first, second] = fetchHits(fetchTask(targetOf(rooms), [1, 2], ask('red maps'), { text: true }), cache);
    expect(second).toMatchObject({
      ok: true,
      value: {
        document: {
          id: 1,
          uri: 'rooms/maps',
          title: 'Maps',
          kind: 'note',
          metadataBytes: 11,
          source: { path: '/archive/a.jsonl', byteStart: 100, byteEnd: 125 },
        },
        heading: ['Maps'],
        ordinal: 2,
        text: 'and red maps.',
        snippet: {
          text: 'and red maps.',
          highlights: [
            [4, 7],
            [8, 12],
          ],
        },
        matched: [true, true],
        explanation: null,
      },
    });
    expect(first).toMatchObject({ ok: true, value: { ordinal: 1, matched: [false, true] } });
  });

  it('sends the text only when it is wanted', () => {
    const [hit] = fetchHits(fetchTask(targetOf(rooms), [2], ask('red')), cache);
    expect(hit).toMatchObject({ ok: true, value: { text: null } });
  });

  it('fails for a damaged hit alone', () => {
    const target = broken(rooms, (file) =>
      editShard(file, (database) => database.exec("UPDATE document SET title = 'x' WHERE id = 1")),
    );
    const results = fetchHits(fetchTask(target, [1, 3, 99], ask('red')), open(target));
    expect(results.map(({ ok }) => ok)).toEqual([false, true, false]);
    expect(results[0]).toMatchObject({ error: { code: 'SHELFMARK_CORRUPT', facts: { file: target.file } } });
    expect(results[2]).toMatchObject({ error: { code: 'SHELFMARK_CORRUPT' } });
  });

  it('refuses a block under another id: its texts would be passed off as those of other chunks', () => {
    const target = broken(rooms, (file) =>
      editShard(file, (database) => database.exec('UPDATE block SET id = 2, chunk_count = 3')),
    );
    for (const result of fetchHits(fetchTask(target, [1, 2, 3], ask('red')), open(target))) {
      expect(result).toMatchObject({ ok: false, error: { code: 'SHELFMARK_CORRUPT' } });
    }
  });

  it('reads nothing more when nobody wants it any more', () => {
    const stop = new Int32Array(new SharedArrayBuffer(4));
    const task = fetchTask(targetOf(rooms), [1, 2], ask('red'), { stop });
    expect(fetchHits(task, cache).map(({ ok }) => ok)).toEqual([true, true]);
    Atomics.store(stop, 0, 1);
    expect(fetchHits(task, cache).map(({ ok }) => ok)).toEqual([false, false]);
  });

  it('says so when the task names a query that it does not have', () => {
    const task = fetchTask(targetOf(rooms), [1], ask('red'), { queries: [] });
    expect(fetchHits(task, cache)).toMatchObject([{ ok: false, error: { code: 'SHELFMARK_INTERNAL' } }]);
  });

  it('explains each score by the terms of the chunk, whose contributions add up to it', () => {
    const query = ask('red maps blue', 'or');
    const task = rankTask(both, [query]);
    const { scoring, frequencies } = task;
    const [hits] = rankAlone(task, cache).hits;
    expect(hits).toHaveLength(6);
    for (const { shard, chunk, score } of hits!) {
      const items = [{ shard, chunk, score, query: 0 }];
      const explain = { scoring, frequencies };
      const [fetched] = fetchHits({ ...fetchTask(targetOf(rooms), [], query), items, explain }, cache);
      if (!fetched?.ok) throw new Error('nothing was fetched');
      const { terms, averageLength } = fetched.value.explanation!;
      expect(terms.reduce((sum, { contribution }) => sum + contribution, 0)).toBe(score);
      expect(averageLength).toBe(scoring.tokens / scoring.chunks);
      for (const { term, df } of terms) expect(df).toBe(frequencies.get(term));
    }
    const second = { shard: rooms.id, chunk: 2, score: hits!.find(({ chunk }) => chunk === 2)!.score, query: 0 };
    const [fetched] = fetchHits(
      { ...fetchTask(targetOf(rooms), [], query), items: [second], explain: { scoring, frequencies } },
      cache,
    );
    expect(fetched).toMatchObject({
      value: {
        explanation: {
          length: 5,
          terms: [
            { term: 'red', tf: [0, 0, 1], weightedTf: 1 },
            { term: 'map', tf: [1, 1, 1], weightedTf: 4.5 },
          ],
        },
      },
    });
  });

  it('refuses to explain a score that the text does not give', () => {
    const explain = { scoring: rankTask(both, []).scoring, frequencies: new Map([['red', 4]]) };
    const [fetched] = fetchHits(fetchTask(targetOf(rooms), [2], ask('red'), { explain }), cache);
    expect(fetched).toMatchObject({ ok: false, error: { code: 'SHELFMARK_CORRUPT' } });
  });
});
