import { expect, test } from 'vitest';
import { readFrontMatter } from '../../../workers/parse/front-matter.ts';

function read(yaml: string) {
  const { metadata, ...rest } = readFrontMatter(`---\n${yaml}\n---\nbody`);
  return { ...rest, metadata: Object.fromEntries(metadata) };
}

test('title, kind and collection are taken, other scalars and lists become metadata, mappings do not', () => {
  expect(
    read('title: A\nkind: b\ncollection: c\ntags: [x, 2]\ndraft: true\nempty:\nnested: {k: v}\nlist: [{k: v}]'),
  ).toEqual({
    end: expect.any(Number),
    title: 'A',
    kind: 'b',
    collection: 'c',
    modifiedAt: null,
    metadata: { tags: ['x', 2], draft: true, empty: null },
  });
});

test('numbers are kept as they are written', () => {
  expect(read('title: 1.10\na: 0x1F\nb: 12345678901234567890\nc: 404\nd: 1_000\ne: yes').metadata).toEqual({
    a: '0x1F',
    b: '12345678901234567890',
    c: 404,
    d: '1_000',
    e: 'yes',
  });
  expect(read('title: 1.10').title).toBe('1.10');
  expect(read('title: 404').title).toBe('404');
});

test.each([
  ['date: 2020-01-02\nlastmod: 2021-01-02', '2021-01-02T00:00:00.000Z', { date: '2020-01-02' }],
  ['ms.date: 05/31/2018', '2018-05-31T00:00:00.000Z', {}],
  ['modified_at: never\ndate: 2020-01-02', '2020-01-02T00:00:00.000Z', { modified_at: 'never' }],
  ['date: 20200102', null, { date: 20200102 }],
])('the time is the first of modified_at, lastmod, ms.date and date that can be read: %j', (yaml, time, metadata) => {
  expect(read(yaml)).toMatchObject({ modifiedAt: time, metadata });
});

test.each([
  'title: a: b\nmore: x',
  'title: "open',
  'key: *unknown',
  'a: &x [1]\nb: [*x]'.padEnd(30) + ', *x'.repeat(30),
])('bad YAML says nothing, and is still front matter: %j', (yaml) => {
  expect(read(yaml)).toMatchObject({ title: null, metadata: {}, end: yaml.length + 9 });
});

test('aliases cannot blow the metadata up', () => {
  const laughs = Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i}, `.repeat(9)}]`).join('\n');
  expect(read(`a0: &a0 [x]\n${laughs}`).metadata).toEqual({});
});

test.each([
  '---\nJust a sentence between rules.\n---\n',
  '---\n- a list\n---\n',
  '---\ntitle: never closed\n',
  `${'--- \ntitle: closed too late\n'.padEnd(70_000, 'x: y\n')}\n---\n`,
  '\n---\ntitle: not at the start\n---\n',
  '----\ntitle: four\n----\n',
  'title: none\n',
  '',
])('text that only looks like it is no front matter: %#', (text) => {
  expect(readFrontMatter(text).end).toBe(0);
});

test.each([
  ['---\ntitle: A\n---', 16],
  ['---\ntitle: A\n...\nbody', 17],
  ['---\ntitle: A\n---  \nbody', 19],
  ['---\r\ntitle: A\r\n---\r\nbody', 20],
  ['---\rtitle: A\r---\rbody', 17],
  ['\uFEFF---\ntitle: A\n---\nbody', 18],
])('the end is behind the closing line whatever ends its lines: %j', (text, end) => {
  expect(readFrontMatter(text)).toMatchObject({ end, title: 'A' });
});

test('an empty block is front matter that says nothing', () => {
  expect(readFrontMatter('---\n---\nbody')).toMatchObject({ end: 8, title: null });
});

test('a __proto__ key is metadata like any other', () => {
  expect(JSON.stringify(read('"__proto__": x').metadata)).toBe('{"__proto__":"x"}');
});
