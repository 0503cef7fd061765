import { join } from 'node:path';
import { type SealedShard, ShelfmarkError } from '../../shards/index.ts';
import {
  type BatchSource,
  type BuildAnswers,
  type BuildTask,
  type IndexedBatch,
  type ParsedBatch,
  recordStatus,
  recordStride,
  verdict,
} from '../../workers/protocol.ts';
import type { Catalog, Counters, EntryRow, NewExtent, RejectRow, ShardRow } from '../catalog.ts';
import { layoutOf } from '../layout.ts';
import { ThreadLane } from '../thread-lane.ts';
import type { Batch, BatchExtent } from './batcher.ts';
import type { PlannedSource } from './build-corpus.ts';
import { addCounters, emptyCounters } from './counters.ts';
import { Judge, type Judgement } from './judge.ts';
import type { FilledBuildOptions } from './options.ts';
import { publishShard } from './publish-shard.ts';

/** Batches that a lane may hold: one being indexed, one parsed, one on its way. This bounds the memory of a build. */
const batchesInFlight = 3;

interface BuildLanesOptions {
  readonly options: FilledBuildOptions;
  readonly catalog: Catalog;
  readonly buildId: number;
  readonly count: number;
  readonly planned: readonly PlannedSource[];
}

/** The records of a batch that were indexed, as arrays: an object for each would wait in memory for the shard's end. */
interface IndexedRecords {
  readonly keys: BigInt64Array;
  readonly fingerprints: BigInt64Array;
  /** per record its document, 0 if it was not indexed */
  readonly documents: Float64Array;
  /** per record the row of its source */
  readonly sourceIds: Float64Array;
}

/** What becomes part of the catalog in one transaction when a shard is sealed. */
interface ShardHarvest {
  readonly extents: { readonly planned: PlannedSource; readonly extent: NewExtent }[];
  readonly indexed: IndexedRecords[];
  readonly unchanged: EntryRow[];
  readonly replaced: EntryRow[];
}

/** One thread, the shard it writes, and what is known of that shard so far. */
class Lane {
  readonly thread = new ThreadLane<BuildTask, BuildAnswers>('build-worker');
  /** raw bytes of the current shard, sealed batches of an interrupted run included */
  recordBytes = 0;
  isOpen = false;
  harvest: ShardHarvest = newHarvest();
  inFlight = 0;
  /** ends when everything handed to the lane so far is done */
  work: Promise<void> = Promise.resolve();
  #wake: (() => void) | undefined;

  /** Waits until the lane may take another batch. */
  async room(): Promise<void> {
    while (this.inFlight >= batchesInFlight) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** One batch less in flight. */
  leave(): void {
    this.inFlight--;
    this.#wake?.();
  }

  /** Lets whoever waits go on. */
  release(): void {
    this.inFlight = 0;
    this.#wake?.();
  }
}

/**
 * The lanes of a build. Batch n goes to lane n mod count, and a lane's shard ends with the batch that fills it: which
 * record is in which shard depends on the input and the number of lanes only, never on timing.
 */
export class BuildLanes {
  readonly #options: FilledBuildOptions;
  readonly #catalog: Catalog;
  readonly #buildId: number;
  readonly #lanes: readonly Lane[];
  readonly #judge: Judge;
  #judging: Promise<void> = Promise.resolve();
  #failure: { readonly error: unknown } | undefined;
  #counters: Counters = emptyCounters;
  #shards = 0;
  #scratchFiles = 0;
  readonly #abort = (): void => this.#fail(this.#options.signal?.reason);

