import { describe, expect, it } from 'vitest';
import { ANALYZER_ID, createAnalyzer, UnknownAnalyzerError } from '../../../shards/analysis/index.ts';
import { encode, highlights, occurs, splitTerms, visit } from './occurs.ts';

describe('createAnalyzer', () => {
  it('makes the analyzer it is asked for, whose parameters are plain JSON data', () => {
    const { id, parameters } = createAnalyzer(ANALYZER_ID);
    expect(id).toBe('en-1');
    expect(parameters).toMatchObject({ analyzer: 'en-1', unicode: process.versions.unicode, maxWordBytes: 128 });
    expect(JSON.parse(JSON.stringify(parameters))).toEqual(parameters);
  });

  it('refuses any other id, naming those it knows', () => {
    expect(() => createAnalyzer('en-2')).toThrow(UnknownAnalyzerError);
    expect(() => createAnalyzer('en-2')).toThrow(
      expect.objectContaining({
        code: 'SHELFMARK_UNKNOWN_ANALYZER',
        id: 'en-2',
        known: expect.arrayContaining(['en-1', 'de-1', 'simple-1']),
      }),
    );
  });
});

describe('terms', () => {
  it.each([
    // text, main stream, extras
    ['', '', ''],
    ['  !? — … ', '', ''],
    ['The Files, running', 'the file run', ''],
    ['generously dying skies news inning consistently knightly', 'generous die sky news inning consist knight', ''],
    ["dog's dog’s DOG'S it's James' dogs", 'dog dog dog it jame dog', ''],
    ["aujourd'hui O'Brien l'été", 'aujourd hui o brien l ete', 'aujourdhui obrien lete'],
    ['Wi-Fi WiFi wifi', 'wi fi wi fi wifi', 'wifi wifi'],
    ['e-mails emails', 'e mail email', 'email'],
    ['PIO-1384 PIO1384 pio_1384', 'pio 1384 pio1384 pio 1384', 'pio1384 pio1384'],
    ['getElementById XMLHttpRequest', 'get element by id xml http request', 'getelementbyid xmlhttprequest'],
    ['document.getElementById(x)', 'document get element by id x', 'documentgetelementbyid getelementbyid'],
    ['URLs APIs PCs macOS iOS', 'url api pcs mac os i os', 'maco io'],
    ['Win32 x86 MD5 utf8', 'win32 x86 md5 utf8', ''],
    ['snake_case __init__ a__b', 'snake case init a b', 'snakecas ab'],
    ['1,234.56 1,2 12:30 1,234,567', '1 234 56 1 2 12 30 1 234 567', '1234.56 1-2 12-30 1234567'],
    ['v1.2.3 2026-11-30 2026/11/30', 'v1 2 3 2026 11 30 2026 11 30', 'v1.2.3 2026-11-30 2026-11-30'],
    ['a,b 1,b ,1', 'a b 1 b 1', ''],
    ['C++ C# F# c++17 C#7', 'c++ c# f# c++ 17 c 7', ''],
    ['Notepad++ g++ Objective-C++', 'notepad g++ object c++', 'notepad++ objectivec++'],
    ['.NET (.env) ..x a/.b .5 ASP.NET', 'net env x a b 5 asp net', '.net .env aspnet'],
    ['node.js U.S.A. AT&T me@example.org', 'node js u s a at t me exampl org', 'nodej usa att meexampleorg'],
    ['std::vector a->b http://x', 'std vector a b http x', ''],
    ['a/b/c/d/e/f a/b/c/d/e/f/g', 'a b c d e f a b c d e f g', 'abcdef'],
    ['東京', '東京', '東 京'],
    ['東京都 日', '東京 京都 日', '東 京 都'],
    ['東京Tower2024年', '東京 tower2024 年', '東 京'],
    ['が が ｶﾞ パス', 'が が ガ パス', 'パ ス'],
    ['한국어 \u1112\u1161\u11ab', '한국 국어 한', '한 국 어'],
    ['ﾡￂ ㄱㅏ', '가 가', ''],
    ['İstanbul ısı Straße ẞ ﬁle ＦＵＬＬ Σίσυφος', 'istanbul isi strass ss file full σισυφοσ', ''],
    ['Æon œuvre Øre Đà Łódź ð Þór', 'aeon oeuvr ore da lodz d thor', ''],
    ['😀a😀b👩\u200d💻c 1\ufe0f\u20e3x', 'a b c 1 x', ''],
    ['⑴ x² ½ №7', '1 x2 1⁄2 7', ''],
  ])('%s', (text, main, extras) => {
    expect(encode(text).join(' ')).toBe([main, extras].filter(Boolean).join(' '));
  });
});

