import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { planQuery } from '../../../src/search/match-policy.ts';
import { fillSearchOptions } from '../../../src/search/options.ts';
import { readSynonyms, Synonyms } from '../../../src/search/synonyms.ts';
import { queryAnalyzer, tempFolder } from '../../shards/support.ts';

function fileOf(text: string): string {
  const file = join(tempFolder(), 'synonyms.txt');
  writeFileSync(file, text);
  return file;
}

/** What a file of rules adds to a query. */
function added(rules: string, query: string): string {
  const tokens = new Synonyms(queryAnalyzer, readSynonyms(fileOf(rules))).tokensFor(query);
  return tokens.map(({ text }) => text).join(' ');
}

describe('a file of synonyms', () => {
  test('has groups, one-way rules, comments and blank lines', () => {
    expect(readSynonyms(fileOf('\ufeff# cars\r\n\r\n car , automobile\r\n nyc, big apple=> new york city \n'))).toEqual(
      [
        { words: ['car', 'automobile'], add: ['car', 'automobile'] },
        { words: ['nyc', 'big apple'], add: ['new york city'] },
      ],
    );
  });

  test.each([
    ['car', 'a group needs two entries'],
    ['car, ', '"" is no word'],
    ['a => b => c', '"=>" comes more than once'],
    ['=> b', '"" is no word'],
    ['a => ?!', '"?!" is no word'],
  ])('is refused with the line of what is no rule: %s', (line, why) => {
    const file = fileOf(`one, two\n# three\n${line}\n`);
    expect(() => readSynonyms(file)).toThrow(expect.objectContaining({ code: 'SHELFMARK_USAGE' }));
    expect(() => readSynonyms(file)).toThrow(`${file}:3: ${why}`);
  });

  test('that is not there is named', () => {
    const file = join(tempFolder(), 'none.txt');
    expect(() => readSynonyms(file)).toThrow(expect.objectContaining({ code: 'SHELFMARK_NOT_FOUND' }));
    expect(() => readSynonyms(file)).toThrow(file);
  });
});

describe('synonyms', () => {
  test('are found by what the analyzer makes of words, not by how they are written', () => {
    expect(added('Cars, automobile', 'the CAR of my aunt')).toBe('Cars automobile');
    expect(added('café => bistro', 'Cafe')).toBe('bistro');
    expect(added('car => automobile', 'card')).toBe('');
  });

  test('of several words need all of them in a row', () => {
    const rules = 'United States of America, USA';
    expect(added(rules, 'who leads the united states of America')).toBe('United States America USA');
    expect(added(rules, 'united states')).toBe('');
    expect(added(rules, 'states united of america')).toBe('');
    expect(added(rules, 'usa')).toBe('United States America USA');
  });

  test('go one way where the rule does, and are not looked up again', () => {
    const rules = 'nyc => new york city\ncity => town';
    expect(added(rules, 'nyc')).toBe('new york city');
    expect(added(rules, 'new york')).toBe('');
  });

  test('come into the OR steps as --also words do, and never into the AND', () => {
    const synonyms = new Synonyms(queryAnalyzer, [{ words: ['car'], add: ['automobile', 'car'] }]).tokensFor('old car');
    const steps = (match: 'strict' | 'any' | 'all'): string[] =>
      planQuery(queryAnalyzer, 'old car', fillSearchOptions({ match, also: ['rusty'] }), synonyms).rungs.map(
        ({ name, tokens }) => `${name}: ${tokens.map(({ text }) => text).join(' ')}`,
      );
    expect(steps('strict')).toEqual(['all: old car', 'top5: old car rusty automobile']);
    expect(steps('any')).toEqual(['any: old car rusty automobile']);
    expect(steps('all')).toEqual(['all: old car']);
  });
});
