import { describe, expect, it } from 'vitest';
import { contentTokens, createAnalyzer } from '../../../shards/analysis/index.ts';

describe('contentTokens keeps', () => {
  it.each([
    // query, the tokens kept
    ['What is the capital of France?', 'capital France'],
    ['please tell me about shelves', 'shelves'],
    ["what's the dog's name", "dog's name"],
    ['What’s a shelfmark', 'shelfmark'],
    ["Who doesn't like cats", 'like cats'],
    ['What is IT support', 'IT support'],
    ['WHO guidelines in the US', 'WHO guidelines US'],
    ['WHAT IS THE CAPITAL OF FRANCE', 'CAPITAL FRANCE'],
    ['What can I do in C or R', 'C R'],
    ['albums by The Who', 'albums The Who'],
    ['The Who albums', 'The Who albums'],
    ['Albums by The Who', 'Albums The Who'],
    ['The who albums', 'albums'],
    ['What Is The Capital of France', 'Capital France'],
    ['When I saw the sea', 'saw sea'],
    ['The Who', 'The Who'],
    ['what is it', 'what is it'],
    ['to be or not to be', 'to be or not to be'],
    ['a to-do list', 'to-do'],
    ['how do I use .NET and C++', 'use .NET C++'],
    ['how is 東京', '東京'],
    ['?!', ''],
    ['', ''],
  ])('%s', (query, kept) => {
    const analyzer = createAnalyzer('en-1');
    expect(
      contentTokens(analyzer.queryTokens(query), query, [analyzer.language])
        .map(({ text }) => text)
        .join(' '),
    ).toBe(kept);
  });
});

describe('in its language, contentTokens keeps', () => {
  it.each([
    // analyzer, query, the tokens kept
    ['de-1', 'Was ist die Hauptstadt von Österreich?', 'Hauptstadt Österreich'],
    ['de-1', 'Für wen wurde über Bäume geschrieben', 'Bäume geschrieben'],
    ['fr-1', 'Qu’est-ce que l’opéra', 'l’opéra'],
    ['fr-1', "Quand s'est-il levé et pour qui", "s'est-il levé"],
    ['fr-1', "l'un d'eux et la forêt", 'forêt'],
    ['es-1', '¿Dónde están los faros?', 'faros'],
    ['it-1', "Quando fu costruita l'una o la chiesa?", 'costruita chiesa'],
    ['pt-1', 'Quantos faróis há na costa?', 'faróis costa'],
    ['nl-1', 'Waarom is de zee zout?', 'zee zout'],
    ['sv-1', 'Vad är ett fyrtorn?', 'fyrtorn'],
    ['no-1', 'Hvorfor er havet salt?', 'havet salt'],
    ['da-1', 'Hvornår blev fyret bygget?', 'fyret bygget'],
    ['fi-1', 'Missä majakka on?', 'majakka'],
    ['ru-1', 'Где стоит ещё один маяк?', 'стоит маяк'],
    ['tr-1', 'Işık Nedir?', 'Işık'],
    ['ar-1', 'ما هي عاصمة فرنسا؟', 'عاصمة فرنسا'],
    ['hi-1', 'भारत की राजधानी क्या है', 'भारत राजधानी'],
    ['el-1', 'Πού είναι ο φάρος;', 'φάρος'],
    ['cjk-1', '灯台とは what', '灯台とは what'],
    ['th-1', 'ประภาคารอยู่ที่ไหน', 'ประภาคารอยู่ที่ไหน'],
    ['simple-1', 'what is it', 'what is it'],
  ])('%s: %s', (id, query, kept) => {
    const analyzer = createAnalyzer(id);
    const content = contentTokens(analyzer.queryTokens(query), query, [analyzer.language]);
    expect(content.map(({ text }) => text).join(' ')).toBe(kept);
  });
});
