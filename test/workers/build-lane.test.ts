import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ANALYZER_ID, ShardReader } from '../../shards/index.ts';
import { BuildLane } from '../../workers/build-lane.ts';
import {
  type BatchSource,
  type BuildSettings,
  type RecordBatch,
  recordStatus,
  verdict,
} from '../../workers/protocol.ts';

const settings: BuildSettings = {
  analyzers: [ANALYZER_ID],
  detector: null,
  collection: 'default',
  kind: 'document',
  label: 'checked',
  maxWords: 300,
  overlapWords: 0,
};
const source: BatchSource = { path: '/archive/a.jsonl', uri: 'a.jsonl', format: 'jsonl', compression: 'none' };

async function scratchFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'shelfmark-lane-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, '1.shard');
}

/** A batch of records that stand one after another from a byte of their source on. */
function batchOf(index: number, records: readonly (string | Buffer)[], byteStart = 0): RecordBatch {
  const bytes = records.map((record) => Buffer.from(record));
  const places: number[] = [];
  let offset = 0;
  for (const { length } of bytes) {
    places.push(0, offset, length, byteStart + offset, 0);
    offset += length;
  }
  return { index, sources: [source], bytes: Buffer.concat(bytes), records: new Float64Array(places) };
}

const records = [
  '{"_id":"a","text":"alpha"}',
  '{"_id":"a","text":"alpha again"}',
  '{"_id":"e","text":" \\n"}',
  'no json',
  Buffer.concat([Buffer.from('{"_id":"r","text":"'), Buffer.from([0xff]), Buffer.from('"}')]),
];

describe('BuildLane', () => {
  test('says of each record what it is, and gives the same keys and fingerprints to the same record only', () => {
    const lane = new BuildLane();
    const parsed = lane.parse(settings, batchOf(3, records));
    const { document, empty, rejected } = recordStatus;
    expect([...parsed.status]).toEqual([document, document, empty, rejected, document]);
    expect([...parsed.repaired]).toEqual([0, 0, 0, 0, 1]);
    expect(parsed).toMatchObject({ index: 3, rejects: [{ record: 3, uri: null }] });
    expect(parsed.keys[0]).toBe(parsed.keys[1]);
    expect(new Set([...parsed.fingerprints].filter((print) => print !== 0n)).size).toBe(3);

    const again = lane.parse(settings, batchOf(4, records));
    expect([again.keys, again.fingerprints]).toEqual([parsed.keys, parsed.fingerprints]);
    const moved = lane.parse(settings, batchOf(5, records, 1));
    expect(moved.keys).toEqual(parsed.keys);
    expect(moved.fingerprints[0]).not.toBe(parsed.fingerprints[0]);
    const relabelled = lane.parse({ ...settings, label: 'other' }, batchOf(6, records));
    expect(relabelled.fingerprints[0]).not.toBe(parsed.fingerprints[0]);
    const regrouped = lane.parse({ ...settings, collection: 'other' }, batchOf(7, records));
    expect(regrouped.keys[0]).not.toBe(parsed.keys[0]);
  });

  test('writes the documents it is told to and names those that are duplicates', async () => {
    const file = await scratchFile();
    const lane = new BuildLane();
    await lane.open(file, settings);
    lane.parse(settings, batchOf(0, records, 100));
    const verdicts = Uint8Array.of(verdict.index, verdict.duplicate, 0, 0, verdict.unchanged);
    const indexed = lane.index(0, verdicts);
    expect([...indexed.documents]).toEqual([1, 0, 0, 0, 0]);
    expect(indexed.duplicates).toEqual([{ record: 1, uri: 'a' }]);
    const sealed = await lane.seal();
    expect(sealed).toMatchObject({ file, meta: { documents: 1, chunks: 1 } });
    const reader = new ShardReader(sealed!.file);
    const [stored] = [...reader.documents()];
    reader.close();
    expect(stored).toMatchObject({
      uri: 'a',
      label: 'checked',
      source: { path: source.path, byteStart: 100, byteEnd: 126 },
    });
  });

  test('leaves no file when nothing was written, and none when it is aborted', async () => {
    const file = await scratchFile();
    const lane = new BuildLane();
    await lane.open(file, settings);
    lane.parse(settings, batchOf(0, records));
    lane.index(0, new Uint8Array(records.length).fill(verdict.unchanged));
    expect(await lane.seal()).toBeNull();
    expect(existsSync(file)).toBe(false);
    await lane.open(file, settings);
    lane.parse(settings, batchOf(1, records));
    lane.index(1, new Uint8Array(records.length));
    lane.abort();
    expect(existsSync(file)).toBe(false);
  });

  test('refuses what comes out of turn', async () => {
    const file = await scratchFile();
    const lane = new BuildLane();
    const internal = expect.objectContaining({ code: 'SHELFMARK_INTERNAL' });
    await expect(lane.seal()).rejects.toEqual(internal);
    lane.parse(settings, batchOf(0, records));
    expect(() => lane.index(0, new Uint8Array(records.length))).toThrow(internal);
    await lane.open(file, settings);
    await expect(lane.open(file, settings)).rejects.toThrow(internal);
    expect(() => lane.index(9, new Uint8Array())).toThrow(internal);
    lane.abort();
  });
});
