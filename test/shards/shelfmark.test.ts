import { describe, expect, it } from 'vitest';
import { type DocumentId, formatShelfmark, parseShelfmark, type ShardId } from '../../shards/index.ts';
import { errorOf } from './support.ts';

describe('a shelfmark', () => {
  it('is read as it was written', () => {
    const parts = { shard: 's3f9c21a07b' as ShardId, document: 418 as DocumentId, ordinal: 2 };
    expect(formatShelfmark(parts)).toBe('s3f9c21a07b/418/2');
    expect(parseShelfmark(' s3f9c21a07b/418/2\n')).toEqual(parts);
  });

  it.each([
    '',
    's3f9c21a07b',
    's3f9c21a07b/418',
    's3f9c21a07b/0/1',
    's3f9c21a07b/1/01',
    's3F9c21a07b/1/1',
    'x3f9c21a07b/1/1',
    's3f9c21a07b/1/1/1',
    's3f9c21a07b/1e3/1',
    's3f9c21a07b/9999999999999999/1',
    '../s3f9c21a07b/1/1',
  ])('is not %j', (text) => {
    const error = errorOf(() => parseShelfmark(text));
    expect(error.code).toBe('SHELFMARK_USAGE');
    expect(error.message).toContain('for example s3f9c21a07b/418/2');
  });

  it('is quoted only in part in the error when the text is long', () => {
    expect(errorOf(() => parseShelfmark('x'.repeat(10_000))).message.length).toBeLessThan(250);
  });
});
