import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseContexts } from '../../../src/batch/contexts.ts';
import { type BatchRunOptions, runBatch } from '../../../src/batch/run-batch.ts';
import type { Hit } from '../../../src/index.ts';
import { temporaryFolder } from '../sources/support.ts';
import { build, jsonLines, randomNumbers, randomWords, shelfmarkError, writeJsonl } from '../support.ts';

/** A passage of a document: bytes [start, end) of its text. */
function passage(document: string, ordinal: number, text: string, textStart: number): Hit {
  return {
    rank: 0,
    score: 1,
    shelfmark: `s0000000000/${document}/${ordinal}`,
    uri: document,
    title: document.toUpperCase(),
    heading: [`part ${ordinal}`],
    section: `part-${ordinal}`,
    ordinal,
    snippet: '',
    highlights: [],
    rung: 'any',
    matched: [],
    missing: [],
    label: 'test',
    kind: 'document',
    collection: 'default',
    language: 'en',
    modified_at: null,
    source: { path: '', byteStart: 0, byteEnd: 0, sha256: '' },
    text,
    textStart,
  };
}

/** Hits in this order. */
function ranked(...passages: readonly Hit[]): Hit[] {
  return passages.map((hit, index) => ({ ...hit, rank: index + 1, score: 10 - index }));
}

const plenty = { limit: 1_000_000, unit: 'characters' } as const;

describe('chooseContexts', () => {
  it('joins passages that follow each other, in the order of the text, ranked as the best of them', () => {
    const hits = ranked(passage('b', 2, 'two ', 4), passage('a', 1, 'alone', 0), passage('b', 1, 'one ', 0));
    expect(chooseContexts(hits, plenty).contexts).toEqual([
      {
        rank: 1,
        score: 10,
        uri: 'b',
        title: 'B',
        heading: ['part 2'],
        label: 'test',
        shelfmarks: ['s0000000000/b/1', 's0000000000/b/2'],
        text: 'one two ',
      },
      expect.objectContaining({ rank: 2, uri: 'a', text: 'alone' }),
    ]);
  });

  it('has what two passages share once, in bytes of UTF-8', () => {
    // "für " is five bytes
    const hits = ranked(passage('a', 1, 'dies für ', 0), passage('a', 2, 'für alle', 5));
    expect(chooseContexts(hits, plenty)).toMatchObject({ contexts: [{ text: 'dies für alle' }], used: 13 });
  });

  it('joins thousands of passages of one document, in whatever order they are ranked', () => {
    const count = 4000;
    const texts = Array.from({ length: count }, (_, index) => `${String(index).padStart(6, '0')}${'é'.repeat(500)}`);
    // 7 is prime to the count, so this is each of them once.
    const order = texts.map((_, index) => (index * 7) % count);
    const hits = ranked(...order.map((index) => passage('a', index + 1, texts[index]!, index * 1006)));
    const { contexts, used } = chooseContexts(hits, { limit: count * 506, unit: 'characters' });
    expect(contexts.map(({ text }) => text)).toEqual([texts.join('')]);
    expect(used).toBe(count * 506);
  });

  it('leaves a gap where a passage between two was not found', () => {
    const hits = ranked(passage('a', 1, 'one', 0), passage('a', 3, 'three', 7));
    expect(chooseContexts(hits, plenty).contexts.map(({ text }) => text)).toEqual(['one', 'three']);
  });

  it('takes a text only once, from the best of its documents', () => {
    const hits = ranked(passage('a', 1, 'same', 0), passage('b', 1, 'same', 0), passage('c', 1, 'other', 0));
    expect(chooseContexts(hits, plenty).contexts.map(({ uri }) => uri)).toEqual(['a', 'c']);
  });

  it('passes over what does not fit, and goes on', () => {
    const hits = ranked(passage('a', 1, 'four', 0), passage('b', 1, 'too long', 0), passage('c', 1, 'fits!', 0));
    const { contexts, used } = chooseContexts(hits, { limit: 9, unit: 'characters' });
    expect(contexts.map(({ text }) => text)).toEqual(['four', 'fits!']);
    expect(used).toBe(9);
    expect(chooseContexts(hits, { limit: 3, unit: 'characters' })).toEqual({ contexts: [], used: 0 });
  });

  it('counts characters as code points, and a token for every four bytes', () => {
    const hits = ranked(passage('a', 1, '日本\u{1f600}', 0));
    expect(chooseContexts(hits, { limit: 3, unit: 'characters' }).used).toBe(3);
    expect(chooseContexts(hits, { limit: 3, unit: 'tokens' }).used).toBe(3);
    expect(chooseContexts(hits, { limit: 2, unit: 'tokens' }).contexts).toEqual([]);
  });

  it('refuses hits that were fetched without text', () => {
    const { text: _, ...hit } = passage('a', 1, 'x', 0);
    expect(() => chooseContexts([hit], plenty)).toThrow(
      's0000000000/a/1 has no text to make a context of: search with',
    );
  });

  it('gives pieces of the documents, each byte at most once, within the budget', () => {
    const texts = fc.array(fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }), {
      minLength: 1,
      maxLength: 8,
    });
    const arbitrary = texts.chain((pieces) =>
      fc.record({
        pieces: fc.constant(pieces),
        overlaps: fc.array(fc.boolean(), { minLength: pieces.length, maxLength: pieces.length }),
        order: fc.shuffledSubarray([...pieces.keys()]),
        limit: fc.integer({ min: 1, max: 60 }),
        unit: fc.constantFrom('tokens', 'characters'),
      }),
    );
    fc.assert(
      fc.property(arbitrary, ({ pieces, overlaps, order, limit, unit }) => {
        const whole = pieces.join('');
        const starts = pieces.map((_, index) => Buffer.byteLength(pieces.slice(0, index).join('')));
        const hits = order.map((index) => {
          const from = index > 0 && overlaps[index] ? index - 1 : index;
          return passage('d', index + 1, pieces.slice(from, index + 1).join(''), starts[from]!);
        });
        const { contexts, used } = chooseContexts(ranked(...hits), { limit, unit });
        expect(used).toBeLessThanOrEqual(limit);
        const all = contexts.map(({ text }) => text).join('');
        expect(unit === 'tokens' ? Math.ceil(Buffer.byteLength(all) / 4) : [...all].length).toBe(used);
        for (const { text } of contexts) expect(whole).toContain(text);
      }),
    );
  });
});