describe('a query finds', () => {
  it.each([
    // query, text
    ['café', 'cafe\u0301'],
    ['CAFE', 'café'],
    ['\u0438\u0306', 'й'],
    ['\u03b1\u0301', 'ά'],
    ['αυτο', 'αὐτό'],
    ['が', '\u304b\u3099'],
    ['ガ', 'ｶﾞ'],
    ['हिन्दी', 'वह हिन्दी बोलता है'],
    ['میخواهم', 'می\u200cخواهم'],
    ['می\u200cخواهم', 'من می\u200cخواهم'],
    ['שָׁלוֹם', 'שָׁלוֹם עולם'],
    ['தமிழ்', 'தமிழ் மொழி'],
    ['shelf', 'sh\u00adelf'],
    ['archive', '\u2068ar\u200echive\u2069'],
    ['archive', '\ufeffarchive'],
    ['well-known', 'well\u2010known'],
    ['well\u2011known', 'well-known'],
    ['wellknown', 'well\uff0dknown'],
    ['strasse', 'Straße'],
    ['istanbul', 'İSTANBUL'],
    ['file', 'ﬁles'],
    ['full width', 'ＦＵＬＬ－ＷＩＤＴＨ'],
    ['C++', 'learn C++ today'],
    ['c++', 'Ｃ＋＋'],
    ['C++', 'modern C++17'],
    ['C#', 'C#, F#'],
    ['Objective C++', 'Objective-C++'],
    ['notepad++', 'Notepad++ 8'],
    ['notepad', 'Notepad++ 8'],
    ['.NET', 'the .NET runtime'],
    ['.net', 'ASP.NET'],
    ['net', 'the .NET runtime'],
    ['.NET', "import '.net'"],
    ['.NET', '使用.NET开发'],
    ['node.js', 'Node.js'],
    ['node js', 'node.js'],
    ['nodejs', 'node.js'],
    ['node', 'node.js'],
    ['PIO-1384', 'PIO 1384'],
    ['PIO 1384', 'PIO-1384'],
    ['pio_1384', 'PIO1384'],
    ['pio1384', 'fixes PIO-1384.'],
    ['1384', 'PIO-1384'],
    ['snake_case', 'snake case'],
    ['snake case', 'snake_case'],
    ['snakecase', 'snake_case'],
    ['snake_case', 'snakecase'],
    ['camelCase', 'camelcase'],
    ['camel case', 'camelCase'],
    ['camelcase', 'camelCase'],
    ['getelementbyid', 'document.getElementById'],
    ['element', 'document.getElementById'],
    ['1,234.56', '1234.56'],
    ['1234.56', '1,234.56'],
    ['234', '1,234.56'],
    ['v1.2.3', 'released v1.2.3 now'],
    ['v1', 'v1.2.3'],
    ['2026-11-30', 'on 2026-11-30.'],
    ['2026-11-30', '2026/11/30'],
    ['2026', '2026-11-30'],
    ['C:\\Windows\\System32', 'in C:\\Windows\\System32\\drivers\\etc\\hosts.txt'],
    ['drivers', 'C:\\Windows\\System32\\drivers\\etc\\hosts.txt'],
    ['/usr/local/share/doc/pkg/README.md', '/usr/local/share/doc/pkg/README.md'],
    ['README', '/usr/local/share/doc/pkg/README.md'],
    ['jane.doe@example.org', '<jane.doe@example.org>'],
    ['example.org', 'jane.doe@example.org'],
    ['doe', 'jane.doe@example.org'],
    ['0x80070005', 'error 0x80070005 (E_ACCESSDENIED)'],
    ['E_ACCESSDENIED', 'error 0x80070005 (E_ACCESSDENIED)'],
    ['ERR-404', 'ERR_404'],
    ["aujourd'hui", 'aujourd’hui'],
    ['hui', "aujourd'hui"],
    ["O'Brien", 'O\u2019Brien'],
    ['OBrien', "O'Brien"],
    ['Brien', "O'Brien"],
    ['été', "l'été"],
    ["l'ete", 'l’été'],
    ['Hawaii', 'Hawai\u02bbi'],
    ['dog', "the dog's bone"],
    ['dogs', "the dog's bone"],
    ['API', 'many APIs'],
    ['東京', '私は東京に住む'],
    ['京', '私は東京に住む'],
    ['東京に', '私は東京に住む'],
    ['Tower2024', '東京Tower2024年は'],
    ['年', '東京Tower2024年'],
    ['カード', 'ｶｰﾄﾞ'],
    ['한국', '한국어'],
    ['\u1112\u1161\u11ab국', '한국어'],
    ['cat', 'cat😀dog'],
    ['dog', 'cat😀dog'],
    ['1', 'step 1\ufe0f\u20e3'],
    ['😀 cat', 'a cat'],
    ['\ud83d cat', 'a cat \udc00'],
  ])('%s in %s', (query, text) => {
    expect(occurs(query, text)).toBe(true);
  });
});

