import { describe, expect, it } from 'vitest';
import { parseInteger, parseSeconds } from '../../../src/cli/parse-number.ts';
import { parsePart } from '../../../src/cli/parse-part.ts';
import { parseSize } from '../../../src/cli/parse-size.ts';
import { formatByteRate, formatBytes, formatCounted, formatDuration } from '../../../src/cli/quantities.ts';
import { shellQuote } from '../../../src/cli/shell-quote.ts';
import { table } from '../../../src/cli/table.ts';

const size = (text: string): number => parseSize('--size', text, 4096, 1024 ** 4);

describe('parseSize', () => {
  it.each([
    ['4096', 4096],
    ['4KiB', 4096],
    ['256MiB', 268_435_456],
    ['1GB', 1e9],
    ['1.5 gib', 1_610_612_736],
    ['5kB', 5000],
    ['1TiB', 1024 ** 4],
    ['8192B', 8192],
  ])('%s', (text, bytes) => {
    expect(size(text)).toBe(bytes);
  });

  it.each(['', '4K', '-1', '1e6', 'big', '4 095', '3KiB', '2TiB', '1GiBs', 'KiB', 'NaN'])(
    'refuses %j, naming the option',
    (text) => {
      expect(() => size(text)).toThrow(/^--size: expected a size from 4,096 to 1,099,511,627,776 bytes, such as /);
    },
  );
});

describe('parsePart, parseInteger, parseSeconds', () => {
  it('take what they say', () => {
    expect(parsePart('--part', '3/16')).toEqual({ index: 3, count: 16 });
    expect(parsePart('--part', '1/1')).toEqual({ index: 1, count: 1 });
    expect(parseInteger('-n', '007', 1, 10)).toBe(7);
    expect(parseSeconds('--timeout', '0.25')).toBe(250);
  });

  it('refuse everything else', () => {
    for (const text of ['', '3', '0/4', '5/4', '1/0', '1/2/3', '-1/2', '1/100001', 'a/b', '1 / 2']) {
      expect(() => parsePart('--part', text)).toThrow(/^--part: expected i\/n/);
    }
    for (const text of ['', '-1', '1.5', '1e1', '11', 'ten', '0x5']) {
      expect(() => parseInteger('-n', text, 1, 10)).toThrow(/^-n: expected a whole number from 1 to 10/);
    }
    for (const text of ['', '0', '-1', '1e3', '99999999', 'soon']) {
      expect(() => parseSeconds('--timeout', text)).toThrow(/^--timeout: expected seconds/);
    }
  });
});

describe('what is printed', () => {
  it('counts, sizes, rates and durations', () => {
    expect([formatCounted(1, 'shard'), formatCounted(12345, 'shard')]).toEqual(['1 shard', '12,345 shards']);
    expect([812, 999_949, 999_950, 3.4e12].map(formatBytes)).toEqual(['812 B', '999.9 kB', '1.0 MB', '3.4 TB']);
    expect(formatByteRate(5e6, 2000)).toBe('2.5 MB/s');
    expect([12.4, 3400, 59_940, 59_950, 125_000, 3_599_700, 11_220_000].map(formatDuration)).toEqual([
      '12 ms',
      '3.4 s',
      '59.9 s',
      '1 min 00 s',
      '2 min 05 s',
      '1 h 00 min',
      '3 h 07 min',
    ]);
  });

  it('tables and shell words', () => {
    expect(
      table([
        ['a', '1'],
        ['long', '1,000', 'remark'],
      ]),
    ).toBe('  a         1\n  long  1,000  remark\n');
    expect(['plain/path-1', '', 'a b', "it's", '$x'].map(shellQuote)).toEqual([
      'plain/path-1',
      "''",
      "'a b'",
      "'it'\\''s'",
      "'$x'",
    ]);
  });
});
