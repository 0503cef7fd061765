import type { ExtentRow, RejectRow } from '../catalog.ts';
import type { Frame } from '../sources/index.ts';

/** What a source has to remember for its extents. */
export interface ExtentOwner {
  /** extents opened and not yet in the catalog */
  openExtents: number;
}

/** A stretch of one source inside a batch. */
export interface BatchExtent<Origin> {
  readonly source: Origin;
  readonly byteStart: number;
  byteEnd: number;
  recordBytes: number;
  /** records of the batch from `firstRecord` on that belong to this extent */
  readonly firstRecord: number;
  recordCount: number;
  readonly rejects: RejectRow[];
}

/** Records that go to one lane together. Batches are cut by the bytes of records alone, so the same input gives the same batches. */
export interface Batch<Origin> {
  readonly index: number;
  /** bytes of all records, those of an earlier, interrupted run included */
  readonly recordBytes: number;
  readonly extents: readonly BatchExtent<Origin>[];
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** per record: index of its extent, offset in `bytes`, length, byte offset in its source */
  readonly records: readonly (readonly [extent: number, offset: number, length: number, byteStart: number])[];
}

/**
 * Collects records into batches of about `targetBytes`. Stretches of a source that an interrupted run has sealed
 * already are counted, so that the cuts stay where they were, but not sent again.
 */
export class Batcher<Origin extends ExtentOwner> {
  readonly #targetBytes: number;
  #index = 0;
  #recordBytes = 0;
  #extents: BatchExtent<Origin>[] = [];
  #pieces: Uint8Array[] = [];
  #pieceBytes = 0;
  #records: [number, number, number, number][] = [];

  constructor(targetBytes: number) {
    this.#targetBytes = targetBytes;
  }

  /** Starts with a source; its frames follow in order. `sealed` are its accounted extents in byte order. */
  source(origin: Origin, sealed: readonly ExtentRow[]): SourceBatcher<Origin> {
    return new SourceBatcher(this, origin, sealed);
  }

  /** The last batch, smaller than the others; undefined when nothing is left. */
  finish(): Batch<Origin> | undefined {
    return this.#recordBytes > 0 || this.#extents.length > 0 ? this.#close() : undefined;
  }

  /** Opens an extent in the current batch. */
  openExtent(source: Origin, byteStart: number): BatchExtent<Origin> {
    const firstRecord = this.#records.length;
    const extent = { source, byteStart, byteEnd: byteStart, recordBytes: 0, firstRecord, recordCount: 0, rejects: [] };
    this.#extents.push(extent);
    source.openExtents++;
    return extent;
  }

  /** Adds a record to the extent opened last. */
  addRecord(bytes: Uint8Array, byteStart: number): void {
    const extent = this.#extents.at(-1)!;
    this.#records.push([this.#extents.length - 1, this.#pieceBytes, bytes.length, byteStart]);
    this.#pieces.push(bytes);
    this.#pieceBytes += bytes.length;
    extent.recordCount++;
    extent.recordBytes += bytes.length;
    this.#recordBytes += bytes.length;
  }

  /** Counts records that are sealed already. */
  addSealed(recordBytes: number): void {
    this.#recordBytes += recordBytes;
  }

  /** The batch, if it is full. */
  takeFull(): Batch<Origin> | undefined {
    return this.#recordBytes >= this.#targetBytes ? this.#close() : undefined;
  }

  #close(): Batch<Origin> {
    // A buffer of its own: it will be transferred to a worker thread.
    const bytes = new Uint8Array(this.#pieceBytes);
    let position = 0;
    for (const piece of this.#pieces) {
      bytes.set(piece, position);
      position += piece.length;
    }
    const batch = {
      index: this.#index++,
      recordBytes: this.#recordBytes,
      extents: this.#extents,
      bytes,
      records: this.#records,
    };
    this.#recordBytes = 0;
    this.#extents = [];
    this.#pieces = [];
    this.#pieceBytes = 0;
    this.#records = [];
    return batch;
  }
}

/** Feeds the frames of one source into a {@link Batcher}. */
export class SourceBatcher<Origin extends ExtentOwner> {
  readonly #batcher: Batcher<Origin>;
  readonly #origin: Origin;
  readonly #sealed: readonly ExtentRow[];
  #nextSealed = 0;
  #sealedEnd = 0;
  #extent: BatchExtent<Origin> | undefined;
  #position = 0;
  /** end of the last extent: the next one starts here, so that extents leave no gap */
  #accounted = 0;
  #sawIncomplete = false;

