/** Appends unsigned integers as LEB128 varints to a growing byte array. */
export class VarintWriter {
  readonly #bytes: number[] = [];

  /** Adds one unsigned integer below 2^53. */
  add(value: number): void {
    let rest = value;
    while (rest > 127) {
      this.#bytes.push((rest % 128) | 128);
      rest = Math.floor(rest / 128);
    }
    this.#bytes.push(rest);
  }

  /** The bytes so far. */
  toBuffer(): Buffer {
    return Buffer.from(this.#bytes);
  }
}

/** Reads LEB128 varints written by {@link VarintWriter}; a read past the end or over 2^53 throws RangeError. */
export class VarintReader {
  readonly #bytes: Uint8Array;
  #position: number;

  constructor(bytes: Uint8Array, position = 0) {
    this.#bytes = bytes;
    this.#position = position;
  }

  /** Offset of the next unread byte. */
  get position(): number {
    return this.#position;
  }

  /** The next integer. */
  next(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.#bytes[this.#position++];
      if (byte === undefined || scale > 2 ** 49) throw new RangeError('varint runs past the end');
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  }
}