describe('a query does not find', () => {
  it.each([
    ['и', 'й'],
    ['か', 'が'],
    ['हिन', 'हिन्दी'],
    ['C++', 'vitamin C'],
    ['C', 'C++'],
    ['C#', 'C major'],
    ['notepad++', 'notepad'],
    ['1.2.3', '12.3'],
    ['12.3', '1.2.3'],
    ['1234', '1,2,3,4'],
    ['京東', '東京'],
    ['catdog', 'cat😀dog'],
    ['catdog', 'cat\u200bdog'],
    ['Win', 'Win32'],
    ['!?', 'what!?'],
    ['', 'text'],
  ])('%s in %s', (query, text) => {
    expect(occurs(query, text)).toBe(false);
  });
});

describe('queryTokens', () => {
  it('gives every token the ways in which it can be found', () => {
    const tokens = createAnalyzer('en-1').queryTokens('the C++ notepad++ .NET PIO-1384 a/b/c/d/e/f/g 東京都 日');
    expect(tokens.map(({ text, alternatives }) => [text, alternatives])).toEqual([
      ['the', [['the']]],
      ['C++', [['c++']]],
      ['notepad++', [['notepad++']]],
      ['.NET', [['.net'], ['net']]],
      ['PIO-1384', [['pio1384'], ['pio', '1384']]],
      ['a/b/c/d/e/f/g', [['a', 'b', 'c', 'd', 'e', 'f', 'g']]],
      ['東京都', [['東京', '京都']]],
      ['日', [['日']]],
    ]);
  });

  it('shows a token in NFC and points at what was written', () => {
    const [token] = createAnalyzer('en-1').queryTokens('😀 cafe\u0301!');
    expect(token).toMatchObject({ text: 'café', start: 3, end: 8 });
  });
});

describe('spans', () => {
  it.each([
    // query, text, what is highlighted
    ['istanbul', 'in İstanbul!', ['İstanbul']],
    ['strasse', '😀 die Straße', ['Straße']],
    ['file', 'the ﬁle', ['ﬁle']],
    ['café', 'le cafe\u0301 noir', ['cafe\u0301']],
    ['shelf', 'a sh\u00adelf', ['sh\u00adelf']],
    ['wi-fi', 'a Wi-Fi card', ['Wi-Fi', 'Wi', 'Fi']],
    ['C++', '(C++)', ['C++']],
    ['.NET', 'a .NET app', ['.NET', 'NET']],
    ['ガ', '😀ｶﾞス', ['ｶﾞ']],
    ['東京', '私は東京に', ['東京']],
    ['element', 'getElementById', ['Element']],
    ['𠮷野', '😀𠮷野家', ['𠮷野']],
    ['full', 'ＦＵＬＬ', ['ＦＵＬＬ']],
    ['dog', "the dog's", ['dog']],
  ])('%s in %s', (query, text, expected) => {
    expect(highlights(query, text)).toEqual(expected);
  });

  it('visit may use the analyzer it is called by', () => {
    const analyzer = createAnalyzer('en-1');
    const seen: string[] = [];
    analyzer.visitTerms('one two', undefined, (term) => {
      seen.push(
        ...analyzer
          .encodeField(Buffer.from(`${term} more`))
          .toString()
          .split(' '),
      );
    });
    expect(seen).toEqual(['one', 'more', 'two', 'more']);
  });
});

