/** Where offsets into a text, in UTF-16 units, lie in its UTF-8 bytes. Offsets near the one asked for before are found fastest. */
export class BytePlaces {
  /** The text in UTF-8. */
  readonly bytes: Buffer;
  readonly #text: string;
  #offset = 0;
  #place = 0;

  constructor(text: string) {
    this.#text = text;
    this.bytes = Buffer.from(text);
  }

  /** The place of an offset that is not inside a surrogate pair. */
  at(offset: number): number {
    const text = this.#text;
    if (this.bytes.length === text.length) return offset;
    if (offset >= this.#offset) this.#place += Buffer.byteLength(text.slice(this.#offset, offset));
    else this.#place -= Buffer.byteLength(text.slice(offset, this.#offset));
    this.#offset = offset;
    return this.#place;
  }
}