  constructor(batcher: Batcher<Origin>, origin: Origin, sealed: readonly ExtentRow[]) {
    this.#batcher = batcher;
    this.#origin = origin;
    this.#sealed = sealed;
  }

  /** Byte at which the source has to be read from: what comes before it is sealed. */
  get position(): number {
    return this.#position;
  }

  /** Skips sealed extents that follow the current position without a gap. */
  *skipSealed(): Generator<Batch<Origin>> {
    for (;;) {
      const sealed = this.#sealed[this.#nextSealed];
      if (sealed === undefined || sealed.byte_start > this.#position) return;
      this.#passSealed(sealed);
      this.#position = sealed.byte_end;
      const full = this.#batcher.takeFull();
      if (full !== undefined) yield full;
    }
  }

  /** Adds a frame; yields each batch that becomes full. */
  *add(frame: Frame): Generator<Batch<Origin>> {
    const { records, rejects } = frame;
    let reject = 0;
    const addRejectsBefore = (byte: number): void => {
      for (let next = rejects[reject]; next !== undefined && next.byteStart < byte; next = rejects[++reject]) {
        this.#addReject(next);
      }
    };
    for (let at = 0; at < records.length; at += 2) {
      const start = records[at]!;
      const end = records[at + 1]!;
      const byteStart = frame.byteStart + start;
      addRejectsBefore(byteStart);
      if (this.#isSealed(byteStart)) {
        const full = this.#batcher.takeFull();
        if (full !== undefined) yield this.#cut(full);
        continue;
      }
      this.#currentExtent();
      this.#batcher.addRecord(frame.bytes.subarray(start, end), byteStart);
      const next = records[at + 2];
      const border = next === undefined ? frame.byteEnd : frame.byteStart + next;
      // What lies before the border belongs to this extent: a resumed run starts reading at the border.
      addRejectsBefore(border);
      this.#advance(border);
      const full = this.#batcher.takeFull();
      if (full !== undefined) yield this.#cut(full);
    }
    addRejectsBefore(Number.POSITIVE_INFINITY);
    this.#advance(frame.byteEnd);
  }

  /** Notes that the source could not be read on from here, unless its last frame said so already. */
  addDamage(reason: string): void {
    if (this.#sawIncomplete) return;
    this.#currentExtent().rejects.push({
      byte_start: this.#position,
      byte_end: null,
      uri: null,
      kind: 'skipped',
      reason,
    });
  }

  #addReject(reject: Frame['rejects'][number]): void {
    if (reject.reason.startsWith('incomplete')) this.#sawIncomplete = true;
    if (this.#isSealed(reject.byteStart)) return;
    this.#currentExtent().rejects.push({
      byte_start: reject.byteStart,
      byte_end: reject.byteEnd,
      uri: null,
      kind: 'skipped',
      reason: reject.reason,
    });
    this.#advance(reject.byteEnd);
  }

  /** Whether a byte lies in a sealed extent; on entering one it is counted. */
  #isSealed(byte: number): boolean {
    for (;;) {
      if (byte < this.#sealedEnd) return true;
      const sealed = this.#sealed[this.#nextSealed];
      if (sealed === undefined || sealed.byte_start > byte) return false;
      this.#passSealed(sealed);
    }
  }

  #passSealed(sealed: ExtentRow): void {
    this.#nextSealed++;
    this.#sealedEnd = sealed.byte_end;
    this.#position = Math.max(this.#position, sealed.byte_end);
    this.#accounted = sealed.byte_end;
    this.#extent = undefined;
    this.#batcher.addSealed(sealed.record_bytes);
  }

  #currentExtent(): BatchExtent<Origin> {
    this.#extent ??= this.#batcher.openExtent(this.#origin, this.#accounted);
    return this.#extent;
  }

  #advance(byte: number): void {
    this.#position = Math.max(this.#position, byte);
    if (this.#extent === undefined) return;
    this.#extent.byteEnd = this.#position;
    this.#accounted = this.#position;
  }

  #cut(batch: Batch<Origin>): Batch<Origin> {
    this.#extent = undefined;
    return batch;
  }
}
