import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_FILTER, type SealedShard, type ShardDocument } from '../../shards/index.ts';
import { byName, mergeRanked } from '../../workers/merge-ranked.ts';
import type { RankedHit, ShardTarget } from '../../workers/protocol.ts';
import type { ShardCache } from '../../workers/shard-cache.ts';
import { anyFilter, filterableFields, meets } from '../shards/filter/filter-model.ts';
import { cutHits, Model } from '../shards/ranking/model.ts';
import { randomCorpus, vocabulary } from '../shards/ranking/random-corpus.ts';
import { ask } from '../shards/ranking/support.ts';
import { buildShard, newPath, reopen, type TestDocument, tempFolder } from '../shards/support.ts';
import { cacheOf, rankIn, rankTask, targetOf } from './support.ts';

const seed = Number(process.env.SHELFMARK_SEED ?? Date.now() % 1_000_000);
const folder = tempFolder();

const documents = withFields(randomCorpus({ seed, chunks: 1_200, hasDuplicates: true }));
const byUri = new Map<string, ShardDocument>(documents.map(({ document }) => [document.uri, document]));

/** The same documents as one shard in one thread, and as several, some without an index of attributes, in two. */
const cuts: { readonly targets: readonly ShardTarget[]; readonly threads: readonly ShardCache[] }[] = [];
let model: Model;

/** Gives documents random fields to filter by. */
function withFields(plain: readonly TestDocument[]): TestDocument[] {
  const fields = fc.sample(filterableFields, { seed, numRuns: plain.length });
  return plain.map(({ document, chunks }, index) => {
    const { folder, mentions, ...others } = fields[index]!;
    const last = chunks.at(-1)!;
    return {
      document: { ...document, ...others, uri: folder + document.uri, text: document.text + mentions },
      chunks: [...chunks.slice(0, -1), { ...last, end: last.end + mentions.length }],
    };
  });
}

beforeAll(async () => {
  for (const count of [1, 5]) {
    const sealed: SealedShard[] = [];
    for (let shard = 0; shard < count; shard++) {
      const group = documents.filter((_, index) => index % count === shard);
      const attributeBytes = shard === 3 ? 0 : 2 ** 27;
      sealed.push(await buildShard(group, { file: newPath(folder), listThreshold: 8, attributeBytes }));
    }
    if (count === 1) model = reopen(sealed[0]!.file, (reader) => new Model([reader]));
    const targets = sealed.map((shard) => targetOf(shard));
    const lanes = count === 1 ? [targets] : [targets.slice(0, 2), targets.slice(2)];
    cuts.push({ targets, threads: lanes.map((lane) => cacheOf(lane)) });
  }
});

afterAll(() => {
  for (const { threads } of cuts) for (const thread of threads) thread.close();
});

const request = fc.record({
  text: fc.array(fc.constantFrom(...vocabulary.slice(0, 12), 'every'), { minLength: 1, maxLength: 4 }),
  mode: fc.constantFrom<'and' | 'or'>('and', 'or'),
  phrases: fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, fc.constantFrom(['the the'], ['wi fi'])),
  filter: anyFilter,
  k: fc.constantFrom(1, 10, 100, 10_000),
  by: fc.constantFrom<'chunk' | 'document'>('chunk', 'document'),
});

describe(`hits under a filter (SHELFMARK_SEED=${seed})`, () => {
  it('are those of a plain model, in every mode, by chunk and document, however the corpus is cut', () => {
    fc.assert(
      fc.property(request, ({ text, mode, phrases, filter, k, by }) => {
        const query = ask(text.join(' '), mode, phrases);
        const allows = (uri: string): boolean => meets(byUri.get(uri)!, filter);
        const task = rankTask(cuts[0]!.targets, [query], { k, by, filter });
        const expected = cutHits(model.rank(query, { ...task, filter: NO_FILTER, allows }), k, by);
        for (const { threads } of cuts) {
          const answers = rankIn(threads, task);
          expect(answers.flatMap(({ failed }) => failed)).toEqual([]);
          const lists = answers.map(({ hits }) => hits[0]!);
          const found = mergeRanked(
            lists,
            k,
            byName((hit: RankedHit) => hit),
          );
          expect(found.map(({ uri, ordinal, score }) => ({ uri, ordinal, score }))).toEqual(
            expected.map(({ uri, ordinal, score }) => ({ uri, ordinal, score })),
          );
        }
      }),
      { numRuns: 150, seed },
    );
  });

  it('come from no shard that has no document for them', () => {
    const [{ targets, threads }] = cuts as [(typeof cuts)[0]];
    const filter = { ...NO_FILTER, uriPrefixes: ['nowhere/'] };
    const [answer] = rankIn(threads, rankTask(targets, [ask('every', 'or')], { filter }));
    expect(answer).toMatchObject({ hits: [[]], failed: [], work: [{ shards: 0, shardsSkipped: 1, postings: 0 }] });
  });
});
