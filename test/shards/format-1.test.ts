import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { matchShard, type ShardReader, verifyShardFile } from '../../shards/index.ts';
import { analyzer, buildShard, documentOf, reopen } from './support.ts';

const folder = fileURLToPath(new URL('../fixtures/format-1/', import.meta.url));
const shardFile = join(folder, 'library.shard');
const expectedFile = join(folder, 'library.json');

/** Shards of format 1 must stay readable: the file is written again only when asked for, by this format's own code. */
const writes = process.env.SHELFMARK_WRITE_FIXTURES === '1';

const documents = [
  documentOf(
    ['# The reading room\n', 'Readers ask for books by shelfmark.\n\n', 'The clerk brings them on a trolley.\n'],
    {
      uri: 'rooms/reading.md',
      title: 'The reading room',
      fileType: 'md',
      heading: ['The reading room'],
      metadata: '{"floor":2}',
      source: { path: 'rooms/reading.md', compression: 'none' },
    },
  ),
  documentOf('La salle est fermée l’été; l’archiviste range les cartes marines. 🗺️', {
    uri: 'rooms/maps',
    title: 'Salle des cartes',
    kind: 'note',
    collection: 'rooms',
    modifiedAt: '2026-11-30T00:00:00.000Z',
    label: 'sworn',
  }),
  documentOf('図書館の地下には東京都の古い新聞がある。', { uri: 'rooms/新聞', title: '新聞' }),
  documentOf('Error PIO-1384 in readShelf(): the C++ reader stopped at 1,024.5 KiB.', { uri: 'log/17' }),
  documentOf('', { uri: 'rooms/empty', title: 'An empty folder' }),
];

const questions = [
  'shelfmark books',
  'archiviste été',
  '東京都 新聞',
  'pio 1384',
  'C++',
  'empty folder',
  'reading room',
];

function describeShard(reader: ShardReader): unknown {
  const { analyzerParameters: _ofTheNodeThatBuiltIt, ...meta } = reader.meta;
  const everything = { k: 10, by: 'chunk' as const, filter: { kinds: [], collections: [] }, check: () => {} };
  return {
    meta,
    documents: [...reader.documents()],
    chunks: [...reader.chunks()],
    answers: questions.map((question) => {
      const tokens = analyzer.queryTokens(question).map(({ alternatives }) => alternatives);
      const hits = matchShard(reader, { mode: 'and', tokens }, everything);
      // Ranking may change without a change of the format; what is found may not.
      return { question, hits: hits.map(({ uri, ordinal }) => `${uri}/${ordinal}`).sort() };
    }),
  };
}

beforeAll(async () => {
  if (!writes) return;
  mkdirSync(folder, { recursive: true });
  rmSync(shardFile, { force: true });
  await buildShard(documents, { file: shardFile });
  const description = reopen(shardFile, describeShard);
  writeFileSync(expectedFile, `${JSON.stringify(description, null, 2)}\n`);
});

describe('a shard of format 1, written once and kept', () => {
  it('gives back its documents, its text and the same hits', () => {
    expect(reopen(shardFile, describeShard)).toEqual(JSON.parse(readFileSync(expectedFile, 'utf8')));
  });

  it('answers each of its questions', () => {
    const { answers } = JSON.parse(readFileSync(expectedFile, 'utf8')) as { answers: { hits: unknown[] }[] };
    for (const { hits } of answers) expect(hits.length).toBeGreaterThan(0);
  });

  it('verifies to the last posting', () => {
    expect(verifyShardFile(shardFile, { depth: 'deep' })).toMatchObject({ ok: true });
  });
});
