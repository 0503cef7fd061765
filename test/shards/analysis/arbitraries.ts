import fc from 'fast-check';

const TRICKY = [
  ...['-', '_', '.', '/', '\\', '@', ':', "'", '&', '+', ',', '++', '#', '::', '->', '//', '__', ' ', '\n'],
  ...['\u2010', '\u2011', '\u2019', '\u02bc', '\uff07', '\uff0d', '\uff0b', '\uff03', '\uff3f', '\uff0c'],
  ...['\u00ad', '\u200d', '\u200c', '\u200e', '\u2068', '\u2069', '\ufeff', '\ufe0f', '\u2060', '\u200b', '\u034f'],
  ...['\u0301', '\u0308', '\u0338', '\u3099', '\u309a', '\uff9e', '\u20e3', '\u0345', '\u1fc1', '\u2260'],
  ...[
    'C++',
    'C#',
    '.NET',
    'iPhone',
    'getElementById',
    'XMLHttpRequest',
    'URLs',
    "dog's",
    'wi-fi',
    'v1.2.3',
    '1,234.56',
    '12',
  ],
  ...['İ', 'ı', 'ß', 'ẞ', 'ς', 'Σ', 'ﬁ', 'Ａ', '１', 'é', 'Å', 'й', 'ά', 'æ', 'ﷺ', '⑴', '½', 'ŉ', 'ŀ', 'ª', '²', 'ͺ'],
  ...[
    'が',
    'ｶﾞ',
    'か',
    'カ',
    'ー',
    'ｰ',
    '東',
    '京',
    '年',
    '한',
    '글',
    'ㄱ',
    'ㅏ',
    'ﾡ',
    'ￂ',
    '\u1112',
    '\u1161',
    '\u11ab',
    '𠮷',
    '㈠',
  ],
  ...[
    'हिन्दी',
    'می\u200cخواهم',
    'שָׁלוֹם',
    'தமிழ்',
    'ไทย',
    '😀',
    '👩\u200d💻',
    '1\ufe0f\u20e3',
    '\ud83d',
    '\udc00',
    '\ufffd',
    '\0',
  ],
];

/** Text made of what analyzers get wrong. */
export const trickyText = fc
  .array(fc.oneof(fc.constantFrom(...TRICKY), fc.constantFrom('a', 'B', 'c', 'D', '7'), fc.string({ maxLength: 3 })), {
    maxLength: 20,
  })
  .map((pieces) => pieces.join(''));

const cjk = fc.string({
  unit: fc
    .oneof(
      fc.integer({ min: 0x3040, max: 0x30ff }),
      fc.integer({ min: 0x4e00, max: 0x4e40 }),
      fc.integer({ min: 0xac00, max: 0xac80 }),
      fc.integer({ min: 0x1100, max: 0x11ff }),
      fc.integer({ min: 0x3130, max: 0x318f }),
      fc.integer({ min: 0xff61, max: 0xffdc }),
    )
    .map((codePoint) => String.fromCodePoint(codePoint)),
});

/** Any text: every plane, lone surrogates, grapheme clusters, CJK, compounds. */
export const anyText = fc.oneof(
  trickyText,
  cjk,
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'grapheme-composite' }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 }).map((units) => String.fromCharCode(...units)),
);
