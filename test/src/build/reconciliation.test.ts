import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../sources/support.ts';
import {
  build,
  documentsOf,
  randomNumbers,
  randomWords,
  readSource,
  rejectsOf,
  search,
  shardHashes,
  shelfmarkError,
  urisOf,
  withoutShards,
  writeJsonl,
} from '../support.ts';

const invalidUtf8 = Buffer.from([
  0x7b, 0x22, 0x69, 0x64, 0x22, 0x3a, 0x22, 0x72, 0x22, 0x2c, 0x22, 0x74, 0x65, 0x78, 0x74, 0x22, 0x3a, 0x22, 0x62,
  0x72, 0xff, 0x6f, 0x6b, 0x65, 0x6e, 0x22, 0x7d,
]);

async function writeBadInput(folder: string): Promise<string[]> {
  const mixed = join(folder, 'mixed.jsonl');
  const lines = [
    '\ufeff{"_id":"bom","text":"first words"}\r\n',
    '{"_id":"good","text":"good words"}\r',
    '{"_id":"good","text":"other words"}\n',
    '\n   \n',
    '{"_id":"empty","text":"  "}\n',
    '{"_id":"invalid", text}\n',
    '[1, 2]\n',
    '{"_id":{},"text":"bad id"}\n',
    '{"_id":12,"text":"number\u2028words"}\n',
    '{"text":"no id"}\n',
  ];
  await writeFile(mixed, Buffer.concat([Buffer.from(lines.join('')), invalidUtf8]));
  const second = await writeJsonl(join(folder, 'second.jsonl'), [
    { _id: 'good', text: 'a third time' },
    { _id: 'good', collection: 'other', text: 'of another collection' },
  ]);
  const packed = join(folder, 'packed.jsonl.gz');
  await writeFile(packed, gzipSync('{"_id":"p1","text":"packed words"}\nnot json\n'));
  const notes = join(folder, 'notes');
  await mkdir(notes);
  await writeFile(join(notes, 'binary.txt'), Buffer.from('text\0more'));
  await writeFile(join(notes, 'empty.md'), '');
  await writeFile(join(notes, 'fine.md'), '# Fine\r\n\r\nFine words');
  await writeFile(join(notes, 'wide.txt'), Buffer.from('\ufeffwide', 'utf16le'));
  return [mixed, second, packed, notes];
}

describe('the counters of a build', () => {
  test('account for every record, and the rejects file names every one that is not indexed', async () => {
    const folder = await temporaryFolder();
    const corpus = join(folder, 'corpus');
    const sources = await writeBadInput(folder);
    const report = await build({ sources, corpus });
    const { indexed, unchanged, empty, duplicate, skipped, repaired, seen } = report;
    expect({ indexed, unchanged, empty, duplicate, skipped, repaired }).toEqual({
      indexed: 8,
      unchanged: 0,
      empty: 2,
      duplicate: 2,
      skipped: 6,
      repaired: 1,
    });
    expect(seen).toBe(18);

    const [mixed = '', second = '', packed = '', notes = ''] = sources;
    expect(report.rejects).toBe(join(corpus, 'rejects.jsonl'));
    const rejects = await rejectsOf(corpus);
    const records = await Promise.all(
      rejects.map(async ({ source, byteStart, byteEnd, kind, uri }) => {
        const record = (await readSource(source)).subarray(byteStart, byteEnd ?? undefined);
        return [source, kind, uri, record.toString('latin1')];
      }),
    );
    expect(records).toEqual([
      [mixed, 'duplicate', 'good', '{"_id":"good","text":"other words"}'],
      [mixed, 'skipped', null, '{"_id":"invalid", text}'],
      [mixed, 'skipped', null, '[1, 2]'],
      [mixed, 'skipped', null, '{"_id":{},"text":"bad id"}'],
      [second, 'duplicate', 'good', '{"_id":"good","text":"a third time"}'],
      [packed, 'skipped', null, 'not json'],
      [join(notes, 'binary.txt'), 'skipped', null, 'text\0more'],
      [join(notes, 'wide.txt'), 'skipped', null, '\xff\xfew\0i\0d\0e\0'],
    ]);
    expect(rejects.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('came first'),
      expect.stringContaining('not valid JSON'),
      expect.stringContaining('an array'),
      expect.stringContaining('_id is an object'),
      expect.stringContaining('came first'),
      expect.stringContaining('not valid JSON'),
      expect.stringContaining('binary data'),
      expect.stringContaining('UTF-16'),
    ]);
    expect(urisOf(corpus)).toEqual(
      [
        'bom',
        'good',
        'good',
        '12',
        'r',
        'p1',
        `${notes}/fine.md`,
        `${mixed}#${anonymousAt(await readFile(mixed))}`,
      ].sort(),
    );
    const [hit] = await search(corpus, 'broken');
    expect(hit).toBeUndefined();
    expect(documentsOf(corpus).find(({ uri }) => uri === 'r')?.text).toBe('br\ufffdoken');
  });

  test('are the same again when nothing changed, only that what was indexed is unchanged', async () => {
    const folder = await temporaryFolder();
    const corpus = join(folder, 'corpus');
    const sources = await writeBadInput(folder);
    const first = await build({ sources, corpus });
    const rejects = await rejectsOf(corpus);
    const second = await build({ sources, corpus });
    expect(second).toMatchObject({
      indexed: 0,
      unchanged: first.indexed,
      empty: first.empty,
      duplicate: first.duplicate,
      skipped: first.skipped,
      repaired: first.repaired,
      seen: first.seen,
      unchangedSources: first.sources,
      newShards: 0,
    });
    expect(await rejectsOf(corpus)).toEqual(rejects);
  });

  test('count a line that is too long without reading it into memory', async () => {
    const folder = await temporaryFolder();
    const corpus = join(folder, 'corpus');
    const file = join(folder, 'long.jsonl');
    const limit = 64 * 1024 * 1024;
    const long = Buffer.alloc(limit + 1, 'x');
    const before = Buffer.from('{"_id":"a","text":"before"}\n');
    await writeFile(file, Buffer.concat([before, long, Buffer.from('\n{"_id":"b","text":"after"}\n')]));
    const report = await build({ sources: [file], corpus });
    expect(report).toMatchObject({ seen: 3, indexed: 2, skipped: 1 });
    expect(await rejectsOf(corpus)).toMatchObject([
      { source: file, byteStart: before.length, byteEnd: before.length + limit + 1, kind: 'skipped' },
    ]);
  });

  test('give repaired documents to the source that they are from', async () => {
    const folder = await temporaryFolder();
    const corpus = join(folder, 'corpus');
    const clean = await writeJsonl(join(folder, 'clean.jsonl'), [{ _id: 'c', text: 'clean' }]);
    const torn = join(folder, 'torn.jsonl');
    await writeFile(torn, invalidUtf8);
    expect(await build({ sources: [clean, torn], corpus })).toMatchObject({ repaired: 1 });
    await writeJsonl(torn, [{ _id: 'r', text: 'mended' }]);
    expect(await build({ sources: [clean, torn], corpus })).toMatchObject({ repaired: 0 });
  });
});

