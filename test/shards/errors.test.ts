import { describe, expect, it } from 'vitest';
import { CorruptError, decodeError, encodeError, explainReadError, ShelfmarkError } from '../../shards/index.ts';

function failure(code: string, message = 'it failed'): Error {
  return Object.assign(new Error(message), { code });
}

describe('an error', () => {
  it('keeps class name, code, message and facts on its way between threads', () => {
    const error = new CorruptError('a.shard', 'block 7', 'no checksum', new Error('cause'));
    const data = structuredClone(encodeError(error));
    expect(decodeError(data)).toMatchObject({
      name: 'CorruptError',
      code: 'SHELFMARK_CORRUPT',
      message: error.message,
      facts: { file: 'a.shard', part: 'block 7', detail: 'no checksum' },
    });
    expect(decodeError(data)).toBeInstanceOf(ShelfmarkError);
    expect(decodeError(data).cause).toBe(error.stack);
  });

  it.each([
    [failure('ENOENT'), 'SHELFMARK_NOT_FOUND'],
    [failure('ENOSPC'), 'SHELFMARK_IO'],
    [failure('SQLITE_FULL'), 'SHELFMARK_IO'],
    [failure('SQLITE_IOERR_READ'), 'SHELFMARK_IO'],
    [failure('SQLITE_BUSY'), 'SHELFMARK_BUSY'],
    [failure('SQLITE_CORRUPT_VTAB'), 'SHELFMARK_CORRUPT'],
    [failure('SQLITE_NOTADB'), 'SHELFMARK_CORRUPT'],
    [new TypeError('a bug'), 'SHELFMARK_INTERNAL'],
    ['a string', 'SHELFMARK_INTERNAL'],
    [undefined, 'SHELFMARK_INTERNAL'],
  ])('of any other kind has a code too: %s is %s', (error, code) => {
    expect(encodeError(error).code).toBe(code);
  });
});

describe('what SQLite throws while a shard is read', () => {
  it('is damage, with the name of the file, unless it is input and output', () => {
    for (const code of ['SQLITE_CORRUPT', 'SQLITE_ERROR', 'SQLITE_CORRUPT_VTAB', 'SQLITE_MISMATCH']) {
      const error = failure(code, 'no such table: fts');
      expect(explainReadError('a.shard', error)).toMatchObject({
        code: 'SHELFMARK_CORRUPT',
        message: expect.stringMatching(/^a\.shard is damaged .*no such table: fts.*restore the file/),
        cause: error,
      });
    }
    expect(explainReadError('a.shard', failure('SQLITE_IOERR'))).toMatchObject({
      code: 'SHELFMARK_IO',
      message: 'a.shard cannot be read: it failed.',
    });
  });

  it('is left alone when it is something else', () => {
    for (const error of [new TypeError('a bug'), new CorruptError('a', 'b', 'c'), failure('SQLITE_NOMEM'), 'text']) {
      expect(explainReadError('a.shard', error)).toBe(error);
    }
  });
});
