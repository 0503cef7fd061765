/** Appends unsigned integers as LEB128 varints, and single bytes, to a growing byte array. */
export class VarintWriter {
  #bytes = Buffer.allocUnsafe(256);
  #length = 0;

  /** Adds one unsigned integer below 2^53. */
  add(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest > 127) {
      this.#bytes[this.#length++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#length++] = rest;
  }

  /** Adds a byte as it is. */
  addByte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  /** Adds bytes as they are. */
  addBytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Bytes so far. */
  get length(): number {
    return this.#length;
  }

  /** Forgets all bytes, and keeps the room they took. */
  clear(): void {
    this.#length = 0;
  }

  /** The bytes so far, as a view that is valid until the next change. */
  view(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** A copy of the bytes so far. */
  toBuffer(): Buffer {
    return Buffer.from(this.view());
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#length + count));
    this.view().copy(larger);
    this.#bytes = larger;
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

  /** Passes over bytes. @returns the position behind them */
  skip(count: number): number {
    if (count > this.#bytes.length - this.#position) throw new RangeError('bytes run past the end');
    this.#position += count;
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

/** An integer of either sign as one without: 0, -1, 1, -2 become 0, 1, 2, 3. */
export function zigzag(value: number): number {
  return value >= 0 ? 2 * value : -2 * value - 1;
}

/** The integer that {@link zigzag} coded. */
export function unzigzag(coded: number): number {
  return coded % 2 === 0 ? coded / 2 : -(coded + 1) / 2;
}
