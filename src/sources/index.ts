export { type DiscoverOptions, type Discovery, discoverSources } from './discover.ts';
export {
  defaultMaxRecordBytes,
  defaultTargetBytes,
  type Frame,
  type FrameOptions,
  frameRecords,
  maxDocumentBytes,
  type Reject,
} from './frame.ts';
export { frameSource } from './frame-source.ts';
export { type OpenOptions, openSource } from './open.ts';
export { findLines, type Line, readLines } from './read-lines.ts';
export { type Compression, type Source, type SourceFormat, standardInput } from './source.ts';
export { SourceError } from './source-error.ts';
export type { DiscoveryReject } from './walk-folder.ts';
