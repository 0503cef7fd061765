import { SourceError } from './source-error.ts';

/**
 * The part of a source that is in memory while frames are cut out of it. Bytes are copied in from the chunks to exactly the
 * length asked for, so nothing depends on how they were chunked; what is cut out never shares memory with what follows.
 */
export class FrameWindow {
  readonly #chunks: AsyncIterator<Buffer>;
  #chunk: Buffer = Buffer.alloc(0);
  #store: Buffer = Buffer.alloc(0);
  #length = 0;
  /** Source offset of the first byte in the window. */
  position: number;
  /** No byte follows those in the window. */
  ended = false;
  /** Why the source ended early. */
  failure: SourceError | undefined;

  constructor(chunks: AsyncIterable<Buffer>, position: number) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.position = position;
  }

  get length(): number {
    return this.#length;
  }

  get bytes(): Buffer {
    return this.#store.subarray(0, this.#length);
  }

  /** Reads on until the window holds `length` bytes, exactly if it held fewer before, or the source has ended. */
  async fill(length: number): Promise<void> {
    while (this.#length < length && !this.ended) {
      if (this.#chunk.length === 0) {
        await this.#pull();
        continue;
      }
      const piece = this.#chunk.subarray(0, length - this.#length);
      this.#reserve(this.#length + piece.length, length);
      piece.copy(this.#store, this.#length);
      this.#length += piece.length;
      this.#chunk = this.#chunk.subarray(piece.length);
    }
  }

  /** Removes the first `end` bytes and hands them out in an ArrayBuffer of their own. */
  cut(end: number): Buffer {
    const bytes = this.#store.subarray(0, end);
    const rest = this.#store.subarray(end, this.#length);
    this.#store = Buffer.allocUnsafeSlow(rest.length);
    rest.copy(this.#store);
    this.#length = rest.length;
    this.position += end;
    return bytes;
  }

  /**
   * Drops bytes, unread ones too, until after the first that `find` gives the index of, or to the end of the source.
   *
   * @returns the source offset of the byte found, or of the end.
   */
  async skip(find: (bytes: Buffer) => number): Promise<number> {
    this.position += this.#length;
    this.#store = Buffer.alloc(0);
    this.#length = 0;
    for (;;) {
      const found = find(this.#chunk);
      const skipped = found === -1 ? this.#chunk.length : found + 1;
      this.position += skipped;
      this.#chunk = this.#chunk.subarray(skipped);
      if (found !== -1) return this.position - 1;
      if (this.ended) return this.position;
      await this.#pull();
    }
  }

  /** Closes the chunks below; call it when done, also after an error. */
  async close(): Promise<void> {
    if (!this.ended) await this.#chunks.return?.();
  }

  async #pull(): Promise<void> {
    try {
      const next = await this.#chunks.next();
      if (next.done === true) this.ended = true;
      else this.#chunk = next.value;
    } catch (error) {
      this.ended = true;
      if (!(error instanceof SourceError)) throw error;
      this.failure = error;
    }
  }

  /**
   * Makes room for `length` bytes: at once for all of `goal` when half of it is there, so that small sources take little;
   * and by half at least, so that a line of many megabytes is not copied for each of them.
   */
  #reserve(length: number, goal: number): void {
    if (length <= this.#store.length) return;
    const larger = Buffer.allocUnsafeSlow(
      Math.max(length * 2 >= goal ? goal : length, Math.ceil(this.#store.length * 1.5)),
    );
    this.#store.copy(larger, 0, 0, this.#length);
    this.#store = larger;
  }
}
