import { CorruptError, ShardReader } from '../shards/index.ts';
import type { ShardTarget } from './protocol.ts';

/**
 * Open shards of one thread, least recently used closed first: each costs up to 1 MiB of page cache and a file
 * descriptor.
 */
export class ShardCache {
  readonly #maxOpen: number;
  readonly #open = new Map<string, { readonly reader: ShardReader; readonly dead: string }>();

  constructor(maxOpen: number) {
    this.#maxOpen = maxOpen;
  }

  /** The reader of a shard, opened if need be. @throws what {@link ShardReader} throws; CorruptError on other counts. */
  get(target: ShardTarget): ShardReader {
    const dead = target.dead.join();
    const known = this.#open.get(target.file);
    if (known !== undefined) {
      this.#open.delete(target.file);
      if (known.dead === dead) {
        this.#open.set(target.file, known);
        return known.reader;
      }
      known.reader.close();
    }
    const reader = new ShardReader(target.file, target.dead);
    const { id, documents, chunks } = reader.meta;
    if (id !== target.id || documents !== target.documents || chunks !== target.chunks) {
      reader.close();
      throw new CorruptError(
        target.file,
        'meta',
        `it says shard ${id} with ${documents} documents and ${chunks} chunks, the catalog says ${target.id} with ${target.documents} and ${target.chunks}`,
      );
    }
    this.#open.set(target.file, { reader, dead });
    if (this.#open.size > this.#maxOpen) this.#closeOldest();
    return reader;
  }

  /** Closes one shard, so that the next use opens it anew. */
  drop(target: ShardTarget): void {
    this.#open.get(target.file)?.reader.close();
    this.#open.delete(target.file);
  }

  /** Closes all. */
  close(): void {
    for (const { reader } of this.#open.values()) reader.close();
    this.#open.clear();
  }

  #closeOldest(): void {
    const [oldest] = this.#open;
    if (oldest === undefined) return;
    oldest[1].reader.close();
    this.#open.delete(oldest[0]);
  }
}
