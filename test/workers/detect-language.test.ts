import { describe, expect, test } from 'vitest';
import { type DetectLanguage, loadDetector } from '../../workers/detect-language.ts';

const detect: DetectLanguage = await loadDetector();

describe('the language of a document is told', () => {
  test.each([
    ['en', '', 'The keepers trimmed their lamps when the storms came over the harbour.'],
    ['de', '', 'Die Häuser der Leuchtturmwärter standen auf den Klippen.'],
    ['no', '', 'Fyrvokterne tente lampene da stormene kom inn over havnen, og ventet til det ble morgen.'],
    ['da', '', 'Fyrpasserne tændte lamperne, da stormene kom ind over havnen, og ventede til det blev morgen.'],
    ['ru', '', 'Смотрители зажигали маяки, когда приходили зимние бури.'],
    ['cjk', '', 'Dockerは軽量なコンテナを作る。'],
    ['cjk', '', '등대지기는 폭풍 전에 불을 켰다.'],
    ['th', '', 'ผู้ดูแลประภาคารจุดไฟก่อนพายุมาถึง LED'],
    ['en', '', 'The word 灯台 means lighthouse in Japanese, and so does the older word 灯明台.'],
    ['de', 'Die Leuchttürme der Nordsee und ihre Wärter', ''],
    ['simple', '', 'Latarnicy zapalali latarnie, zanim burze dotarły do portu.'],
    ['simple', '', 'Сторожі запалювали маяки, коли приходили зимові бурі з моря.'],
    ['simple', '', '12 345 — 67'],
    ['simple', '', ''],
  ])('%s: %s%s', (language, title, text) => {
    expect(detect({ title, text })).toBe(language);
  });

  test('by its beginning, which may end inside a character', () => {
    const text = `${'The keepers trimmed the lamps. '.repeat(10)}0123456789\ud83d\ude00 ${'Die Häuser der Wärter. '.repeat(100)}`;
    for (let cut = 0; cut < 12; cut++) expect(detect({ title: 'x'.repeat(cut), text })).toBe('en');
  });
});
