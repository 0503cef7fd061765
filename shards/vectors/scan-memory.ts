import { createDots, type Dots } from './dot-kernel.ts';
import { type EncodedQuery, strideOf } from './vector-codes.ts';
import { type VectorsLayout, vectorsPerBlock } from './vectors-format.ts';

const pageBytes = 65_536;

/**
 * The memory that blocks are read into and compared with queries in. A thread has one, as large as the largest scan needed:
 *
 *   block (codes, then one over their lengths) | numbers of the queries | sums
 */
class ScanMemory {
  readonly #memory = new WebAssembly.Memory({ initial: 1 });
  readonly #dots: Dots = createDots(this.#memory);

  /** Lays out a scan; the one before is over. */
  begin({ header, stride }: VectorsLayout, queries: readonly EncodedQuery[]): Scan {
    const blockBytes = vectorsPerBlock * (stride + 4);
    const queriesStart = blockBytes;
    const sumsStart = queriesStart + queries.length * stride * 2;
    this.#reserve(sumsStart + 4 * vectorsPerBlock);
    const { buffer } = this.#memory;
    for (const [index, { numbers }] of queries.entries()) {
      if (numbers.length !== strideOf(header.dimensions)) throw new RangeError('a query of other dimensions');
      new Int16Array(buffer, queriesStart + index * stride * 2, stride).set(numbers);
    }
    return {
      block: new Uint8Array(buffer, 0, blockBytes),
      inverseLengths: (count) => new Float32Array(buffer, count * stride, count),
      dots: (query, count) => {
        this.#dots(0, count * stride, stride, queriesStart + query * stride * 2, sumsStart);
        return new Int32Array(buffer, sumsStart, count);
      },
    };
  }

  #reserve(bytes: number): void {
    const missing = bytes - this.#memory.buffer.byteLength;
    if (missing > 0) this.#memory.grow(Math.ceil(missing / pageBytes));
  }
}

/** A scan of one file under way. */
export interface Scan {
  /** where the next block is to be read to */
  readonly block: Uint8Array;
  /** one over the length of each vector of the block, when it has `count` */
  readonly inverseLengths: (count: number) => Float32Array;
  /** sums of products of each vector of the block with a query; overwritten by the next call */
  readonly dots: (query: number, count: number) => Int32Array;
}

let memory: ScanMemory | undefined;

/** Begins a scan in the thread's memory. */
export function beginScan(layout: VectorsLayout, queries: readonly EncodedQuery[]): Scan {
  memory ??= new ScanMemory();
  return memory.begin(layout, queries);
}