/** Byte offset of the record that has no id. */
function anonymousAt(bytes: Buffer): number {
  return bytes.indexOf('{"text":"no id"}');
}

describe('strict', () => {
  test('ends the build at the first record that cannot be indexed, also when an earlier build skipped it', async () => {
    const folder = await temporaryFolder();
    const corpus = join(folder, 'corpus');
    const file = await writeJsonl(join(folder, 'a.jsonl'), [
      { _id: 'a', text: 'words' },
      'no json',
      { _id: 'b', text: 'b' },
    ]);
    const options = { sources: [file], corpus, strict: true };
    const expected = { path: file, byte: 27 };
    expect((await shelfmarkError(build(options), 'SHELFMARK_REJECTED')).facts).toMatchObject(expected);
    expect(await build({ ...options, strict: false })).toMatchObject({ indexed: 2, skipped: 1 });
    const error = await shelfmarkError(build(options), 'SHELFMARK_REJECTED');
    expect(error.facts).toMatchObject(expected);
    expect(error.message).toContain(`${file} at byte 27`);
  });

  test('does not mind empty documents, and without rejects there is no rejects file', async () => {
    const folder = await temporaryFolder();
    const corpus = join(folder, 'corpus');
    const file = await writeJsonl(join(folder, 'a.jsonl'), ['no json']);
    await build({ sources: [file], corpus });
    expect(existsSync(join(corpus, 'rejects.jsonl'))).toBe(true);
    await writeJsonl(file, [
      { _id: 'a', text: '' },
      { _id: 'b', text: 'words' },
    ]);
    const report = await build({ sources: [file], corpus, strict: true });
    expect(report).toMatchObject({ seen: 2, indexed: 1, empty: 1, rejects: null });
    expect(existsSync(join(corpus, 'rejects.jsonl'))).toBe(false);
  });
});

describe('a build is determined by its input', () => {
  test('the same number of lanes gives the same shard files; any number of lanes and any size the same documents', async () => {
    const folder = await temporaryFolder();
    const random = randomNumbers(3);
    const records = Array.from({ length: 80 }, (_, index) => ({
      _id: `d${index % 70}`,
      title: randomWords(random, 3),
      text: randomWords(random, 5 + Math.floor(random() * 150)),
    }));
    const sources = [await writeJsonl(join(folder, 'a.jsonl'), records)];
    const first = join(folder, 'first');
    const again = join(folder, 'again');
    const options = { sources, shardBytes: 8192, workers: 2 };
    await build({ ...options, corpus: first });
    await build({ ...options, corpus: again });
    const hashes = await shardHashes(first);
    expect(Object.keys(hashes).length).toBeGreaterThan(3);
    expect(await shardHashes(again)).toEqual(hashes);

    const documents = withoutShards(documentsOf(first));
    for (const [workers, shardBytes] of [
      [1, 4096],
      [3, 256 * 1024 * 1024],
    ] as const) {
      const corpus = join(folder, `${workers}-${shardBytes}`);
      await build({ sources, corpus, workers, shardBytes });
      expect(withoutShards(documentsOf(corpus))).toEqual(documents);
    }
  });
});
