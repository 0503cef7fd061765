import { mkdir, rm, stat } from 'node:fs/promises';
import { Catalog, type Counters, type SourceRow } from '../catalog.ts';
import { layoutOf } from '../layout.ts';
import { CorpusLock } from '../lock.ts';
import { type Discovery, discoverSources, frameSource, type Source, SourceError } from '../sources/index.ts';
import { type Batch, Batcher } from './batcher.ts';
import { BuildLanes } from './build-lanes.ts';
import { addCounters, emptyCounters, seen } from './counters.ts';
import { type BuildOptions, type BuildReport, type FilledBuildOptions, fillBuildOptions } from './options.ts';
import { removeStrays } from './remove-strays.ts';
import { removeVanishedDocuments } from './vanished.ts';
import { writeRejects } from './write-rejects.ts';

/** A source of this build: the state it is in, and what is left to do for it. */
export interface PlannedSource {
  readonly source: Source;
  /** row of this state in the catalog */
  readonly id: number;
  /** earlier states, superseded when this one is complete */
  readonly earlier: readonly SourceRow[];
  /** extents handed out and not yet in the catalog */
  openExtents: number;
  /** how reading ended: not yet, to the end, or with damage or a change under way (then it is read again next time) */
  ended: 'no' | 'whole' | 'broken';
}

/**
 * Builds or extends a corpus. Reads sources in order, cuts their records into batches, and lets lanes (one thread and one
 * open shard each) parse and index them. Killed at any moment, nothing sealed is lost; the same call goes on where the
 * catalog ends and makes the same shards as an unbroken run.
 *
 * @throws ShelfmarkError SHELFMARK_USAGE, SHELFMARK_SOURCE (a named source is missing), SHELFMARK_BUSY (another build
 * runs), SHELFMARK_REJECTED (with `strict`), SHELFMARK_IO (disk full and the like); the signal's reason when aborted.
 */
export async function buildCorpus(options: BuildOptions): Promise<BuildReport> {
  const filled = fillBuildOptions(options);
  filled.signal?.throwIfAborted();
  const startedAt = performance.now();
  const layout = layoutOf(filled.corpus);
  // Sources are looked up first: a mistyped name must not leave an empty corpus behind.
  const discovery = await discoverSources(filled.sources, { format: filled.format, ignore: filled.ignore });
  await mkdir(layout.shards, { recursive: true });
  const lock = new CorpusLock(layout.lock);
  try {
    const catalog = Catalog.openWritable(filled.corpus);
    try {
      await removeStrays(filled.corpus, catalog);
      return await new Build(filled, catalog, discovery, startedAt).run();
    } finally {
      catalog.close();
      await rm(layout.building, { recursive: true, force: true });
    }
  } finally {
    lock.release();
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
  readonly #unchanged: SourceRow[] = [];
  readonly #planned: PlannedSource[] = [];
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
    this.#plan();
    const lanes = new BuildLanes({
      options: this.#options,
      catalog: this.#catalog,
      buildId: this.#id,
      count: this.#laneCount,
      rereadPaths: new Set(this.#planned.map(({ source }) => source.path)),
    });
    const timer = setInterval(() => this.#report(lanes, 'build'), 200);
    try {
      for await (const batch of this.#batches()) {
        this.#options.signal?.throwIfAborted();
        const { index, count } = this.#options.part;
        if (batch.index % count === index - 1) await lanes.add(batch, Math.floor(batch.index / count));
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
    for (const source of this.#discovery.sources) {
      const versions = this.#versions(source);
      const [newest] = versions;
      const same =
        newest !== undefined &&
        source.path !== '-' &&
        newest.command === this.#sourceCommand &&
        newest.size === source.size &&
        newest.mtime === source.mtimeNs;
      if (same && newest.complete === 1 && newest.build_id !== this.#id) {
        this.#unchanged.push(newest);
        const { indexed, unchanged, ...rest } = this.#catalog.countersOf(newest.id);
        this.#carried = addCounters(this.#carried, { ...rest, indexed: 0, unchanged: indexed + unchanged });
      } else if (same && newest.build_id === this.#id) {
        // This build found it before it was interrupted.
        const ended = newest.complete === 1 ? 'whole' : 'no';
        this.#planned.push({ source, id: newest.id, earlier: versions.slice(1), openExtents: 0, ended });
      } else {
        this.#planned.push({ source, id: this.#addVersion(source), earlier: versions, openExtents: 0, ended: 'no' });
      }
    }
  }

  /** Earlier states of a source; other parts of a job array are no earlier states. */
  #versions(source: Source): SourceRow[] {
    const part = JSON.stringify(this.#options.part);
    return this.#catalog
      .sourceVersions(source.path)
      .filter((row) => JSON.stringify((JSON.parse(row.command) as { part: unknown }).part) === part);
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
    if (last !== undefined) yield last;
  }

  async *#batchesOf(planned: PlannedSource, batcher: Batcher<PlannedSource>): AsyncGenerator<Batch<PlannedSource>> {
    const { source } = planned;
    const sealed = this.#catalog.extents(planned.id);
    for (const extent of sealed) this.#carried = addCounters(this.#carried, extent);
    const feed = batcher.source(planned, sealed);
    yield* feed.skipSealed();
    // Of a job array's part the catalog knows only its own stretches: the others have to be read to be counted.
    if (planned.ended !== 'whole' || this.#options.part.count > 1) {
      planned.ended = 'whole';
      try {
        for await (const frame of frameSource(source, { start: feed.position })) yield* feed.add(frame);
        if (await hasChanged(source)) planned.ended = 'broken';
      } catch (error) {
        if (!(error instanceof SourceError)) throw error;
        planned.ended = 'broken';
        feed.addDamage(error.message);
      }
    }
    this.#sourceBytesDone += source.size;
  }

  async #finish(lanes: BuildLanes): Promise<BuildReport> {
    const catalog = this.#catalog;
    const layout = layoutOf(this.#options.corpus);
    const changed = this.#planned.filter(({ ended, earlier }) => ended === 'whole' && earlier.length > 0);
    const changedPaths = new Set(changed.map(({ source }) => source.path));
    const removed = removeVanishedDocuments(catalog, this.#options.corpus, changedPaths, this.#id);
    catalog.transaction(() => {
      for (const planned of this.#planned) {
        if (planned.ended !== 'whole') continue;
        catalog.completeSource(planned.id);
        for (const row of planned.earlier) catalog.deleteSource(row.id);
      }
      catalog.finishBuild(this.#id);
    });
    const versions = [...this.#unchanged.map(({ id, path }) => ({ id, path }))];
    for (const { id, source } of this.#planned) versions.push({ id, path: source.path });
    const unreadable = this.#discovery.rejects;
    const rejects = await writeRejects(layout.rejects, catalog, versions, unreadable);
    const counters = addCounters(this.#counters(lanes), { ...emptyCounters, skipped: unreadable.length });
    const shards = catalog.shards();
    return {
      ...counters,
      corpus: this.#options.corpus,
      seen: seen(counters),
      sources: this.#discovery.sources.length,
      unchangedSources: this.#unchanged.length,
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
  if (source.path === '-') return false;
  const now = await stat(source.path, { bigint: true }).catch(() => undefined);
  return now === undefined || now.size !== BigInt(source.size) || String(now.mtimeNs) !== source.mtimeNs;
}
