import { existsSync } from 'node:fs';
import { type ParsedBatch, recordStatus, verdict } from '../../workers/protocol.ts';
import type { Catalog, EntryRow } from '../catalog.ts';
import type { PlannedSource } from './build-corpus.ts';

/** What a batch's documents mean for the catalog once their shard is sealed. */
export interface Judgement {
  /** one verdict a record */
  readonly verdicts: Uint8Array;
  /** earlier entries of documents that are kept as they are */
  readonly unchanged: readonly { readonly record: number; readonly entry: EntryRow }[];
  /** earlier entries of documents that are indexed anew */
  readonly replaced: readonly EntryRow[];
}

/**
 * Decides, batch after batch in input order, which documents are indexed. A document is its collection and uri; the
 * first of this build stays, later ones are duplicates. A document that was there before is unchanged when its record
 * is; it is replaced when its source is read again in this build or is gone; else it was there first.
 */
export class Judge {
  readonly #catalog: Catalog;
  /** states of sources that this build reads, also before it was interrupted: what came from them came first */
  readonly #currentIds: ReadonlySet<number>;
  readonly #rereadPaths: ReadonlySet<string>;
  /** documents of this build that are not in the catalog yet */
  readonly #pending = new Set<bigint>();
  readonly #gone = new Map<string, boolean>();

  constructor(catalog: Catalog, planned: readonly PlannedSource[]) {
    this.#catalog = catalog;
    this.#currentIds = new Set(planned.map(({ id }) => id));
    this.#rereadPaths = new Set(planned.map(({ source }) => source.path));
  }

  judge(parsed: ParsedBatch): Judgement {
    // One look at the catalog file for all look-ups: outside a transaction each would lock and check it anew.
    return this.#catalog.transaction(() => this.#judge(parsed));
  }

  #judge(parsed: ParsedBatch): Judgement {
    const verdicts = new Uint8Array(parsed.status.length);
    const unchanged: { record: number; entry: EntryRow }[] = [];
    const replaced: EntryRow[] = [];
    for (const [record, status] of parsed.status.entries()) {
      if (status !== recordStatus.document) continue;
      const key = parsed.keys[record]!;
      const entry = this.#catalog.entry(key);
      if (this.#pending.has(key)) verdicts[record] = verdict.duplicate;
      else if (entry === undefined) verdicts[record] = verdict.index;
      else if (entry.fingerprint === parsed.fingerprints[record]) {
        verdicts[record] = verdict.unchanged;
        unchanged.push({ record, entry });
      } else if (!this.#isReplaceable(entry)) {
        verdicts[record] = verdict.duplicate;
      } else {
        verdicts[record] = verdict.index;
        replaced.push(entry);
      }
      this.#pending.add(key);
    }
    return { verdicts, unchanged, replaced };
  }

  /** Forgets documents that are in the catalog now. */
  settle(keys: Iterable<bigint>): void {
    for (const key of keys) this.#pending.delete(key);
  }

  #isReplaceable(entry: EntryRow): boolean {
    if (this.#currentIds.has(entry.source_id)) return false;
    const path = this.#catalog.sourcePath(entry.source_id);
    return path === undefined || this.#rereadPaths.has(path) || this.#isGone(path);
  }

  #isGone(path: string): boolean {
    let gone = this.#gone.get(path);
    if (gone === undefined) {
      gone = path !== '-' && !existsSync(path);
      this.#gone.set(path, gone);
    }
    return gone;
  }
}
