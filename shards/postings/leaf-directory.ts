import { CorruptError } from '../errors.ts';
import { VarintReader, VarintWriter } from '../varint.ts';
import { murmur3 } from './murmur3.ts';

/**
 * What a shard keeps about the leaves of its index: a checksum of each, and where terms begin. Like FTS5's `fts_idx`, it
 * has for each leaf on which a term begins a separator: greater than every term before the leaf, at most its first term.
 * So a term can begin only on the leaf of the last separator that is not greater than it.
 * ```
 * directory := leaves separators sum* distance* length* bytes*     columns of like data compress better
 * sum       := u32le, MurmurHash3 of a leaf's bytes, one a leaf
 * distance  := from the leaf of the separator before (0 at first) to the separator's leaf
 * length    := of the separator; then the bytes of all of them
 * ```
 * All other numbers are LEB128 varints. Nothing in it expands, so its own length bounds what it takes in memory.
 */

const sumBytes = 4;

/** FTS5 cuts terms at 32,768 bytes. */
const maxSeparatorBytes = 32_768;

/** Makes the directory of a segment while its leaves go by. */
export class LeafDirectoryBuilder {
  readonly #sums: number[] = [];
  readonly #distances = new VarintWriter();
  readonly #lengths = new VarintWriter();
  readonly #separators: Buffer[] = [];
  #lastTermLeaf = 0;

  /**
   * Adds the next leaf.
   * @param pageNumber its number: 1, 2, …
   * @param separator as {@link walkSegment} gives it; null when no term begins on the leaf.
   */
  add(pageNumber: number, bytes: Uint8Array, separator: Uint8Array | null): void {
    this.#sums.push(murmur3(bytes));
    if (separator === null) return;
    this.#distances.add(pageNumber - this.#lastTermLeaf);
    this.#lengths.add(separator.length);
    this.#separators.push(Buffer.from(separator));
    this.#lastTermLeaf = pageNumber;
  }

