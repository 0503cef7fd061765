import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunksOf } from '../../bench/rivals/chunks.ts';

describe('chunksOf', () => {
  it('cuts after every 180th word and keeps all white space', () => {
    const text = Array.from({ length: 400 }, (_, index) => `w${index}`).join(' \n');
    const chunks = [...chunksOf(text)];
    expect(chunks.map((chunk) => chunk.trim().split(/\s+/).length)).toEqual([180, 180, 40]);
    expect(chunks.join('')).toBe(text);
  });

  it('tiles any text that has a word', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b c', ' ', '\n', 'é')), (parts) => {
        const text = parts.join('');
        expect([...chunksOf(text)].join('')).toBe(text.trim() === '' ? '' : text);
      }),
    );
  });

  it('can cut two texts at once', () => {
    const text = 'word '.repeat(400);
    const first = chunksOf(text);
    first.next();
    expect([...chunksOf('another text')]).toEqual(['another text']);
    expect([...first].join('')).toBe('word '.repeat(220));
  });
});
