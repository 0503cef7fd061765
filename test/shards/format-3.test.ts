import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { analyzerFor, noWork, type ShardQuery, type ShardReader, verifyShardFile } from '../../shards/index.ts';
import { QueryAnalyzer } from '../../src/search/query-analyzer.ts';
import { placesOf, rank } from './ranking/support.ts';
import { buildShard, documentOf, reopen } from './support.ts';

const folder = fileURLToPath(new URL('../fixtures/format-3/', import.meta.url));
const shardFile = join(folder, 'library.shard');
const expectedFile = join(folder, 'library.json');

/** Shards of format 3 must stay readable: the file is written again only when asked for, by this format's own code. */
const writes = process.env.SHELFMARK_WRITE_FIXTURES === '1';

const documents = [
  documentOf(
    [
      '# The reading room\n',
      'Readers ask for books by shelfmark.\n\n',
      'The clerk brings them on a trolley; see `loans/how to.md`.\n',
    ],
    {
      uri: 'rooms/reading.md',
      title: 'The reading room',
      fileType: 'md',
      heading: ['The reading room'],
      metadata: '{"floor":2,"tags":["rooms","loans"]}',
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
    analyzer: 'fr-1',
  }),
  documentOf('図書館の地下には東京都の古い新聞がある。', { uri: 'rooms/新聞', title: '新聞', analyzer: 'cjk-1' }),
  documentOf('Error PIO-1384 in readShelf(): the C++ reader stopped at 1,024.5 KiB.', { uri: 'log/17' }),
  documentOf('', { uri: 'rooms/empty', title: 'An empty folder' }),
  // More units than a byte of a list holds.
  documentOf('reader '.repeat(300), { uri: 'log/readers' }),
];

const questions = [
  'shelfmark books',
  'archivistes été',
  '東京都 新聞',
  'pio 1384',
  'C++',
  'empty folder',
  'reading room',
];

const phrases = ['the reading room', 'pio 1384', '東京都の古い'];

function describeShard(reader: ShardReader): unknown {
  const { analyzerParameters: _ofTheNodeThatBuiltIt, ...meta } = reader.meta;
  // Ranking may change without a change of the format; what is found may not.
  const queries = new QueryAnalyzer(Object.keys(meta.analyzers).map(analyzerFor));
  const found = (text: string, mode: ShardQuery['mode'] = 'and', asked: readonly string[] = []): string[] => {
    const tokens = queries.tokens(text).map(({ alternatives }) => alternatives);
    const query = { mode, tokens, phrases: asked.map((phrase) => queries.phrase(phrase)) };
    return placesOf(reader, rank(reader, query)).sort();
  };
  const lists = [...reader.inspect('SELECT term FROM list ORDER BY term')].map(([term]) => String(term));
  return {
    meta,
    documents: [...reader.documents()].map((document) => ({ ...document, metadata: reader.metadata(document) })),
    attributes: [...reader.attributes.names()].map((name) => [name, [...(reader.attributes.values(name) ?? [])]]),
    times: [...reader.index.modifiedTimes()].map(String),
    chunks: [...reader.chunks()],
    lists: lists.map((term) => [term, reader.index.postings(term, meta.columnUnits, noWork())?.df]),
    lengths: [...reader.index.lengths().lengths],
    answers: questions.map((question) => ({ question, all: found(question), any: found(question, 'or') })),
    phrases: phrases.map((phrase) => ({ phrase, hits: found('', 'or', [phrase]) })),
  };
}

beforeAll(async () => {
  if (!writes) return;
  mkdirSync(folder, { recursive: true });
  rmSync(shardFile, { force: true });
  await buildShard(documents, { file: shardFile, listThreshold: 2 });
  const description = reopen(shardFile, describeShard);
  writeFileSync(expectedFile, `${JSON.stringify(description, null, 2)}\n`);
});

describe('a shard of format 3, written once and kept', () => {
  it('gives back its documents, its text and the same hits', () => {
    expect(reopen(shardFile, describeShard)).toEqual(JSON.parse(readFileSync(expectedFile, 'utf8')));
  });

  it('gives the same without its lists', () => {
    const description = reopen(shardFile, describeShard, { useLists: false });
    expect(description).toEqual(JSON.parse(readFileSync(expectedFile, 'utf8')));
  });

  it('answers each of its questions', () => {
    const { answers, phrases, lists } = JSON.parse(readFileSync(expectedFile, 'utf8'));
    for (const { all, any } of answers) {
      expect(all.length).toBeGreaterThan(0);
      expect(any).toEqual(expect.arrayContaining(all));
    }
    for (const { hits } of phrases) expect(hits.length).toBeGreaterThan(0);
    expect(lists.length).toBeGreaterThan(3);
  });

  it('verifies to the last posting', () => {
    expect(verifyShardFile(shardFile, { depth: 'deep' })).toMatchObject({ ok: true });
  });
});
