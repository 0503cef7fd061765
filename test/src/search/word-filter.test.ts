import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Corpus, type Hit, type SearchOptions } from '../../../src/index.ts';
import { tempFolder } from '../../shards/support.ts';
import { build, shelfmarkError, writeJsonl } from '../support.ts';

let corpus: Corpus;

beforeAll(async () => {
  const folder = tempFolder();
  const records = Object.entries({
    libraries: 'lock in old libraries',
    librarian: 'lock of a librarian',
    spinLock: 'lock: the spin lock spins',
    lockSpin: 'lock, then spin',
    code: 'lock of getElementById and PIO-1384 in C++',
    Éclair: 'lock an éclair away',
    東京: 'lock 東京都',
  }).map(([id, text]) => ({ _id: id, text }));
  const path = join(folder, 'corpus');
  await build({ sources: [await writeJsonl(join(folder, 'a.jsonl'), records)], corpus: path });
  corpus = await Corpus.open(path, { workers: 0 });
});

afterAll(() => corpus.close());

async function search(query: string, options: SearchOptions): Promise<readonly Hit[]> {
  return (await corpus.search(query, options)).hits;
}

async function found(options: SearchOptions, query = 'lock'): Promise<string[]> {
  return (await search(query, options)).map(({ uri }) => uri).sort();
}

describe('a prefix', () => {
  test.each([
    ['librar', ['librarian', 'libraries']],
    // Its stem is that of libraries, and no term begins with it.
    ['library', ['libraries']],
    ['Libraria', ['librarian']],
    ['ecl', ['Éclair']],
    ['ÉCL', ['Éclair']],
    ['getEl', ['code']],
    ['pio-13', ['code']],
    ['C++', ['code']],
    ['東', ['東京']],
    ['東京', ['東京']],
    ['zzz', []],
  ])('is had by words that begin so: %s', async (prefix, uris) => {
    expect(await found({ prefixes: [prefix] })).toEqual(uris);
  });

  test('narrows every step down and counts for nothing; of several each must be had', async () => {
    expect(await found({ prefixes: ['lib', 'ol'] })).toEqual(['libraries']);
    const [narrowed] = await search('old lock', { prefixes: ['lib'] });
    const [plain] = await search('old lock', {});
    expect(narrowed).toEqual(plain);
    const fallback = await search('old lock', { prefixes: ['librari'], also: ['librarian'], match: 'strict' });
    expect(fallback.map(({ rung, uri }) => [rung, uri])).toEqual([['all', 'libraries']]);
    const other = await search('old lock', { prefixes: ['libraria'] });
    expect(other.map(({ rung, uri }) => [rung, uri])).toEqual([['top5', 'librarian']]);
  });
});

describe('an exclusion', () => {
  test('of a word leaves out passages that a query for it finds', async () => {
    expect(await found({ not: ['library'] })).not.toContain('libraries');
    expect(await found({ not: ['library'] })).toContain('librarian');
    expect(await found({ not: ['pio1384', 'spins', 'librarian'] })).toEqual(['libraries', 'Éclair', '東京'].sort());
  });

  test('of several words leaves out passages that have them next to each other', async () => {
    const left = await found({ not: ['spin lock'] });
    expect(left).not.toContain('spinLock');
    expect(left).toContain('lockSpin');
    expect(await found({ phrases: ['lock'], not: ['lock then'], prefixes: ['spin'] }, '')).toEqual(['spinLock']);
  });
});

describe('prefixes and exclusions', () => {
  test('that are not words are refused, in a batch too', async () => {
    for (const options of [
      { prefixes: ['spin lock'] },
      { prefixes: ['?'] },
      { not: ['…'] },
      { not: ['a '.repeat(1025)] },
    ]) {
      await shelfmarkError(corpus.search('lock', options), 'SHELFMARK_USAGE');
      await shelfmarkError(corpus.rank([{ id: '1', text: 'lock' }], options).next(), 'SHELFMARK_USAGE');
    }
    await shelfmarkError(corpus.search('', { prefixes: ['lib'] }), 'SHELFMARK_NO_WORDS');
  });
});
