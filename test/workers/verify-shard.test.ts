import { appendFileSync, truncateSync, unlinkSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { SealedShard } from '../../shards/index.ts';
import { verifyShard } from '../../workers/verify-shard.ts';
import { buildShard, copyOf, documentsOf, editShard, flipByte, newPath } from '../shards/support.ts';
import { verifyTask } from './support.ts';

let sealed: SealedShard;

beforeAll(async () => {
  sealed = await buildShard(documentsOf('Shelves and books', '東京都の図書館', ''));
});

/** What verify says of a copy that something was done to. */
async function hashPartOf(damage: (file: string) => void): Promise<string> {
  const file = copyOf(sealed.file);
  damage(file);
  const answer = await verifyShard(verifyTask(sealed, { file }));
  expect(answer).toMatchObject({ shard: sealed.id, file, ok: false });
  expect(answer.parts[0]).toMatchObject({ name: 'hash', status: 'damaged' });
  return answer.parts[0]?.detail ?? '';
}

describe('verify of a shard against the catalog', () => {
  it.each(['sample', 'deep'] as const)('finds nothing wrong with a sound one (%s)', async (depth) => {
    const answer = await verifyShard(verifyTask(sealed, { depth }));
    expect(answer).toMatchObject({ shard: sealed.id, file: sealed.file, ok: true });
    expect(answer.parts.map(({ name }) => name)).toEqual([
      'hash',
      'open',
      'sqlite',
      'counts',
      'documents',
      'blocks',
      'columns',
      'attributes',
      'lists',
      'index',
    ]);
    expect(answer.parts[0]?.detail).toBe(`SHA-256 ${sealed.sha256}`);
  });

  it('finds every changed byte, also where nothing is stored', async () => {
    for (let offset = 0; offset < sealed.bytes; offset += 997) {
      expect(await hashPartOf((file) => flipByte(file, offset, 1))).toContain('the catalog says');
    }
  });

  it('finds what is missing or too much', async () => {
    const sizes = `bytes, the catalog says ${sealed.bytes}`;
    expect(await hashPartOf((file) => truncateSync(file, sealed.bytes - 1))).toContain(sizes);
    expect(await hashPartOf((file) => appendFileSync(file, 'x'))).toContain(sizes);
    expect(await hashPartOf((file) => truncateSync(file, 0))).toContain(sizes);
    expect(await hashPartOf((file) => unlinkSync(file))).toContain('missing');
  });

  it('finds a sound file that is another shard', async () => {
    const other = await buildShard(documentsOf('something else'), { file: newPath() });
    const { bytes, sha256, file } = other;
    const answer = await verifyShard(verifyTask(sealed, { bytes, sha256, file }));
    expect(answer.ok).toBe(false);
    expect(answer.parts.filter(({ status }) => status === 'damaged').map(({ name }) => name)).toEqual(['hash']);
    expect(answer.parts[0]?.detail).toContain(`it is shard ${other.id}`);
  });

  it('still says where the damage is', async () => {
    const file = copyOf(sealed.file);
    editShard(file, (database) => database.exec("UPDATE document SET uri = 'x' WHERE id = 2"));
    const { parts } = await verifyShard(verifyTask(sealed, { file }));
    const damaged = parts.filter(({ status }) => status === 'damaged').map(({ name }) => name);
    expect(damaged).toEqual(expect.arrayContaining(['hash', 'documents']));
    expect(damaged).not.toContain('blocks');
  });
});
