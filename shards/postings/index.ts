/** What may leave the postings: reading the index of a sealed shard straight from its leaf pages. */
export { readSegment, type Segment, segmentCount } from './fts-structure.ts';
export { LeafDirectory, LeafDirectoryBuilder } from './leaf-directory.ts';
export { murmur3 } from './murmur3.ts';
export { type ColumnUnits, PostingBuffer } from './posting-buffer.ts';
export { SegmentReader } from './segment-reader.ts';
export { walkSegment } from './walk-segment.ts';
