import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Corpus } from '../../../src/index.ts';
import { sectionAnchor } from '../../../src/search/section-anchor.ts';
import { tempFolder } from '../../shards/support.ts';
import { build } from '../support.ts';

describe('the anchor of a section', () => {
  test.each([
    [[], ''],
    [['Reading rooms'], 'reading-rooms'],
    [['Guide', 'What is a `lock`, and why?'], 'guide/what-is-a-lock-and-why'],
    [['C++ & C#', 'snake_case', 'A - B'], 'c--c/snake_case/a---b'],
    [['Ha\u0301z', '東京都', 'हिन्दी'], 'h\u00e1z/東京都/हिन्दी'],
  ])('of %j is %s', (heading, anchor) => {
    expect(sectionAnchor(heading)).toBe(anchor);
  });
});

test('a section has the same anchor and number when the corpus is built again, elsewhere and among others', async () => {
  const folder = tempFolder();
  const notes = '# Locks\n\nquince\n\n## Spin locks\n\nquince again\n\n## Mutexes\n\nquince at last\n';
  const found: unknown[] = [];
  for (const others of [0, 30]) {
    const source = join(folder, `${others}`);
    mkdirSync(source);
    writeFileSync(join(source, 'notes.md'), notes);
    for (let other = 0; other < others; other++) writeFileSync(join(source, `a${other}.md`), 'lorem '.repeat(300));
    const path = join(folder, `corpus-${others}`);
    await build({ sources: [source], corpus: path, shardBytes: 4096 });
    const corpus = await Corpus.open(path, { workers: 0 });
    const { hits } = await corpus.search('quince', { by: 'chunk', evidence: 0 });
    const [first] = await corpus.show(hits[0]!.shelfmark);
    expect(first).toMatchObject({ section: hits[0]!.section, ordinal: hits[0]!.ordinal });
    await corpus.close();
    found.push(hits.map(({ section, ordinal }) => ({ section, ordinal })).sort((a, b) => a.ordinal - b.ordinal));
  }
  expect(found[0]).toEqual([
    { section: 'locks', ordinal: 1 },
    { section: 'locks/spin-locks', ordinal: 2 },
    { section: 'locks/mutexes', ordinal: 3 },
  ]);
  expect(found[1]).toEqual(found[0]);
});