describe('what would explode an index', () => {
  const base64 = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 2_654_435_761) >>> (i % 24))).toString(
    'base64',
  );

  it('a base64 run is passed over and counted, the words around it are not', () => {
    const analyzer = createAnalyzer('en-1');
    expect(encode(`before ${base64} behind`, analyzer)).toEqual(['befor', 'behind']);
    expect(analyzer.counters).toEqual({ terms: 2, cutWords: 0, skippedRuns: 1 });
    expect(encode(`data:image/png;base64,${base64}`)).toEqual(encode('data:image/png;base64'));
    expect(encode(`key:${base64}`)).toEqual(['key']);
    expect(encode(base64.match(/.{76}/g)!.slice(0, 9).join('\n'))).toEqual([]);
  });

  it.each([
    ['a hash', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855e3b0c44298fc1c14'],
    ['a path', '/Users/JohnSmith/Documents/MyProject2024/SourceCode/Components/Button2'],
    ['an address', 'https://example.org/Products2026/Details/SomeVeryLongProductName/Number42/Pictures/Big'],
    ['an identifier', 'IDXGIFactory2CreateSwapChainForCompositionSurfaceHandleExtended2026XYZUrl'],
    ['a path with a hash', 'samples/blob/1d363ff4bd17d8e20415b92e2ee989d615cc0d91/Samples/Win7Samples/winbase/io'],
    ['a rule', `${'='.repeat(80)}`],
  ])('%s is not taken for base64', (_name, text) => {
    const analyzer = createAnalyzer('en-1');
    encode(text, analyzer);
    expect(analyzer.counters.skippedRuns).toBe(0);
  });

  it.each([
    ['a', 'aaaaaaaaaa'],
    ['é', 'éé'],
    ['mark', 'a\u0301\u0327\u0301'],
    ['invisible', 'a\u200d'],
    ['compound', 'a-B.c/'],
    ['camel case', 'aB'],
    ['hex', '0123456789abcdef'],
    ['slashes', 'abcdefghijklmnopqrstuvwxyz//'],
    ['plus', 'aaaaaaaaaaaaaaaaaaaaaaaa+'],
    ['underscores', '_'],
    ['marks alone', '\u0301\u0327'],
    ['marks on CJK', '東\u0301\u0327'],
    ['CJK', '東京都'],
    ['Thai', 'ไทย'],
  ])('megabytes of %s take little time and give bounded terms', (_name, unit) => {
    const text = `begin ${unit.repeat(1_000_000 / unit.length)} end`;
    const terms = encode(text);
    visit(text, new Set(['end', '東']));
    expect(terms).toContain('begin');
    expect(terms).toContain('end');
    for (const term of terms) if (Buffer.byteLength(term) > 128) throw new Error(`term of ${term.length}`);
  });

  it('every part of a compound of any length is found', () => {
    const parts = Array.from({ length: 5_000 }, (_, i) => `p${i}q`);
    expect(encode(parts.join('/'))).toEqual(parts);
    expect(encode(parts.join('+'))).toEqual(parts);
  });

  it('a word of 100 KB is cut, counted and still found', () => {
    const analyzer = createAnalyzer('en-1');
    const word = 'é'.repeat(50_000);
    expect(encode(word, analyzer)).toEqual(['e'.repeat(128)]);
    expect(encode('й'.repeat(200), analyzer)).toEqual(['й'.repeat(64)]);
    expect(encode('ы'.repeat(65), analyzer)).toEqual(['ы'.repeat(64)]);
    expect(encode('ы'.repeat(64), analyzer)).toEqual(['ы'.repeat(64)]);
    expect(analyzer.counters.cutWords).toBe(3);
    expect(occurs(word, word)).toBe(true);
  });

  it('a table that was emptied gives the same terms again', () => {
    const analyzer = createAnalyzer('en-1');
    const text = "The getElementById of PIO-1384, C++ and 東京's";
    const before = encode(text, analyzer);
    const pad = 'x'.repeat(110);
    const words = Array.from({ length: 80_000 }, (_, i) => `${pad}${i}`).join(' ');
    analyzer.encodeField(Buffer.from(words));
    expect(encode(text, analyzer)).toEqual(before);
  });

  it('counts terms the same from a cold and a warm table', () => {
    const analyzer = createAnalyzer('en-1');
    const field = Buffer.from("Wi-Fi C++ 東京都 .NET dog's");
    for (let round = 1; round <= 2; round++) {
      const terms = splitTerms(analyzer.encodeField(field)).length;
      expect(analyzer.counters.terms).toBe(terms * round);
    }
  });
});
