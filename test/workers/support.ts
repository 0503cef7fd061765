import type { SealedShard, ShardQuery } from '../../shards/index.ts';
import type { FetchTask, RankTask, ShardTarget, VerifyTask } from '../../workers/protocol.ts';
import { analyzer } from '../shards/support.ts';

/** A shard as the catalog would name it. */
export function targetOf(sealed: SealedShard, dead: readonly number[] = []): ShardTarget {
  const { documents, chunks } = sealed.meta;
  return { id: sealed.id, file: sealed.file, documents, chunks, dead };
}

/** A query as the analyzer makes it. */
export function ask(text: string, mode: ShardQuery['mode'] = 'and'): ShardQuery {
  return { mode, tokens: analyzer.queryTokens(text).map(({ alternatives }) => alternatives) };
}

export function rankTask(
  shards: readonly ShardTarget[],
  queries: readonly ShardQuery[],
  changes: Partial<RankTask> = {},
): RankTask {
  const filter = { kinds: [], collections: [] };
  return { op: 'rank', shards, queries, k: 10, by: 'chunk', filter, deadline: null, stop: null, ...changes };
}

export function fetchTask(
  shard: ShardTarget,
  chunks: readonly number[],
  query: ShardQuery,
  changes: Partial<FetchTask> = {},
): FetchTask {
  const items = chunks.map((chunk) => ({ shard, chunk, query: 0 }));
  return { op: 'fetch', items, queries: [query.tokens], snippetLength: 80, text: false, ...changes };
}

export function verifyTask(sealed: SealedShard, changes: Partial<VerifyTask> = {}): VerifyTask {
  const { id, file, sha256, bytes, meta } = sealed;
  const { documents, chunks } = meta;
  return { op: 'verify', shard: id, file, sha256, bytes, documents, chunks, depth: 'sample', ...changes };
}
