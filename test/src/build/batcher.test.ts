import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Batch, Batcher, type ExtentOwner } from '../../../src/build/batcher.ts';
import type { ExtentRow } from '../../../src/catalog.ts';
import type { Frame } from '../../../src/sources/index.ts';

interface Origin extends ExtentOwner {
  readonly name: number;
}

/** What stands in a source, in order: a record, a reject, or bytes that are neither. */
interface Piece {
  readonly kind: 'record' | 'reject' | 'blank';
  readonly length: number;
  /** the frame ends after it */
  readonly ends: boolean;
}

const piece = fc.record({
  kind: fc.constantFrom<Piece['kind']>('record', 'record', 'record', 'reject', 'blank'),
  length: fc.integer({ min: 1, max: 40 }),
  ends: fc.boolean(),
});
const sources = fc.array(fc.array(piece, { maxLength: 25 }), { minLength: 1, maxLength: 4 });

/** Frames of a source from a byte on, as a framer would cut them that started there. */
function framesFrom(pieces: readonly Piece[], start: number): Frame[] {
  const frames: Frame[] = [];
  let byteStart = start;
  let position = 0;
  let records: number[] = [];
  let rejects: { byteStart: number; byteEnd: number; reason: string }[] = [];
  const close = (): void => {
    if (position <= byteStart) return;
    const bytes = Buffer.alloc(position - byteStart);
    frames.push({ bytes, byteStart, byteEnd: position, records: new Uint32Array(records), rejects });
    byteStart = position;
    records = [];
    rejects = [];
  };
  for (const { kind, length, ends } of pieces) {
    const from = position;
    position += length;
    if (from < start) continue;
    if (kind === 'record') records.push(from - byteStart, position - byteStart);
    if (kind === 'reject') rejects.push({ byteStart: from, byteEnd: position, reason: 'no' });
    if (ends) close();
  }
  close();
  return frames;
}

function run(
  pieces: readonly (readonly Piece[])[],
  targetBytes: number,
  sealed: ReadonlyMap<number, readonly ExtentRow[]>,
): Batch<Origin>[] {
  const batcher = new Batcher<Origin>(targetBytes);
  const batches: Batch<Origin>[] = [];
  for (const [name, source] of pieces.entries()) {
    const feed = batcher.source({ name, openExtents: 0 }, sealed.get(name) ?? []);
    batches.push(...feed.skipSealed());
    for (const frame of framesFrom(source, feed.position)) batches.push(...feed.add(frame));
  }
  const last = batcher.finish();
  return last === undefined ? batches : [...batches, last];
}

/** Every extent of a batch with its records and rejects, as text: what sealing it would write down. */
function extentsOf(batches: readonly Batch<Origin>[]): string[] {
  return batches.flatMap((batch) =>
    batch.extents.map(({ source, byteStart, byteEnd, recordBytes, firstRecord, recordCount, rejects }, index) => {
      const records = batch.records.slice(firstRecord, firstRecord + recordCount);
      expect(records.every(([extent]) => extent === index)).toBe(true);
      const places = records.map(([, , length, start]) => [start, start + length]);
      return JSON.stringify({
        batch: batch.index,
        source: source.name,
        byteStart,
        byteEnd,
        recordBytes,
        records: places,
        rejects: rejects.map(({ byte_start, byte_end }) => [byte_start, byte_end]),
      });
    }),
  );
}

function rowsOf(batches: readonly Batch<Origin>[], isSealed: (batch: number) => boolean): Map<number, ExtentRow[]> {
  const counters = { indexed: 0, unchanged: 0, empty: 0, duplicate: 0, skipped: 0, repaired: 0 };
  const rows = new Map<number, ExtentRow[]>();
  for (const { index, extents } of batches) {
    if (!isSealed(index)) continue;
    for (const { source, byteStart, byteEnd, recordBytes } of extents) {
      const row = { id: 0, source_id: 0, byte_start: byteStart, byte_end: byteEnd, record_bytes: recordBytes };
      rows.set(source.name, [...(rows.get(source.name) ?? []), { ...row, ...counters }]);
    }
  }
  return rows;
}

describe('Batcher', () => {
  test('gives every record and reject to one batch, in extents that leave no gap', () => {
    fc.assert(
      fc.property(sources, fc.integer({ min: 1, max: 120 }), (pieces, targetBytes) => {
        const batches = run(pieces, targetBytes, new Map());
        expect(batches.map(({ index }) => index)).toEqual(batches.map((_, index) => index));
        for (const { recordBytes, extents, records, bytes } of batches.slice(0, -1)) {
          expect(recordBytes).toBeGreaterThanOrEqual(targetBytes);
          expect(bytes.length).toBe(recordBytes);
          expect(recordBytes - (records.at(-1)?.[2] ?? 0)).toBeLessThan(targetBytes);
          expect(extents.reduce((sum, extent) => sum + extent.recordCount, 0)).toBe(records.length);
        }
        for (const [name, source] of pieces.entries()) {
          const extents = batches.flatMap((batch) => batch.extents).filter((extent) => extent.source.name === name);
          let end = 0;
          for (const extent of extents) {
            expect(extent.byteStart).toBe(end);
            expect(extent.byteEnd).toBeGreaterThan(extent.byteStart);
            for (const { byte_start, byte_end } of extent.rejects) {
              expect(byte_start).toBeGreaterThanOrEqual(extent.byteStart);
              expect(byte_end).toBeLessThanOrEqual(extent.byteEnd);
            }
            end = extent.byteEnd;
          }
          const count = (kind: Piece['kind']): number => source.filter((one) => one.kind === kind).length;
          expect(extents.reduce((sum, { recordCount }) => sum + recordCount, 0)).toBe(count('record'));
          expect(extents.reduce((sum, { rejects }) => sum + rejects.length, 0)).toBe(count('reject'));
          expect(extents[0]?.source.openExtents ?? 0).toBe(extents.length);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('cuts a resumed run where the unbroken one was cut, whichever batches were sealed', () => {
    fc.assert(
      fc.property(sources, fc.integer({ min: 1, max: 120 }), fc.array(fc.boolean()), (pieces, targetBytes, sealed) => {
        const isSealed = (batch: number): boolean => sealed[batch] === true;
        const unbroken = run(pieces, targetBytes, new Map());
        const resumed = run(pieces, targetBytes, rowsOf(unbroken, isSealed));
        expect(extentsOf(resumed)).toEqual(extentsOf(unbroken.filter(({ index }) => !isSealed(index))));
        // A last batch that was sealed and held no record leaves no trace.
        const bytes = (batches: readonly Batch<Origin>[]): number[] =>
          batches.map(({ recordBytes }) => recordBytes).filter((count) => count > 0);
        expect(bytes(resumed)).toEqual(bytes(unbroken));
      }),
      { numRuns: 1000 },
    );
  });

  test('notes damage once, where reading ended', () => {
    const batcher = new Batcher<Origin>(1000);
    const feed = batcher.source({ name: 0, openExtents: 0 }, []);
    const pieces: Piece[] = [{ kind: 'record', length: 10, ends: true }];
    for (const frame of framesFrom(pieces, 0)) expect([...feed.add(frame)]).toEqual([]);
    feed.addDamage('it broke off');
    const [extent] = batcher.finish()!.extents;
    expect(extent!.rejects).toEqual([
      { byte_start: 10, byte_end: null, uri: null, kind: 'skipped', reason: 'it broke off' },
    ]);
  });
});
