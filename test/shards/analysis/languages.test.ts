import { describe, expect, it } from 'vitest';
import { createAnalyzer } from '../../../shards/analysis/index.ts';
import { LANGUAGES } from '../../../shards/analysis/language.ts';
import { analyzerOf } from '../../../shards/analysis/languages.ts';
import { encode, matches } from './occurs.ts';

describe('terms', () => {
  it.each([
    // analyzer, text, main stream, extras
    ['de-1', 'Die Häuser der Verwaltungen, groß', 'die haus der verwalt gross', ''],
    ['de-1', "Hans' Peter's E-Mail-Adressen C++ .NET", 'han pet e mail adress c++ net', 'emailadress .net'],
    ['fr-1', "L'été, les chevaux qu'ils achetèrent", 'ete le cheval il achet', ''],
    ['fr-1', "aujourd'hui presqu'île", 'aujourd hui presqu ile', 'aujourdhui presquil'],
    ['es-1', 'Las computaciones rápidas', 'las comput rap', ''],
    ['it-1', "Dell'amico, all’università", 'amic univers', ''],
    ['pt-1', 'As computações rápidas', 'as comput rap', ''],
    ['nl-1', 'De vuurtorens en huizen', 'de vuurtoren en huiz', ''],
    ['sv-1', 'Fyrtornen och flickorna', 'fyrtorn och flick', ''],
    ['no-1', 'Fyrtårnene på båtene', 'fyrtarn pa bat', ''],
    ['da-1', 'Fyrtårnene på bådene', 'fyrtarn pa bad', ''],
    ['fi-1', 'Majakoissa ja taloissa', 'majako ja talo', ''],
    ['ru-1', 'Зелёные маяки светили', 'зелен маяк свет', ''],
    ['tr-1', "IŞIK ışıkları İSTANBUL'DA", 'isik isik istanbul', ''],
    ['ar-1', 'المدارس مَدْرَسَة كتـــاب ١٩', 'مدارس مدرس كتاب 19', ''],
    ['hi-1', 'लड़कियाँ लडकियां १९', 'लडक लडक 19', ''],
    ['el-1', 'Οι ΦΆΡΟΙ των φάρων', 'οι φαρ τ φαρ', ''],
    ['cjk-1', '東京都の running', '東京 京都 都の running', '東 京 都 の'],
    ['cjk-1', '灯台LED照明', '灯台 led 照明', '灯 台 照 明'],
    ['th-1', 'แสงไฟ LED', 'แส สง งไ ไฟ led', 'แ ส ง ไ ฟ'],
    ['en-1', 'แสงไฟ LED', 'แสงไฟ led', ''],
    ['simple-1', 'Ìlú Running łódź', 'ilu running lodz', ''],
  ])('%s: %s', (id, text, main, extras) => {
    expect(encode(text, createAnalyzer(id)).join(' ')).toBe([main, extras].filter(Boolean).join(' '));
  });
});

describe('a query finds', () => {
  it.each([
    // analyzer, query, text
    ['de-1', 'strasse', 'Straßen'],
    ['de-1', 'Hauser', 'Häuser'],
    ['fr-1', 'ete', "l'été"],
    ['fr-1', "d'été", 'les étés'],
    ['it-1', 'universita', "l'università"],
    ['ru-1', 'еще', 'ещё'],
    ['tr-1', 'istanbul', "İstanbul'un"],
    ['tr-1', 'IŞIK', 'ışık'],
    ['ar-1', 'احمد', 'أحمد'],
    ['ar-1', 'مدرسه', 'المدرسة'],
    ['hi-1', '2024', '२०२४'],
    ['el-1', 'ΟΔΟΣ', 'οδός'],
    ['th-1', 'ไฟ', 'แสงไฟ'],
    ['cjk-1', '京都', '東京都'],
  ])('%s: %s in %s', (id, query, text) => {
    const analyzer = createAnalyzer(id);
    const [token] = analyzer.queryTokens(query);
    expect(matches(token!, new Set(encode(text, analyzer)))).toBe(true);
  });
});

it('a long run of Thai is indexed whole, not cut as a word would be', () => {
  const analyzer = createAnalyzer('th-1');
  expect(encode(`${'ก'.repeat(2_000)}ขค`, analyzer)).toContain('ขค');
  expect(analyzer.counters.cutWords).toBe(0);
});

it.each(LANGUAGES)('the analyzer of %s says which rules it has, as plain JSON data', (language) => {
  const { id, parameters } = createAnalyzer(analyzerOf(language));
  expect(id).toBe(`${language}-1`);
  expect(parameters.analyzer).toBe(id);
  expect(JSON.parse(JSON.stringify(parameters))).toEqual(parameters);
});
