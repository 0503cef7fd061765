import { join } from 'node:path';

/**
 * Names inside a corpus folder, made here only:
 *
 *   catalog.db            the list of shards, sources and builds
 *   shards/ID.shard       one file per sealed shard
 *   shards/ID.KEY.vectors the embeddings of its chunks by one model; named in shards/vectors/file-names.ts
 *   building/             scratch files of a running build; garbage whenever no build runs
 *   rejects.jsonl         records that the last build could not index
 *   build.lock            held, as a SQLite lock, by a running build
 *   embed.lock            held likewise while the corpus is being embedded
 */
export interface CorpusLayout {
  readonly root: string;
  readonly catalog: string;
  readonly shards: string;
  readonly building: string;
  readonly rejects: string;
  readonly lock: string;
  readonly embedLock: string;
}

/** The layout of a corpus folder. */
export function layoutOf(root: string): CorpusLayout {
  return {
    root,
    catalog: join(root, 'catalog.db'),
    shards: join(root, 'shards'),
    building: join(root, 'building'),
    rejects: join(root, 'rejects.jsonl'),
    lock: join(root, 'build.lock'),
    embedLock: join(root, 'embed.lock'),
  };
}

/** File name of a shard below `shards/`. */
export function shardFileName(id: string): string {
  return `${id}.shard`;
}

/** The shard id of a file name, or null when it is not one of ours. */
export function shardIdOf(fileName: string): string | null {
  return /^(s[0-9a-f]{10})\.shard$/.exec(fileName)?.[1] ?? null;
}
