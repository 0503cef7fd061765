export type { Chunk, ChunkOptions } from './chunk-document.ts';
export { chunkDocument, DEFAULT_CHUNK_OPTIONS } from './chunk-document.ts';
