import fc from 'fast-check';
import { expect, test } from 'vitest';
import { headingText } from '../../../workers/parse/heading-text.ts';

test.each([
  ['plain words', 'plain words'],
  ['  white \t\n space ', 'white space'],
  ['**bold** _and_ `code`', 'bold and code'],
  ['[text](http://x.org "t") and ![image *alt*](i.png)', 'text and image alt'],
  ['<b>tag</b> &amp; &lt;x&gt;', 'tag & <x>'],
  ['\\*escaped\\* \\_', '*escaped* _'],
  ['WM_PAINT and snake_case_name', 'WM_PAINT and snake_case_name'],
  ['-param [in] hWnd[0]', '-param [in] hWnd[0]'],
  ['a ~~b~~ 2 * 3', 'a b 2 * 3'],
  ['AT&T; C# & C++', 'AT&T; C# & C++'],
  ['`a  b` ``c`d``', 'a b c`d'],
  ['<https://x.org>', 'https://x.org'],
  ['one\ntwo', 'one two'],
  ['*one\ntwo*', 'one two'],
  ['', ''],
])('%j reads %j', (source, text) => {
  expect(headingText(source)).toBe(text);
});

test('a long heading is cut to 200 units, never inside a grapheme', () => {
  expect(headingText('a'.repeat(500))).toBe('a'.repeat(200));
  const family = '👨‍👩‍👧';
  expect(headingText(family.repeat(100))).toBe(family.repeat(25));
  expect(headingText(`${'a'.repeat(199)}e\u0301`)).toBe('a'.repeat(199));
});

test('words without marks are left as they are', () => {
  const words = fc.array(fc.stringMatching(/^[A-Za-z0-9.,:;()äß漢_-]{1,8}$/), { minLength: 1, maxLength: 10 });
  fc.assert(
    fc.property(words, (list) => {
      const plain = list.map((word) => word.replaceAll('_', 'x')).join(' ');
      expect(headingText(plain)).toBe(plain);
    }),
  );
});
