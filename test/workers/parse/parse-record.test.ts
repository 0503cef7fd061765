import { describe, expect, test } from 'vitest';
import type { ParsedDocument, RecordContext } from '../../../workers/parse/index.ts';
import { parseRecord } from '../../../workers/parse/index.ts';

const jsonl: RecordContext = {
  format: 'jsonl',
  sourceUri: 'archive.jsonl',
  byteStart: 40,
  partial: false,
  collection: 'library',
  kind: 'page',
};
const markdown: RecordContext = { ...jsonl, format: 'markdown', sourceUri: 'docs/Guide.md', byteStart: 0 };
const plain: RecordContext = { ...jsonl, format: 'text', sourceUri: 'notes.txt', byteStart: 0 };

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function parsed(input: string | object | Uint8Array, context: RecordContext = jsonl): ParsedDocument {
  const outcome = parse(input, context);
  if (!outcome.ok) throw new Error(outcome.reason);
  return outcome.document;
}

function rejected(input: string | object, context: RecordContext = jsonl): { reason: string; uri: string | null } {
  const outcome = parse(input, context);
  if (outcome.ok) throw new Error('the record was accepted');
  return { reason: outcome.reason, uri: outcome.uri };
}

function parse(input: string | object | Uint8Array, context: RecordContext) {
  if (input instanceof Uint8Array) return parseRecord(input, context);
  return parseRecord(bytes(typeof input === 'string' ? input : JSON.stringify(input)), context);
}

