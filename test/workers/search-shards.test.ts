import { truncateSync, unlinkSync } from 'node:fs';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { SealedShard } from '../../shards/index.ts';
import type { ShardTarget } from '../../workers/protocol.ts';
import { fetchHits, rankShards } from '../../workers/search-shards.ts';
import { ShardCache } from '../../workers/shard-cache.ts';
import { buildShard, copyOf, documentOf, documentsOf, editShard } from '../shards/support.ts';
import { ask, fetchTask, rankTask, targetOf } from './support.ts';

let rooms: SealedShard;
let letters: SealedShard;
const cache = new ShardCache(8);

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
});

afterEach(() => cache.close());

/** The same shard in another file, damaged or gone. */
function broken(sealed: SealedShard, damage: (file: string) => void): ShardTarget {
  const file = copyOf(sealed.file);
  damage(file);
  return { ...targetOf(sealed), file };
}

describe('ranking', () => {
  it('gives per query the best hits over all shards of the task, with their shard', () => {
    const answer = rankShards(
      rankTask([targetOf(rooms), targetOf(letters)], [ask('red'), ask('blue'), ask('absent')]),
      cache,
    );
    expect(answer).toMatchObject({ failed: [], timedOut: [] });
    expect(answer.hits.map((list) => list.map(({ uri }) => uri).sort())).toEqual([
      ['000.txt', '002.txt', 'rooms/maps', 'rooms/papers'],
      ['001.txt', 'rooms/maps'],
      [],
    ]);
    for (const list of answer.hits) {
      expect(list.map(({ score }) => score)).toEqual(list.map(({ score }) => score).sort((a, b) => b - a));
      for (const hit of list) expect(hit.shard).toBe(hit.uri.startsWith('rooms/') ? rooms.id : letters.id);
    }
  });

  it('gives no more than k hits, the same in whatever order the shards come', () => {
    const targets = [targetOf(rooms), targetOf(letters)];
    const forward = rankShards(rankTask(targets, [ask('red')], { k: 2 }), cache);
    const backward = rankShards(rankTask(targets.reverse(), [ask('red')], { k: 2 }), cache);
    expect(forward.hits[0]).toHaveLength(2);
    expect(backward).toEqual(forward);
  });

  it('leaves dead documents out', () => {
    const { hits } = rankShards(rankTask([targetOf(letters, [1, 3])], [ask('red')]), cache);
    expect(hits).toEqual([[]]);
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
      'without documents',
      'SHELFMARK_CORRUPT',
      (file: string) => editShard(file, (database) => database.exec('DELETE FROM document')),
    ],
    [
      'of a newer format',
      'SHELFMARK_TOO_NEW',
      (file: string) =>
        editShard(file, (database) => database.exec("UPDATE meta SET value = '9' WHERE key = 'format'")),
    ],
  ])('names a shard that is %s, with code %s and its file, and answers from the others', (_what, code, damage) => {
    const target = broken(rooms, damage);
    const answer = rankShards(rankTask([target, targetOf(letters)], [ask('red')]), cache);
    expect(answer.failed).toMatchObject([{ shard: rooms.id, error: { code } }]);
    expect(answer.failed[0]?.error.message).toContain(target.file);
    expect(answer.hits[0]?.map(({ uri }) => uri).sort()).toEqual(['000.txt', '002.txt']);
  });

  it('gives no hit of a shard that failed for one of the queries only', () => {
    // "blue" is found through a document row that was changed, "newspapers" is not.
    const target = broken(rooms, (file) =>
      editShard(file, (database) => database.exec("UPDATE document SET uri = 'x' WHERE id = 1")),
    );
    const answer = rankShards(rankTask([target], [ask('newspapers'), ask('blue')]), cache);
    expect(answer.failed).toHaveLength(1);
    expect(answer.hits).toEqual([[], []]);
  });

  it('says of every shard that it did not reach in time that it timed out', () => {
    const targets = [targetOf(rooms), targetOf(letters)];
    const answer = rankShards(rankTask(targets, [ask('red')], { deadline: Date.now() - 1 }), cache);
    expect(answer).toEqual({ hits: [[]], failed: [], timedOut: [rooms.id, letters.id] });
  });

  it('stops when it is told to', () => {
    const stop = new Int32Array(new SharedArrayBuffer(4));
    const task = rankTask([targetOf(rooms)], [ask('red')], { stop, deadline: Date.now() + 600_000 });
    expect(rankShards(task, cache).timedOut).toEqual([]);
    Atomics.store(stop, 0, 1);
    expect(rankShards(task, cache).timedOut).toEqual([rooms.id]);
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
          metadata: '{"floor":2}',
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
    const results = fetchHits(fetchTask(target, [1, 3, 99], ask('red')), cache);
    expect(results.map(({ ok }) => ok)).toEqual([false, true, false]);
    expect(results[0]).toMatchObject({ error: { code: 'SHELFMARK_CORRUPT', facts: { file: target.file } } });
    expect(results[2]).toMatchObject({ error: { code: 'SHELFMARK_CORRUPT' } });
  });

  it('refuses a block under another id: its texts would be passed off as those of other chunks', () => {
    const target = broken(rooms, (file) =>
      editShard(file, (database) => database.exec('UPDATE block SET id = 2, chunk_count = 3')),
    );
    for (const result of fetchHits(fetchTask(target, [1, 2, 3], ask('red')), cache)) {
      expect(result).toMatchObject({ ok: false, error: { code: 'SHELFMARK_CORRUPT' } });
    }
  });

  it('says so when the task names a query that it does not have', () => {
    const task = fetchTask(targetOf(rooms), [1], ask('red'), { queries: [] });
    expect(fetchHits(task, cache)).toMatchObject([{ ok: false, error: { code: 'SHELFMARK_INTERNAL' } }]);
  });
});
