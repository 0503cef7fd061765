import {
  CorruptError,
  type DocumentId,
  type DocumentName,
  PostingsCache,
  ShardReader,
  ShelfmarkError,
} from '../shards/index.ts';
import type { OpenTask, ShardTarget } from './protocol.ts';

/** Names of documents that a thread remembers before it forgets all, about 200 bytes each. */
const maxNames = 65_536;

/**
 * The shards of one thread, opened when they are first needed. Of many, the least recently used are closed again: an open
 * one costs up to 1 MiB of page cache and a file descriptor.
 */
export class ShardCache {
  readonly #targets: ReadonlyMap<string, ShardTarget>;
  readonly #maxOpen: number;
  readonly #postings: PostingsCache;
  readonly #open = new Map<string, ShardReader>();
  readonly #names = new Map<string, Map<DocumentId, DocumentName>>();
  #nameCount = 0;

  constructor({ shards, maxOpen, postingsBytes }: Omit<OpenTask, 'op'>) {
    this.#targets = new Map(shards.map((shard) => [shard.id, shard]));
    this.#maxOpen = maxOpen;
    this.#postings = new PostingsCache(postingsBytes);
  }

  /** All shards but some. */
  *targets(excluded: readonly string[]): Generator<ShardTarget> {
    for (const target of this.#targets.values()) if (!excluded.includes(target.id)) yield target;
  }

  /** A shard by name. @throws ShelfmarkError SHELFMARK_INTERNAL when the thread was not given it */
  target(id: string): ShardTarget {
    const target = this.#targets.get(id);
    if (target === undefined) throw new ShelfmarkError('SHELFMARK_INTERNAL', `This thread has no shard ${id}.`, { id });
    return target;
  }

  /** The reader of a shard, opened if need be. @throws what {@link ShardReader} throws; CorruptError on other counts. */
  get(id: string): ShardReader {
    const known = this.#open.get(id);
    if (known !== undefined) {
      this.#open.delete(id);
      this.#open.set(id, known);
      return known;
    }
    const target = this.target(id);
    const reader = new ShardReader(target.file, { dead: target.dead, cache: this.#postings });
    const { id: name, documents, chunks, terms } = reader.meta;
    if (name !== id || documents !== target.documents || chunks !== target.chunks || terms !== target.tokens) {
      reader.close();
      throw new CorruptError(
        target.file,
        'meta',
        `it says shard ${name} with ${documents} documents, ${chunks} chunks and ${terms} tokens, the catalog says ${id} with ${target.documents}, ${target.chunks} and ${target.tokens}`,
      );
    }
    this.#open.set(id, reader);
    if (this.#open.size > this.#maxOpen) this.#closeOldest();
    return reader;
  }

  /** What a document is called. @throws CorruptError when its name is damaged or it is not there; as {@link get} does */
  documentName(id: string, document: DocumentId): DocumentName {
    const known = this.#names.get(id)?.get(document);
    if (known !== undefined) return known;
    const reader = this.get(id);
    const name = reader.documentName(document);
    if (name === undefined) throw new CorruptError(reader.file, 'document', `there is no document ${document}`);
    this.#rememberName(id, document, name);
    return name;
  }

  #rememberName(id: string, document: DocumentId, name: DocumentName): void {
    if (this.#nameCount === maxNames) {
      this.#names.clear();
      this.#nameCount = 0;
    }
    let names = this.#names.get(id);
    if (names === undefined) {
      names = new Map();
      this.#names.set(id, names);
    }
    names.set(document, name);
    this.#nameCount++;
  }

  /** Closes one shard, so that the next use opens it anew. */
  drop(id: string): void {
    this.#closeOne(id);
    this.#nameCount -= this.#names.get(id)?.size ?? 0;
    this.#names.delete(id);
  }

  #closeOne(id: string): void {
    this.#open.get(id)?.close();
    this.#open.delete(id);
  }

  /** Closes all. */
  close(): void {
    for (const reader of this.#open.values()) reader.close();
    this.#open.clear();
  }

  #closeOldest(): void {
    const [oldest] = this.#open.keys();
    // A sealed shard never changes, so the names read from it stay true.
    if (oldest !== undefined) this.#closeOne(oldest);
  }
}
