import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BytePlaces } from '../../shards/byte-places.ts';

const text = fc.string({ unit: fc.constantFrom('a', ' ', 'é', '語', '𝄞'), maxLength: 40 });

describe('BytePlaces', () => {
  test('are the lengths of what comes before, asked for in any order', () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat()), (content, picks) => {
        const borders = [0];
        for (const character of content) borders.push(borders.at(-1)! + character.length);
        const places = new BytePlaces(content);
        expect(places.bytes.toString()).toBe(content);
        for (const pick of picks) {
          const offset = borders[pick % borders.length]!;
          expect(places.at(offset)).toBe(Buffer.byteLength(content.slice(0, offset)));
        }
      }),
    );
  });
});
