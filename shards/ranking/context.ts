import { BLOCK_BITS } from '../lists/list-format.ts';
import type { ChunkNorms } from './term-postings.ts';
import type { TopK } from './top-k.ts';
import type { WorkCounter } from './work.ts';

/** Which chunks of a shard may be hits. */
export interface ChunkFilter {
  /** byte c is 1 when chunk c may be a hit */
  readonly bitmap: Uint8Array;
  /** allowed chunks per block, and in all */
  readonly blockCounts: Uint16Array;
  readonly chunks: number;
}

/** What ranking the chunks of one shard needs beside the postings. */
export interface RankContext {
  readonly k: number;
  readonly norms: ChunkNorms;
  /** null: every chunk may be a hit */
  readonly filter: ChunkFilter | null;
  readonly top: TopK;
  readonly work: WorkCounter;
  /** called once a block; throws to stop */
  readonly check: () => void;
}

/** A bitmap of chunks as a filter. */
export function toFilter(bitmap: Uint8Array): ChunkFilter {
  const blockCounts = new Uint16Array((bitmap.length >> BLOCK_BITS) + 1);
  let chunks = 0;
  for (let chunk = 1; chunk < bitmap.length; chunk++) {
    blockCounts[chunk >> BLOCK_BITS]! += bitmap[chunk]!;
    chunks += bitmap[chunk]!;
  }
  return { bitmap, blockCounts, chunks };
}