  /** The encoded directory, not compressed. */
  finish(): Buffer {
    const head = new VarintWriter();
    head.add(this.#sums.length);
    head.add(this.#separators.length);
    const sums = Buffer.alloc(this.#sums.length * sumBytes);
    for (const [index, sum] of this.#sums.entries()) sums.writeUInt32LE(sum, index * sumBytes);
    const numbers = [this.#distances.toBuffer(), this.#lengths.toBuffer()];
    return Buffer.concat([head.toBuffer(), sums, ...numbers, ...this.#separators]);
  }
}

/** The leaves of a segment: their checksums, and which one a term begins on. */
export class LeafDirectory {
  /** sum of leaf n at n - 1 */
  readonly #sums: Uint32Array;
  /** leaves on which terms begin, ascending */
  readonly #leaves: Uint32Array;
  /** separator i of leaf `#leaves[i]` is `#bytes` from `#offsets[i]` to `#offsets[i + 1]` */
  readonly #offsets: Uint32Array;
  readonly #bytes: Uint8Array;

  private constructor(sums: Uint32Array, leaves: Uint32Array, offsets: Uint32Array, bytes: Uint8Array) {
    this.#sums = sums;
    this.#leaves = leaves;
    this.#offsets = offsets;
    this.#bytes = bytes;
  }

  /**
   * Reads what {@link LeafDirectoryBuilder.finish} made; keeps nothing of `bytes`.
   * @throws CorruptError when it is malformed.
   */
  static decode(file: string, bytes: Uint8Array): LeafDirectory {
    try {
      return LeafDirectory.#decode(bytes);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new CorruptError(file, 'the directory of its index', error.message, error);
    }
  }

  static #decode(bytes: Uint8Array): LeafDirectory {
    const numbers = new VarintReader(bytes);
    const leafCount = numbers.next();
    const separatorCount = numbers.next();
    const sumsStart = numbers.position;
    const sumsEnd = sumsStart + leafCount * sumBytes;
    if (sumsEnd > bytes.length) throw new RangeError(`it has no room for the sums of ${leafCount} leaves`);
    if (
      separatorCount > leafCount ||
      separatorCount > bytes.length - sumsEnd ||
      (separatorCount === 0) !== (leafCount === 0)
    ) {
      throw new RangeError(`it has ${separatorCount} separators for ${leafCount} leaves`);
    }
    const sums = decodeSums(bytes, sumsStart, leafCount);
    const columns = new VarintReader(bytes, sumsEnd);
    const leaves = decodeLeaves(columns, separatorCount, leafCount);
    const offsets = decodeOffsets(columns, separatorCount);
    // Buffer's own slice() would not copy.
    const separators = new Uint8Array(bytes.subarray(columns.position));
    if (separators.length !== offsets[separatorCount]) {
      throw new RangeError(`its separators have ${separators.length} bytes, expected ${offsets[separatorCount]}`);
    }
    const directory = new LeafDirectory(sums, leaves, offsets, separators);
    directory.#requireAscending();
    return directory;
  }

  #requireAscending(): void {
    for (let index = 1; index < this.#leaves.length; index++) {
      if (this.#compare(index - 1, this.#separator(index)) >= 0) {
        throw new RangeError(`separator ${index + 1} is not greater than the one before`);
      }
    }
  }

  /** Number of leaves; they are numbered from 1. */
  get leafCount(): number {
    return this.#sums.length;
  }

  /** Bytes of memory that it holds. */
  get byteLength(): number {
    return this.#sums.byteLength + this.#leaves.byteLength + this.#offsets.byteLength + this.#bytes.byteLength;
  }

  /** MurmurHash3 of a leaf's bytes. @param leaf 1 to {@link leafCount} */
  sumOf(leaf: number): number {
    return this.#sums[leaf - 1]!;
  }

  /** The only leaf on which a term can begin, or 0 when the term is less than all that there are. */
  find(term: Uint8Array): number {
    let [low, high] = [0, this.#leaves.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(middle, term) <= 0) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? 0 : this.#leaves[low - 1]!;
  }

  /** The last leaf that can hold postings of a term that begins on a leaf: where the next term begins, or the last. */
  lastLeafFrom(leaf: number): number {
    let [low, high] = [0, this.#leaves.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#leaves[middle]! <= leaf) low = middle + 1;
      else high = middle;
    }
    return this.#leaves[low] ?? this.leafCount;
  }

  #separator(index: number): Uint8Array {
    return this.#bytes.subarray(this.#offsets[index]!, this.#offsets[index + 1]!);
  }

  /** Negative, zero or positive, as a separator is less than, equal to or greater than a term. */
  #compare(index: number, term: Uint8Array): number {
    const bytes = this.#bytes;
    const start = this.#offsets[index]!;
    const length = this.#offsets[index + 1]! - start;
    const common = Math.min(length, term.length);
    for (let at = 0; at < common; at++) {
      const difference = bytes[start + at]! - term[at]!;
      if (difference !== 0) return difference;
    }
    return length - term.length;
  }
}

function decodeSums(bytes: Uint8Array, start: number, leafCount: number): Uint32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const sums = new Uint32Array(leafCount);
  for (let index = 0; index < leafCount; index++) sums[index] = view.getUint32(start + index * sumBytes, true);
  return sums;
}

function decodeLeaves(columns: VarintReader, count: number, leafCount: number): Uint32Array {
  const leaves = new Uint32Array(count);
  let leaf = 0;
  for (let index = 0; index < count; index++) {
    const distance = columns.next();
    leaf += distance;
    if (distance === 0 || leaf > leafCount || (index === 0 && leaf !== 1)) {
      throw new RangeError(`separator ${index + 1} is of leaf ${leaf} of ${leafCount}`);
    }
    leaves[index] = leaf;
  }
  return leaves;
}

function decodeOffsets(columns: VarintReader, count: number): Uint32Array {
  const offsets = new Uint32Array(count + 1);
  let offset = 0;
  for (let index = 0; index < count; index++) {
    const length = columns.next();
    if (length === 0 || length > maxSeparatorBytes) throw new RangeError(`separator ${index + 1} has ${length} bytes`);
    offset += length;
    // More than this the bytes cannot hold; what does not match their number is refused by the caller.
    offsets[index + 1] = Math.min(offset, 0xffffffff);
  }
  return offsets;
}
