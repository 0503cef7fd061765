import { describe, expect, it } from 'vitest';
import { visitAttributes } from '../../../shards/attributes/document-attributes.ts';

/** Values of each attribute of a document with some metadata and text. */
function attributesOf(metadata: unknown, text = ''): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  const document = {
    kind: 'note',
    collection: 'x',
    fileType: 'md',
    label: 'sworn',
    metadata: JSON.stringify(metadata),
    text,
  };
  visitAttributes(document, (name, value) => {
    found[name] ??= [];
    found[name].push(value);
  });
  return found;
}

describe('the attributes of a document', () => {
  it('are its own fields', () => {
    const own = { kind: ['note'], collection: ['x'], file_type: ['md'], label: ['sworn'] };
    expect(attributesOf({})).toEqual(own);
  });

  it('are texts, numbers and truth values of its metadata, those in lists and objects too', () => {
    const metadata = {
      a: 'x',
      b: 1.5,
      c: true,
      d: null,
      e: ['y', 2, null],
      f: { g: { h: 'z' } },
      'f.g.h': 'w',
      i: [{ j: 3 }, { j: 4 }],
    };
    expect(attributesOf(metadata)).toMatchObject({
      'metadata.a': ['x'],
      'metadata.b': ['1.5'],
      'metadata.c': ['true'],
      'metadata.e': ['y', '2'],
      'metadata.f.g.h': ['z', 'w'],
      'metadata.i.j': ['3', '4'],
    });
    expect(attributesOf(metadata)).not.toHaveProperty(['metadata.d']);
  });

  it('have lone surrogates replaced, as all stored text has', () => {
    expect(attributesOf({ a: '\ud800' })).toMatchObject({ 'metadata.a': ['\ufffd'] });
  });

  it('end where objects are nested too deep', () => {
    let deep: unknown = 'x';
    for (let level = 0; level < 2_000; level++) deep = { a: deep };
    expect(Object.keys(attributesOf(deep))).toHaveLength(4);
  });

  it('are topics: members of lists as they are, texts cut at commas', () => {
    const metadata = { topics: ['a, b', ' c '], tags: 'd, e,', keyword: 7, other: ['f'] };
    expect(attributesOf(metadata).topic).toEqual(['a, b', 'c', 'd', 'e', '7']);
  });

  it('are mentions: those of the metadata and the paths in the text, without a leading ./', () => {
    expect(attributesOf({ mentions: ['./a.ts', 'Ada'] }, 'see ./b/c.ts').mention).toEqual(['a.ts', 'Ada', 'b/c.ts']);
  });
});