describe('a batch of contexts', () => {
  it('has whole documents where the budget allows, and belongs to its budget', async () => {
    const folder = await temporaryFolder();
    const random = randomNumbers(4);
    const text = `Lamps. ${randomWords(random, 1500)}`;
    const records = [
      { _id: 'long', title: 'Long', text },
      ...Array.from({ length: 5 }, (_, index) => ({ _id: `d${index}`, text: randomWords(random, 80) })),
    ];
    const corpus = join(folder, 'corpus');
    const sources = [await writeJsonl(join(folder, 'a.jsonl'), records)];
    await build({ sources, corpus, overlapWords: 40 });
    const queries = await writeJsonl(join(folder, 'q.jsonl'), [
      { _id: 'q1', text: 'archive ledger harbour copper' },
      { _id: 'q2', text: '?!' },
    ]);
    const output = join(folder, 'out.jsonl');
    const options: BatchRunOptions = {
      queries,
      corpus,
      output,
      format: 'contexts',
      budget: { limit: 100_000, unit: 'characters' },
      tag: 'test',
      allowPartial: false,
      workers: 1,
      search: { match: 'any', limit: 100, by: 'document' },
    };
    await runBatch(options);
    const [first, second] = jsonLines(await readFile(output, 'utf8')) as Record<string, unknown>[];
    expect(second).toMatchObject({ id: 'q2', contexts: [], budget: { limit: 100_000, unit: 'characters', used: 0 } });
    const long = (first!.contexts as { uri: string; text: string; shelfmarks: string[] }[]).filter(
      ({ uri }) => uri === 'long',
    );
    expect(long.map((context) => context.text)).toEqual([text]);
    expect(long[0]!.shelfmarks.map((shelfmark) => Number(shelfmark.split('/')[2]))).toEqual([1, 2, 3, 4, 5, 6]);

    const other = runBatch({ ...options, budget: { limit: 99_999, unit: 'characters' } });
    expect((await shelfmarkError(other, 'SHELFMARK_MISMATCH')).message).toContain('a run with other budget');
  });
});
