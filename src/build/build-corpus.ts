import { stat } from 'node:fs/promises';
import type { Catalog, Counters, SourceRow } from '../catalog.ts';
import { layoutOf } from '../layout.ts';
import {
  type Discovery,
  discoverSources,
  frameSource,
  type Source,
  SourceError,
  standardInput,
} from '../sources/index.ts';
import { type Batch, Batcher, type ExtentOwner, type SourceBatcher } from './batcher.ts';
import { BuildLanes, strictError } from './build-lanes.ts';
import { changeCorpus } from './change-corpus.ts';
import { addCounters, emptyCounters, seen } from './counters.ts';
import { handleLostShards } from './lost-shards.ts';
import { type BuildOptions, type BuildReport, type FilledBuildOptions, fillBuildOptions } from './options.ts';
import { writeRejects } from './write-rejects.ts';

/** A source of this build: the state it is in, and what is left to do for it. */
export interface PlannedSource extends ExtentOwner {
  readonly source: Source;
  /** row of this state in the catalog */
  readonly id: number;
  /** earlier states, superseded when this one is complete */
  readonly earlier: readonly SourceRow[];
  /** how reading ended: not yet, to the end, or with damage or a change under way (then it is read again next time) */
  ended: 'no' | 'whole' | 'broken';
}

interface SourceState {
  readonly source: Source;
  readonly state: 'new' | 'begun' | 'unchanged';
  /** the state in the catalog that the source is still in; undefined when it is new */
  readonly newest: SourceRow | undefined;
  /** the states before that one */
  readonly earlier: readonly SourceRow[];
}

/**
 * Builds or extends a corpus. Reads sources in order, cuts their records into batches, and lets lanes (one thread and one
 * open shard each) parse and index them. Killed at any moment, nothing sealed is lost; the same call goes on where the
 * catalog ends and makes the same shards as an unbroken run.
 *
 * @throws ShelfmarkError SHELFMARK_USAGE, SHELFMARK_SOURCE (a named source is missing), SHELFMARK_BUSY (another build
 * runs), SHELFMARK_CORRUPT (a shard is lost, see `rebuildLost`), SHELFMARK_REJECTED (with `strict`), SHELFMARK_IO (disk full and the like); the signal's reason when aborted.
 */
export async function buildCorpus(options: BuildOptions): Promise<BuildReport> {
  const filled = fillBuildOptions(options);
  filled.signal?.throwIfAborted();
  const startedAt = performance.now();
  // Sources are looked up first: a mistyped name must not leave an empty corpus behind.
  const discovery = await discoverSources(filled.sources, { format: filled.format, ignore: filled.ignore });
  try {
    return await changeCorpus(filled.corpus, 'Shards sealed so far can be searched', async (catalog) => {
      handleLostShards(filled.corpus, catalog, filled.rebuildLost);
      return await new Build(filled, catalog, discovery, startedAt).run();
    });
  } catch (error) {
    filled.signal?.throwIfAborted();
    throw error;
  }
}

class Build {
  readonly #options: FilledBuildOptions;
  readonly #catalog: Catalog;
  readonly #discovery: Discovery;
  readonly #startedAt: number;
  readonly #id: number;
  readonly #laneCount: number;
  readonly #resumed: boolean;
  readonly #sourceCommand: string;
  readonly #planned: PlannedSource[] = [];
  /** the states of all sources, in their order: those planned and those that did not change */
  readonly #current: { readonly id: number; readonly path: string }[] = [];
  #carried: Counters = emptyCounters;
  #recordBytes = 0;
  #sourceBytesDone = 0;

  constructor(options: FilledBuildOptions, catalog: Catalog, discovery: Discovery, startedAt: number) {
    this.#options = options;
    this.#catalog = catalog;
    this.#discovery = discovery;
    this.#startedAt = startedAt;
    const { settings, part, format } = options;
    const { sources, ignore, shardBytes } = options;
    this.#sourceCommand = JSON.stringify({ settings, part, format });
    const command = JSON.stringify({ settings, part, format, sources, ignore, shardBytes });
    const running = catalog.runningBuild(command);
    this.#resumed = running !== undefined;
    this.#laneCount = running?.lanes ?? options.workers;
    this.#id = running?.id ?? catalog.transaction(() => catalog.addBuild(command, this.#laneCount));
  }

