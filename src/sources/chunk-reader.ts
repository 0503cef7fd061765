/** Hands out the bytes of a chunked stream in pieces of the caller's choice, holding no more than was asked for and one chunk. */
export class ChunkReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #buffer: Buffer = Buffer.alloc(0);
  #ended = false;

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** The bytes read but not yet consumed. */
  get buffer(): Buffer {
    return this.#buffer;
  }

  /** Reads on until `bytes` are buffered; false when the stream ends before that. */
  async fill(bytes: number): Promise<boolean> {
    if (this.#buffer.length >= bytes) return true;
    const parts = [this.#buffer];
    let length = this.#buffer.length;
    while (length < bytes && !this.#ended) {
      const next = await this.#chunks.next();
      if (next.done === true) this.#ended = true;
      else {
        parts.push(next.value);
        length += next.value.length;
      }
    }
    this.#buffer = parts.length === 2 && this.#buffer.length === 0 ? parts[1]! : Buffer.concat(parts, length);
    return length >= bytes;
  }

  /** Drops the first `bytes` of the buffer. */
  consume(bytes: number): void {
    this.#buffer = this.#buffer.subarray(bytes);
  }

  /** Consumes and returns what is buffered, at most `maxBytes`, reading on only when nothing is; empty at the end. */
  async take(maxBytes: number): Promise<Buffer> {
    await this.fill(1);
    const piece = this.#buffer.subarray(0, maxBytes);
    this.consume(piece.length);
    return piece;
  }

  /** Closes the stream below; call it when done, also after an error. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}
