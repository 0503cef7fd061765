import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Corpus, type Hit, type SearchOptions } from '../../src/index.ts';
import { tempFolder } from '../shards/support.ts';
import { build, search, shelfmarkError, writeJsonl } from './support.ts';

const texts = {
  en: 'The keepers trimmed their lamps when the storms came over the harbour.',
  de: 'Die Häuser der Leuchtturmwärter standen auf den Klippen über der Straße.',
  fr: "L'été, les gardiens allumaient les phares avant les tempêtes d'équinoxe.",
  ru: 'Смотрители зажигали маяки, когда приходили зимние бури.',
  ar: 'كان الحراس يشعلون المنارات قبل العواصف في المدرسة القديمة.',
  hi: 'रखवाले तूफ़ानों से पहले दीपस्तंभ जलाते थे और लड़कियाँ देखती थीं।',
  el: 'Οι φύλακες άναβαν τους φάρους πριν από τις καταιγίδες.',
  cjk: '灯台守は嵐の前に灯をともした。港の人々は船を待っていた。',
  th: 'ผู้ดูแลประภาคารจุดไฟก่อนพายุมาถึงท่าเรือเก่าของเมือง',
} as const;

/** How a text is asked for in other words than its own, and what is marked in it. */
const questions: readonly (readonly [language: keyof typeof texts, query: string, marked: readonly string[]])[] = [
  ['en', 'Which keeper trims a lamp?', ['keepers', 'trimmed', 'lamps']],
  ['de', 'Welches Haus hat der Leuchtturmwärter?', ['Häuser', 'Leuchtturmwärter']],
  ['de', 'strasse', ['Straße']],
  ['fr', "Où est le phare d'équinoxes?", ['phares', 'équinoxe']],
  ['ru', 'Какой смотритель маяка?', ['Смотрители', 'маяки']],
  ['ar', 'أين مدرسه', ['المدرسة']],
  ['hi', 'लडकियाँ क्या देखती हैं', ['लड़कियाँ', 'देखती']],
  ['el', 'Πού είναι ο φάρος;', ['φάρους']],
  ['cjk', '嵐の前', ['嵐の前']],
  ['th', 'ประภาคาร', ['ประภาคาร']],
];

function marked({ snippet, highlights }: Hit): string[] {
  return highlights.map(([start, end]) => snippet.slice(start, end));
}

const folder = tempFolder();
let open: Corpus;

async function hitsOf(query: string, options: SearchOptions): Promise<readonly Hit[]> {
  return (await open.search(query, options)).hits;
}

async function found(query: string, options: SearchOptions): Promise<string[]> {
  return (await hitsOf(query, options)).map(({ uri }) => uri);
}

beforeAll(async () => {
  const corpus = join(folder, 'corpus');
  for (const [language, text] of Object.entries(texts)) {
    const sources = [await writeJsonl(join(folder, `${language}.jsonl`), [{ _id: language, text }])];
    await build({ sources, corpus, language });
  }
  open = await Corpus.open(corpus, { workers: 0 });
});

afterAll(async () => {
  await open.close();
});

describe('a corpus of several languages', () => {
  test.each(questions)('finds what is asked for in %s: %s', async (language, query, words) => {
    const [hit] = await hitsOf(query, { match: 'any' });
    expect(hit).toMatchObject({ uri: language, missing: [] });
    expect(marked(hit!)).toEqual(words);
  });

  test('finds phrases as each language has them, and leaves them out', async () => {
    expect(await found('', { phrases: ['Haus der Leuchtturmwärter'] })).toEqual(['de']);
    expect(await found('', { phrases: ['зажигал маяк'] })).toEqual(['ru']);
    expect(await found('storm Haus', { match: 'any', not: ['storm came'] })).toEqual(['de']);
    expect(await found('storm Haus', { match: 'any', prefixes: ['HÄUS'] })).toEqual(['de']);
    expect(await found('storm Haus', { match: 'any', prefixes: ['storm'] })).toEqual(['en']);
  });

  test('adds synonyms of any language', async () => {
    const synonyms = [{ words: ['Bauwerk', 'edifice'], add: ['Häusern'] }];
    expect(await found('Bauwerke', { match: 'any', synonyms })).toEqual(['de']);
    expect(await found('edifices', { match: 'any', synonyms })).toEqual(['de']);
  });

  test('says which analyzers it has', () => {
    expect(open.stats().analyzers).toEqual(Object.keys(texts).map((language) => `${language}-1`));
  });
});

test('the same source in another language is indexed anew', async () => {
  const path = join(folder, 'again');
  const sources = [join(folder, 'de.jsonl')];
  await build({ sources, corpus: path });
  expect(await search(path, 'Haus')).toEqual([]);
  expect(await build({ sources, corpus: path, language: 'de' })).toMatchObject({ indexed: 1, removed: 0 });
  expect(await search(path, 'Haus')).toHaveLength(1);
});

test('a language that there is no analyzer for is refused, naming those there are', async () => {
  const sources = [join(folder, 'de.jsonl')];
  const error = await shelfmarkError(
    build({ sources, corpus: join(folder, 'none'), language: 'tlh' }),
    'SHELFMARK_USAGE',
  );
  expect(error.message).toMatch(/language: expected one of en, de, .*, simple, got "tlh"/);
});