describe('a JSON line', () => {
  test('gives all its fields to the document', () => {
    const record = {
      _id: 'b/1.HTML',
      title: 'One',
      text: 'Body',
      kind: 'mail',
      collection: 'inbox',
      modified_at: '2026-11-30T12:00:00+01:00',
      metadata: { tags: ['a'], n: 1 },
      other: 'is not kept',
    };
    expect(parsed(record)).toEqual({
      uri: 'b/1.HTML',
      title: 'One',
      kind: 'mail',
      collection: 'inbox',
      fileType: 'html',
      modifiedAt: '2026-11-30T11:00:00.000Z',
      metadata: '{"tags":["a"],"n":1}',
      text: 'Body',
      syntax: 'text',
      frontMatterEnd: 0,
      headings: [],
      replacedBytes: false,
    });
  });

  test('takes kind and collection from the command line when it names none', () => {
    expect(parsed({ id: 'a', kind: null, collection: '' })).toMatchObject({ kind: 'page', collection: 'library' });
  });

  test.each([
    [{ uri: 'u', id: 'i', _id: '_' }, '_'],
    [{ uri: 'u', id: 'i' }, 'i'],
    [{ uri: 'u' }, 'u'],
    [{ _id: null, id: 7 }, '7'],
    [{ _id: -9007199254740991 }, '-9007199254740991'],
    [{ _id: ' e\u0301 \u{1F600} ' }, ' e\u0301 \u{1F600} '],
    [{ text: 'no id' }, 'archive.jsonl#40'],
  ])('is known by its id, kept exactly: %j', (record, uri) => {
    expect(parsed(record).uri).toBe(uri);
  });

  test.each([
    ['{"_id": 9007199254740993}', '_id 9007199254740992 is a number that cannot be kept exactly; quote it'],
    ['{"id": 1.5}', 'id 1.5 is a number that cannot be kept exactly; quote it'],
    ['{"id": 1e999}', 'id Infinity is a number that cannot be kept exactly; quote it'],
    ['{"id": ""}', 'id is empty; give each record an id of its own or leave id out'],
    ['{"id": "a\\u0000b"}', 'id contains a NUL character; remove it'],
    ['{"uri": ["a"]}', 'uri is an array; make it a string'],
    ['{"_id": true}', '_id is a boolean; make it a string'],
    ['[1]', 'the line is an array, not a JSON object; wrap it as {"_id": …, "text": …}'],
    ['null', 'the line is null, not a JSON object; wrap it as {"_id": …, "text": …}'],
    ['"a"', 'the line is a string, not a JSON object; wrap it as {"_id": …, "text": …}'],
  ])('is rejected without a usable id or object: %s', (line, reason) => {
    expect(rejected(line)).toEqual({ reason, uri: null });
  });

  test.each([
    [{ id: 'a', text: 5 }, 'text is a number; make it a string'],
    [{ id: 'a', contents: {} }, 'contents is an object; make it a string'],
    [{ id: 'a', body: [] }, 'body is an array; make it a string'],
    [{ id: 'a', title: 5 }, 'title is a number; make it a string'],
    [{ id: 'a', metadata: [1] }, 'metadata is an array; make it an object'],
  ])('is rejected with its id when a field has the wrong type: %j', (record, reason) => {
    expect(rejected(record)).toEqual({ reason, uri: 'a' });
  });

  test('takes its text from the first of text, contents and body', () => {
    expect(parsed({ contents: 'c', body: 'b' }).text).toBe('c');
    expect(parsed({ text: null, body: 'b' }).text).toBe('b');
    expect(parsed({ text: '', body: 'b' }).text).toBe('');
    expect(parsed({ id: 'only' }).text).toBe('');
  });

  test.each([
    [`{"a": "\u0007${'x'.repeat(10_000)}`, /position 7/],
    ['{"a": \u001b[31m}', /\[31m/],
    ['', /end/],
    [`{"a": ${'\u{1F600}'.repeat(500)}}`, /token/],
  ])('that is not JSON is rejected with a short reason in printable characters: %#', (line, detail) => {
    const { reason, uri } = rejected(line);
    expect(reason).toMatch(/^not valid JSON: .*; write one JSON object on one line$/);
    expect(reason).toMatch(detail);
    expect(reason).not.toMatch(/\p{C}/u);
    expect(reason.length).toBeLessThan(300);
    expect(uri).toBeNull();
  });

  test('may start with a byte order mark and hold line separators', () => {
    expect(parsed('\uFEFF{"id": "a", "text": "x\u2028y"}').text).toBe('x\u2028y');
  });

  test('has its lone surrogates and NULs replaced', () => {
    const document = parsed('{"id": "a\\ud800", "title": "t\\udc00", "text": "x\\u0000\\u0000y\\ud83d\\ude00\\ud83d"}');
    expect(document).toMatchObject({ uri: 'a\uFFFD', title: 't\uFFFD', text: 'x  y\u{1F600}\uFFFD' });
  });

  test('with invalid UTF-8 is read with replacement characters, and says so', () => {
    const broken = Uint8Array.from([...bytes('{"id":"a","text":"x'), 0xff, ...bytes('"}')]);
    expect(parsed(broken)).toMatchObject({ text: 'x\uFFFD', replacedBytes: true });
  });

  test.each(['yesterday', 'version 2', '2026-02-30', '11/30/2026', 1_700_000_000])(
    'keeps a time that cannot be read, %j, in the metadata',
    (time) => {
      const document = parsed({ id: 'a', modified_at: time, metadata: { k: 1 } });
      expect(document.modifiedAt).toBeNull();
      expect(JSON.parse(document.metadata ?? '')).toEqual({ modified_at: time, k: 1 });
    },
  );

  test('whose metadata is nested too deeply is rejected', () => {
    const depth = 200_000;
    const line = `{"id":"a","metadata":{"k":${'['.repeat(depth)}${']'.repeat(depth)}}}`;
    expect(rejected(line)).toEqual({ reason: 'metadata is nested too deeply to be kept; flatten it', uri: 'a' });
  });

  test('whose id names a Markdown file is Markdown, and its fields go before the front matter', () => {
    const text = '---\ntitle: Front\nkind: note\nlevel: 3\n---\n# Heading\n';
    expect(parsed({ id: 'docs/a.MD', text, title: 'Field', metadata: { level: 4 } })).toMatchObject({
      syntax: 'markdown',
      title: 'Field',
      kind: 'note',
      metadata: '{"level":4}',
      frontMatterEnd: text.indexOf('#'),
    });
    expect(parsed({ id: 'docs/a.markdown#x', text, title: '' }).title).toBe('Front');
    expect(parsed({ id: 'docs/a.html', text })).toMatchObject({ syntax: 'text', title: '', headings: [] });
  });
});

describe('a Markdown file', () => {
  test('is called by its first level-1 heading', () => {
    expect(parsed('## Before\n\n# The *Title*\n\n# Later\n', markdown)).toMatchObject({
      uri: 'docs/Guide.md',
      fileType: 'md',
      syntax: 'markdown',
      title: 'The Title',
    });
    expect(parsed('## Only\n', markdown).title).toBe('');
  });

  test('keeps its front matter and byte order mark in its text', () => {
    const text = '\uFEFF---\r\ntitle: A\r\n---\r\n# B\r\n';
    expect(parsed(text, markdown)).toMatchObject({ text, title: 'A', frontMatterEnd: text.indexOf('# B') });
    expect(parsed('\uFEFF# B', markdown).title).toBe('B');
  });

  test('that is a later part has a uri of its own and no front matter', () => {
    const text = '---\ntitle: A\n---\ntext';
    const part = { ...markdown, partial: true };
    expect(parsed(text, { ...part, byteStart: 100 })).toMatchObject({
      uri: 'docs/Guide.md#100',
      fileType: 'md',
      title: '',
      frontMatterEnd: 0,
    });
    expect(parsed(text, part)).toMatchObject({ uri: 'docs/Guide.md', title: 'A' });
  });
});

describe('a text file', () => {
  test('has its name for a uri, no title and no headings', () => {
    expect(parsed('# not a heading', plain)).toMatchObject({
      uri: 'notes.txt',
      title: '',
      fileType: 'txt',
      syntax: 'text',
      headings: [],
      metadata: null,
      modifiedAt: null,
    });
  });

  test('named like a Markdown file is Markdown', () => {
    expect(parsed('# A heading', { ...plain, sourceUri: 'a.mkd' })).toMatchObject({
      syntax: 'markdown',
      title: 'A heading',
    });
  });

  test('may be empty', () => {
    expect(parsed('', plain).text).toBe('');
  });
});
