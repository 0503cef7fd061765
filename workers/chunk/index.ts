export type { Chunk, ChunkableDocument, ChunkOptions } from './chunk-document.ts';
export { chunkDocument, DEFAULT_CHUNK_OPTIONS } from './chunk-document.ts';
