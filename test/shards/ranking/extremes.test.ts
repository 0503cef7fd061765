import { describe, expect, it } from 'vitest';
import { NO_FILTER, noWork, type Scoring, type ShardQuery, type ShardReader, termsOf } from '../../../shards/index.ts';
import { buildShard, documentOf, randomFrom, reopen, type TestDocument } from '../support.ts';
import { cutHits, inShard, Model } from './model.ts';
import { ask, rank, scoringOf } from './support.ts';

/** Compares with the model, by chunk and by document. */
function expectAsModel(
  reader: ShardReader,
  model: Model,
  queries: readonly ShardQuery[],
  depths: readonly number[],
  changes: Partial<Scoring> = {},
): void {
  const scoring = scoringOf(reader, changes);
  for (const query of queries) {
    const frequencies = model.frequencies(termsOf(query));
    const expected = model.rank(query, { filter: NO_FILTER, scoring, frequencies });
    for (const by of ['chunk', 'document'] as const) {
      for (const k of depths) {
        expect(rank(reader, query, { k, by, scoring, frequencies })).toEqual(inShard(cutHits(expected, k, by)));
      }
    }
  }
}

/** Segments of each list. */
function segmentsOf(reader: ShardReader): Map<string, number> {
  const sql = `SELECT term, lead(first_segment, 1, (SELECT max(id) + 1 FROM list_segment))
                 OVER (ORDER BY first_segment) - first_segment FROM list`;
  return new Map([...reader.inspect(sql)].map(([term, segments]) => [String(term), Number(segments)]));
}

describe('70,000 chunks of 10,000 documents with one term in all of them', () => {
  it('are ranked as the model ranks them, whatever is skipped', async () => {
    const random = randomFrom(70_000);
    let chunk = 0;
    const text = (): string => {
      chunk++;
      const words = ['all'];
      if (random(2) === 0) words.push('half');
      if (random(10) === 0) words.push('tenth');
      if (chunk % 5_000 === 77) words.push('rare');
      if (chunk > 69_000) words.push('late');
      // A few chunks are much better than the rest, in the middle only.
      if (chunk > 30_000 && chunk < 30_400 && random(9) === 0) words.push('half half tenth tenth tenth tenth');
      while (random(3) === 0) words.push('filler');
      return `${words.join(' ')} `;
    };
    const documents = Array.from({ length: 10_000 }, (_, index): TestDocument => {
      const uri = `u${(index * 7_919) % 10_007}`;
      return documentOf([text(), text(), text(), text(), text(), text(), text()], { uri });
    });
    const { file, meta } = await buildShard(documents);
    expect(meta.chunks).toBe(70_000);
    const model = reopen(file, (reader) => new Model([reader]));

    const any = ['all', 'half tenth', 'tenth rare all', 'late half'].map((text) => ask(text, 'or'));
    const all = ['half tenth', 'rare all', 'late tenth'].map((text) => ask(text, 'and'));
    reopen(file, (reader) => {
      const segments = segmentsOf(reader);
      expect(segments.get('all')).toBeGreaterThan(3);
      expect(segments.get('half')).toBeGreaterThan(1);
      expect(segments.has('rare')).toBe(false);
      expectAsModel(reader, model, [...any, ...all], [10, 1_000]);
      // The thresholds of a list are chosen under default parameters and hold under any.
      expectAsModel(reader, model, any.slice(1, 2), [1, 100, 10_000], { k1: 0, b: 0 });
      expectAsModel(reader, model, any.slice(1), [17, 100, 1_000], { k1: 3, b: 1 });
      const work = noWork();
      rank(reader, ask('late half', 'or'), { work });
      expect(work.blocks).toBeLessThan(10);
    });
    reopen(file, (reader) => expectAsModel(reader, model, [any[2]!, all[0]!], [10]), { useLists: false });
  });
});

describe('a chunk', () => {
  it('with a term 300 or 100,000 times, more than a byte or 16 bits of a list hold, is scored exactly', async () => {
    const counts = [1, 63, 64, 127, 128, 254, 255, 256, 300, 65_535, 65_536, 100_000];
    const documents = counts.map((count, index) =>
      documentOf(`${'many '.repeat(count)} other`, { uri: `u${index}`, title: index % 3 === 0 ? 'many' : '' }),
    );
    const { file } = await buildShard(documents, { listThreshold: 1 });
    const queries = [ask('many'), ask('many other'), ask('many other', 'or')];
    for (const useLists of [true, false]) {
      reopen(
        file,
        (reader) => {
          const model = new Model([reader]);
          expectAsModel(reader, model, queries, [3, 100]);
          expectAsModel(reader, model, queries, [3, 100], { columnUnits: [4, 3, 1], chunks: 1_000, tokens: 500_000 });
        },
        { useLists },
      );
    }
  });

  it('of 4 MB is found and scored among small ones', async () => {
    const large = `archive wi-fi 東京都 ${'long'.repeat(14)} `.repeat(50_000);
    expect(Buffer.byteLength(large)).toBeGreaterThan(4_000_000);
    const documents = [
      documentOf(['small archive ', large, 'archive'], { uri: 'large' }),
      documentOf('archive wi-fi', { uri: 'small' }),
    ];
    const { file } = await buildShard(documents, { listThreshold: 1 });
    reopen(file, (reader) => {
      const model = new Model([reader]);
      expectAsModel(reader, model, [ask('archive'), ask('wi-fi 東京都'), ask('small 東京', 'or')], [1, 10]);
      expect(rank(reader, ask('', 'or', ['archive wi fi 東京都'])).map(({ chunk }) => chunk)).toEqual([2]);
    });
  });
});
