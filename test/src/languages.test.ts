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
/** The same documents, built at once. */
let detected: Corpus;

async function hitsOf(query: string, options: SearchOptions): Promise<readonly Hit[]> {
  return (await detected.search(query, options)).hits;
}

async function found(query: string, options: SearchOptions): Promise<string[]> {
  return (await hitsOf(query, options)).map(({ uri }) => uri);
}

beforeAll(async () => {
  const corpus = join(folder, 'corpus');
  const records = Object.entries(texts).map(([_id, text]) => ({ _id, text }));
  for (const record of records.slice(0, 3)) {
    const sources = [await writeJsonl(join(folder, `${record._id}.jsonl`), [record])];
    await build({ sources, corpus, language: record._id });
  }
  open = await Corpus.open(corpus, { workers: 0 });
  const all = [await writeJsonl(join(folder, 'all.jsonl'), records)];
  await build({ sources: all, corpus: join(folder, 'auto'), language: 'auto' });
  detected = await Corpus.open(join(folder, 'auto'), { workers: 0 });
});

afterAll(async () => {
  await Promise.all([open.close(), detected.close()]);
});

describe('a corpus of several languages', () => {
  test.each(questions)('finds what is asked for in %s: %s', async (language, query, words) => {
    const [hit] = await hitsOf(query, { match: 'any' });
    expect(hit).toMatchObject({ uri: language, language, missing: [] });
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

  test('says which analyzers it has, and of which language a passage is', async () => {
    const analyzers = Object.keys(texts).map((language) => `${language}-1`);
    expect(detected.stats().analyzers).toEqual(analyzers.sort());
    const [hit] = await hitsOf('Haus', {});
    expect(await detected.show(hit!.shelfmark)).toMatchObject([{ uri: 'de', language: 'de' }]);
  });

  test('is whole: its index is what each analyzer makes of its documents', async () => {
    expect(await detected.verify({ deep: true })).toMatchObject({ ok: true });
  });

  test('gives the same hits in a shard for each language as in one for all', async () => {
    for (const [language, query] of questions.slice(0, 4)) {
      const { hits } = await open.search(query, { match: 'any' });
      expect(hits.map((hit) => [hit.uri, hit.language, marked(hit)])).toEqual(
        (await hitsOf(query, { match: 'any' }))
          .filter(({ uri }) => uri in { en: 1, de: 1, fr: 1 })
          .map((hit) => [hit.uri, hit.language, marked(hit)]),
      );
      expect(hits[0]!.uri).toBe(language);
    }
  });

  test('explains scores by the terms of each language', async () => {
    for (const [, query] of questions) {
      const [hit] = await hitsOf(query, { match: 'any', explain: true });
      expect(hit!.explain!.terms.length).toBeGreaterThan(0);
    }
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
  expect(error.message).toMatch(/language: expected auto or one of en, de, .*, simple, got "tlh"/);
});