  async run(): Promise<BuildReport> {
    this.#catalog.transaction(() => this.#plan());
    if (this.#options.strict) this.#refuseKnownRejects();
    const lanes = new BuildLanes({
      options: this.#options,
      catalog: this.#catalog,
      buildId: this.#id,
      count: this.#laneCount,
      planned: this.#planned,
    });
    const timer = setInterval(() => this.#report(lanes, 'build'), 200);
    try {
      for await (const batch of this.#batches()) {
        this.#options.signal?.throwIfAborted();
        const { index, count } = this.#options.part;
        if (batch.index % count === index - 1) await lanes.add(batch, Math.floor(batch.index / count));
        else for (const { source } of batch.extents) source.openExtents--;
      }
      await lanes.finish();
    } finally {
      clearInterval(timer);
      await lanes.close();
    }
    this.#report(lanes, 'finish');
    return await this.#finish(lanes);
  }

  /** Sorts sources into those that did not change since a build with the same settings, and those to read. */
  #plan(): void {
    const states = this.#discovery.sources.map((source) => this.#stateOf(source));
    // A document that another source loses may live on in a source that had it as a duplicate.
    const mayVanish = states.some(({ state, earlier }) => state !== 'unchanged' && earlier.length > 0);
    for (const { source, state, newest, earlier } of states) {
      const counters = newest === undefined ? emptyCounters : this.#catalog.countersOf(newest.id);
      if (newest !== undefined && state === 'unchanged' && !(mayVanish && counters.duplicate > 0)) {
        const { indexed, unchanged, ...rest } = counters;
        this.#carried = addCounters(this.#carried, { ...rest, indexed: 0, unchanged: indexed + unchanged });
        this.#current.push(newest);
        continue;
      }
      const begun = state === 'begun' ? newest : undefined;
      const id = begun?.id ?? this.#addVersion(source);
      const ended = begun?.complete === 1 ? 'whole' : 'no';
      const superseded = state === 'unchanged' && newest !== undefined ? [newest, ...earlier] : earlier;
      this.#planned.push({ source, id, earlier: superseded, openExtents: 0, ended });
      this.#current.push({ id, path: source.path });
    }
  }

  /** What the catalog knows of a source. `begun`: this build found it as it is before it was interrupted. */
  #stateOf(source: Source): SourceState {
    const versions = this.#versions(source);
    const [newest, ...older] = versions;
    const isSame =
      newest !== undefined &&
      source.path !== standardInput &&
      newest.command === this.#sourceCommand &&
      newest.size === source.size &&
      newest.mtime === source.mtimeNs;
    if (isSame && newest.build_id === this.#id) return { source, state: 'begun', newest, earlier: older };
    if (isSame && newest.complete === 1) return { source, state: 'unchanged', newest, earlier: older };
    return { source, state: 'new', newest: undefined, earlier: versions };
  }

  /** Earlier states of a source, newest first. For a part of a job array the other parts' are not; for the whole they are. */
  #versions(source: Source): SourceRow[] {
    const versions = this.#catalog.sourceVersions(source.path);
    if (this.#options.part.count === 1) return versions;
    const part = JSON.stringify(this.#options.part);
    return versions.filter((row) => JSON.stringify((JSON.parse(row.command) as { part: unknown }).part) === part);
  }

  /** Rejects of what is not read again would go unnoticed. @throws ShelfmarkError SHELFMARK_REJECTED. */
  #refuseKnownRejects(): void {
    const [unreadable] = this.#discovery.rejects;
    if (unreadable !== undefined) throw strictError(unreadable.path, { ...unreadable, byte_start: 0 });
    for (const { id, path } of this.#current) {
      const [reject] = this.#catalog.rejects(id);
      if (reject !== undefined) throw strictError(path, reject);
    }
  }

  #addVersion(source: Source): number {
    return this.#catalog.addSource({
      path: source.path,
      command: this.#sourceCommand,
      size: source.size,
      mtime: source.mtimeNs,
      build_id: this.#id,
    });
  }

  async *#batches(): AsyncGenerator<Batch<PlannedSource>> {
    const batcher = new Batcher<PlannedSource>(Math.min(1024 * 1024, this.#options.shardBytes));
    for (const planned of this.#planned) {
      for await (const batch of this.#batchesOf(planned, batcher)) {
        this.#recordBytes += batch.recordBytes;
        yield batch;
      }
    }
    const last = batcher.finish();
    if (last === undefined) return;
    this.#recordBytes += last.recordBytes;
    yield last;
  }

  async *#batchesOf(planned: PlannedSource, batcher: Batcher<PlannedSource>): AsyncGenerator<Batch<PlannedSource>> {
    const { source } = planned;
    const doneAfter = this.#sourceBytesDone + source.size;
    const sealed = this.#catalog.extents(planned.id);
    for (const extent of sealed) this.#carried = addCounters(this.#carried, extent);
    const feed = batcher.source(planned, sealed);
    yield* feed.skipSealed();
    // Of a job array's part the catalog knows only its own stretches: the others have to be read to be counted.
    if (planned.ended !== 'whole' || this.#options.part.count > 1) {
      // Set only when the last extent is open: until then, no open extents does not mean that none will follow.
      planned.ended = 'no';
      planned.ended = yield* this.#read(planned, feed);
    }
    this.#sourceBytesDone = doneAfter;
  }

  async *#read(
    { source, id }: PlannedSource,
    feed: SourceBatcher<PlannedSource>,
  ): AsyncGenerator<Batch<PlannedSource>, 'whole' | 'broken'> {
    const doneAfter = this.#sourceBytesDone + source.size;
    const onRead = (bytes: number): void => {
      this.#sourceBytesDone = Math.min(this.#sourceBytesDone + bytes, doneAfter);
    };
    try {
      for await (const frame of frameSource(source, { start: feed.position, onRead })) yield* feed.add(frame);
      return (await hasChanged(source)) ? 'broken' : 'whole';
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      if (!this.#catalog.hasDamage(id)) feed.addDamage(error.message);
      return 'broken';
    }
  }

  async #finish(lanes: BuildLanes): Promise<BuildReport> {
    const catalog = this.#catalog;
    const layout = layoutOf(this.#options.corpus);
    const removed = catalog.transaction(() => this.#supersede());
    const unreadable = this.#discovery.rejects;
    const rejects = await writeRejects(layout.rejects, catalog, this.#current, unreadable);
    const counters = addCounters(this.#counters(lanes), { ...emptyCounters, skipped: unreadable.length });
    const shards = catalog.shards();
    return {
      ...counters,
      corpus: this.#options.corpus,
      seen: seen(counters),
      sources: this.#discovery.sources.length,
      unchangedSources: this.#current.length - this.#planned.length,
      ignoredFiles: this.#discovery.ignoredFiles,
      removed,
      newShards: lanes.shards,
      shards: shards.length,
      corpusBytes: shards.reduce((sum, shard) => sum + shard.bytes, 0) + (await stat(layout.catalog)).size,
      recordBytes: this.#recordBytes,
      rejects: rejects ? layout.rejects : null,
      resumed: this.#resumed,
      elapsedMs: performance.now() - this.#startedAt,
    };
  }

  /** Completes sources read to their end; retires documents that were in an earlier state of one and are no more. */
  #supersede(): number {
    const catalog = this.#catalog;
    const whole = this.#planned.filter(({ ended }) => ended === 'whole');
    for (const { id } of whole) catalog.completeSource(id);
    // Standard input is another source each time: what came through it before is not gone.
    const superseded = whole.filter(({ source }) => source.path !== standardInput).flatMap(({ earlier }) => earlier);
    const removed = catalog.retireDocuments(superseded.map(({ id }) => id));
    for (const { id } of superseded) catalog.deleteSource(id);
    catalog.finishBuild(this.#id);
    return removed;
  }

  #counters(lanes: BuildLanes): Counters {
    return addCounters(this.#carried, lanes.counters);
  }

  #report(lanes: BuildLanes, phase: 'build' | 'finish'): void {
    this.#options.onProgress({
      phase,
      counters: this.#counters(lanes),
      recordBytes: this.#recordBytes,
      sourceBytes: this.#planned.reduce((sum, { source }) => sum + source.size, 0),
      sourceBytesDone: this.#sourceBytesDone,
      shards: lanes.shards,
      elapsedMs: performance.now() - this.#startedAt,
    });
  }
}

/** Whether a file is no longer the one that was found: what was read of it may be half old, half new. */
async function hasChanged(source: Source): Promise<boolean> {
  if (source.path === standardInput) return false;
  const now = await stat(source.path, { bigint: true }).catch(() => undefined);
  return now === undefined || now.size !== BigInt(source.size) || String(now.mtimeNs) !== source.mtimeNs;
}
