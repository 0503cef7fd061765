/** A vectors file that is not finished has this after its name. */
export const unfinishedSuffix = '.unfinished';

/** What the name of a vectors file says. */
export interface VectorsFileName {
  readonly shard: string;
  /** names the model with its settings */
  readonly key: string;
  readonly isFinished: boolean;
}

/** Name of the file with the vectors of a shard's chunks by one model. It stands beside the shard. */
export function vectorsFileName(shard: string, key: string): string {
  return `${shard}.${key}.vectors`;
}

/** What a file name says, or null when it is not that of a vectors file, finished or not. */
export function parseVectorsFileName(name: string): VectorsFileName | null {
  const [, shard, key, suffix] = /^(s[0-9a-f]{10})\.([0-9a-f]{10})\.vectors(\.unfinished)?$/.exec(name) ?? [];
  return shard === undefined || key === undefined ? null : { shard, key, isFinished: suffix === undefined };
}