  constructor({ options, catalog, buildId, count, planned }: BuildLanesOptions) {
    this.#options = options;
    this.#catalog = catalog;
    this.#buildId = buildId;
    this.#lanes = Array.from({ length: count }, () => new Lane());
    this.#judge = new Judge(catalog, planned);
    options.signal?.addEventListener('abort', this.#abort, { once: true });
  }

  /** Records accounted for by this run. */
  get counters(): Counters {
    return this.#counters;
  }

  /** Shards sealed by this run. */
  get shards(): number {
    return this.#shards;
  }

  /**
   * Takes a batch. Resolves when there is room for the next one of its lane, not when it is indexed.
   * @param turn number of the batch among those of this part.
   */
  async add(batch: Batch<PlannedSource>, turn: number): Promise<void> {
    const lane = this.#lanes[turn % this.#lanes.length]!;
    await lane.room();
    this.#throwFailure();
    lane.inFlight++;
    const parsed = this.#parse(lane, batch);
    // The judge takes batches in input order, whichever thread parsed its batch first.
    const judged = Promise.all([parsed, this.#judging]).then(([answer]) => this.#dispatch(lane, batch, answer));
    this.#judging = judged.catch((error: unknown) => this.#fail(error));
  }

  /** Seals what is open. Resolves when everything is in the catalog. */
  async finish(): Promise<void> {
    await this.#judging;
    this.#throwFailure();
    for (const lane of this.#lanes) this.#sealSoon(lane);
    await Promise.all(this.#lanes.map((lane) => lane.work));
    this.#throwFailure();
  }

  /** Ends the threads. What they had not sealed is gone. */
  async close(): Promise<void> {
    this.#options.signal?.removeEventListener('abort', this.#abort);
    await Promise.all(this.#lanes.map((lane) => lane.thread.close()));
  }

  #parse(lane: Lane, batch: Batch<PlannedSource>): Promise<ParsedBatch> {
    if (batch.records.length === 0) return Promise.resolve(emptyParse(batch.index));
    const sources = batch.extents.map(({ source: { source } }): BatchSource => {
      const { path, uri, format, compression } = source;
      return { path, uri, format, compression };
    });
    const records = new Float64Array(batch.records.length * recordStride);
    for (const [index, [extent, offset, length, byteStart]] of batch.records.entries()) {
      // A text file larger than one record comes as several; the first keeps the file's name. 3 bytes: byte order mark.
      const isPart = batch.extents[extent]?.source.source.format !== 'jsonl' && byteStart > 3 ? 1 : 0;
      records.set([extent, offset, length, byteStart, isPart], index * recordStride);
    }
    const { settings } = this.#options;
    return lane.thread.run<'parse'>(
      { op: 'parse', settings, batch: { index: batch.index, sources, bytes: batch.bytes, records } },
      [batch.bytes.buffer],
    );
  }

  /** Judges a parsed batch and queues what follows in its lane; the thread runs tasks in the order they are queued. */
  #dispatch(lane: Lane, batch: Batch<PlannedSource>, parsed: ParsedBatch): void {
    const judgement = this.#judge.judge(parsed);
    if (!lane.isOpen && judgement.verdicts.length > 0) {
      lane.isOpen = true;
      const file = join(layoutOf(this.#options.corpus).building, `${++this.#scratchFiles}.shard`);
      this.#chain(lane, lane.thread.run<'open'>({ op: 'open', file, settings: this.#options.settings }), () => {});
    }
    lane.recordBytes += batch.recordBytes;
    if (lane.isOpen) {
      const { verdicts } = judgement;
      const indexed = lane.thread.run<'index'>({ op: 'index', index: batch.index, verdicts });
      const { harvest } = lane;
      this.#chain(lane, indexed, (answer) => {
        this.#reap(harvest, batch, parsed, judgement, answer);
        lane.leave();
      });
    } else {
      this.#reap(lane.harvest, batch, parsed, judgement, {
        index: batch.index,
        documents: new Float64Array(),
        duplicates: [],
      });
      lane.leave();
    }
    if (lane.recordBytes >= this.#options.shardBytes) this.#sealSoon(lane);
  }

  /** Adds what became of a batch to its shard's harvest. */
  #reap(
    harvest: ShardHarvest,
    batch: Batch<PlannedSource>,
    parsed: ParsedBatch,
    judgement: Judgement,
    indexed: IndexedBatch,
  ): void {
    const reasons = new Map<number, Pick<RejectRow, 'uri' | 'kind' | 'reason'>>();
    for (const { record, uri, reason } of parsed.rejects) reasons.set(record, { uri, kind: 'skipped', reason });
    for (const { record, uri } of indexed.duplicates) {
      reasons.set(record, { uri, kind: 'duplicate', reason: 'a document with this uri and collection came first' });
    }
    for (const extent of batch.extents) {
      const row = toExtentRow(extent, batch, parsed, judgement, reasons);
      harvest.extents.push({ planned: extent.source, extent: row });
      this.#counters = addCounters(this.#counters, row);
      if (this.#options.strict && row.rejects.length > 0) throw strictError(extent.source.source.path, row.rejects[0]!);
    }
    const { keys, fingerprints } = parsed;
    const { documents } = indexed;
    const sourceIds = Float64Array.from(documents, (_, record) => sourceOf(batch, record).id);
    harvest.indexed.push({ keys, fingerprints, documents, sourceIds });
    for (const { record, entry } of judgement.unchanged) {
      harvest.unchanged.push({ ...entry, source_id: sourceOf(batch, record).id });
    }
    for (const entry of judgement.replaced) harvest.replaced.push(entry);
  }

  /** Seals the lane's shard and enters it in the catalog; the lane goes on with the next shard meanwhile. */
  #sealSoon(lane: Lane): void {
    const { harvest, isOpen } = lane;
    lane.harvest = newHarvest();
    lane.recordBytes = 0;
    lane.isOpen = false;
    const sealed = isOpen ? lane.thread.run<'seal'>({ op: 'seal' }) : Promise.resolve(null);
    this.#chain(lane, sealed, async (shard) => {
      // A source that is what it was two builds ago gives a shard that is there already.
      const known = shard === null ? undefined : this.#catalog.shardByName(shard.id);
      if (shard !== null && known === undefined) await publishShard(shard.file, shard.id, this.#options.corpus);
      this.#enter(shard, known, harvest);
    });
  }

  #enter(shard: SealedShard | null, known: ShardRow | undefined, harvest: ShardHarvest): void {
    const catalog = this.#catalog;
    const buildId = this.#buildId;
    catalog.transaction(() => {
      for (const entry of harvest.replaced) catalog.addTombstone(entry.shard_id, entry.document);
      if (shard !== null) {
        const shardId = known?.id ?? catalog.addShard(shard, buildId);
        for (const entry of entriesOf(harvest, shardId)) {
          catalog.putEntry(entry);
          if (known !== undefined) catalog.removeTombstone(shardId, entry.document);
        }
        if (known === undefined) this.#shards++;
      }
      for (const { planned, extent } of harvest.extents) {
        catalog.addExtent(extent);
        planned.openExtents--;
        if (planned.openExtents === 0 && planned.ended === 'whole') catalog.completeSource(planned.id);
      }
      for (const entry of harvest.unchanged) catalog.putEntry(entry);
    });
    for (const { keys, documents } of harvest.indexed) {
      this.#judge.settle(keys.filter((_, record) => documents[record] !== 0));
    }
    this.#judge.settle(harvest.unchanged.map(({ key }) => key));
  }

