import { expect, test } from 'vitest';
import { normalizeAmericanDate, normalizeTimestamp } from '../../../workers/parse/timestamp.ts';

test.each([
  ['2026-11-30T12:34:56Z', '2026-11-30T12:34:56.000Z'],
  ['2026-11-30t12:34:56.789123z', '2026-11-30T12:34:56.789Z'],
  ['2026-11-30 12:34:56,5 +0130', '2026-11-30T11:04:56.500Z'],
  ['2026-11-30T12:34-08:00', '2026-11-30T20:34:00.000Z'],
  ['2026-11-30T12:34:56', '2026-11-30T12:34:56.000Z'],
  [' 2026-11-30 ', '2026-11-30T00:00:00.000Z'],
  ['2026-11', '2026-11-01T00:00:00.000Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['Mon, 30 Nov 2026 12:00:00 +0100', '2026-11-30T11:00:00.000Z'],
  ['30 Nov 2026 12:00 GMT', '2026-11-30T12:00:00.000Z'],
])('%j is the time %s on every machine', (value, expected) => {
  expect(normalizeTimestamp(value)).toBe(expected);
});

test.each([
  '',
  '2026',
  '2026-13-01',
  '2025-02-29',
  '2026-11-31',
  '2026-11-30T25:00:00Z',
  '2026-11-30T12',
  '1/2/2026',
  'May 1',
  'v 2',
])('%j is no time', (value) => {
  expect(normalizeTimestamp(value)).toBeNull();
});

test('an American date has its month first', () => {
  expect(normalizeAmericanDate('1/31/2020')).toBe('2020-01-31T00:00:00.000Z');
  expect(normalizeAmericanDate('31/1/2020')).toBeNull();
  expect(normalizeAmericanDate('2020-01-31')).toBeNull();
});