  /** Appends a step to the lane's work: it runs when the thread has answered and all earlier steps are done. */
  #chain<Answer>(lane: Lane, answer: Promise<Answer>, step: (answer: Answer) => void | Promise<void>): void {
    const before = lane.work;
    // Awaited only after the steps before it; until then a failure must not count as unhandled.
    answer.catch(() => {});
    lane.work = (async () => {
      await before;
      const value = await answer;
      if (this.#failure === undefined) await step(value);
    })().catch((error: unknown) => this.#fail(error));
  }

  /** The first failure ends the build; whoever waits for a lane is woken to see it. */
  #fail(error: unknown): void {
    this.#failure ??= { error };
    for (const lane of this.#lanes) lane.release();
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}

function emptyParse(index: number): ParsedBatch {
  const none = new BigInt64Array();
  const bytes = new Uint8Array();
  return { index, status: bytes, keys: none, fingerprints: none, rejects: [], repaired: bytes };
}

function newHarvest(): ShardHarvest {
  return { extents: [], indexed: [], unchanged: [], replaced: [] };
}

function* entriesOf(harvest: ShardHarvest, shardId: number): Generator<EntryRow> {
  for (const { keys, fingerprints, documents, sourceIds } of harvest.indexed) {
    for (const [record, document] of documents.entries()) {
      if (document === 0) continue;
      const key = keys[record]!;
      yield { key, fingerprint: fingerprints[record]!, shard_id: shardId, document, source_id: sourceIds[record]! };
    }
  }
}

function sourceOf(batch: Batch<PlannedSource>, record: number): PlannedSource {
  return batch.extents[batch.records[record]![0]]!.source;
}

function toExtentRow(
  extent: BatchExtent<PlannedSource>,
  batch: Batch<PlannedSource>,
  parsed: ParsedBatch,
  judgement: Judgement,
  reasons: ReadonlyMap<number, Pick<RejectRow, 'uri' | 'kind' | 'reason'>>,
): NewExtent {
  const count = { indexed: 0, unchanged: 0, empty: 0, duplicate: 0, skipped: extent.rejects.length, repaired: 0 };
  const rejects = [...extent.rejects];
  for (let record = extent.firstRecord; record < extent.firstRecord + extent.recordCount; record++) {
    if (parsed.status[record] === recordStatus.empty) count.empty++;
    else if (parsed.status[record] === recordStatus.rejected) count.skipped++;
    else if (judgement.verdicts[record] === verdict.duplicate) count.duplicate++;
    else if (judgement.verdicts[record] === verdict.unchanged) count.unchanged++;
    else count.indexed++;
    count.repaired += parsed.repaired[record] ?? 0;
    const reason = reasons.get(record);
    const [, , length = 0, byteStart = 0] = batch.records[record] ?? [];
    if (reason !== undefined) rejects.push({ byte_start: byteStart, byte_end: byteStart + length, ...reason });
  }
  return {
    source_id: extent.source.id,
    byte_start: extent.byteStart,
    byte_end: extent.byteEnd,
    record_bytes: extent.recordBytes,
    ...count,
    rejects,
  };
}

/** With `strict`, the end of a build. */
export function strictError(path: string, reject: Pick<RejectRow, 'byte_start' | 'reason'>): ShelfmarkError {
  return new ShelfmarkError(
    'SHELFMARK_REJECTED',
    `${path} at byte ${reject.byte_start}: ${reject.reason}. Mend the record, or build without --strict to skip and list such records.`,
    { path, byte: reject.byte_start, reason: reject.reason },
  );
}
