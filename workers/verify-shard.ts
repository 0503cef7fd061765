import { stat } from 'node:fs/promises';
import { hashFile, ShardReader, verifyShardFile } from '../shards/index.ts';
import type { VerifyAnswer, VerifyTask } from './protocol.ts';

/** Verifies one shard: its size, hash and counts against the catalog, then the file part by part. @param vectorParts what a look at its vectors gave */
export async function verifyShard(task: VerifyTask, vectorParts: VerifyAnswer['parts'] = []): Promise<VerifyAnswer> {
  const hash = await compareWithCatalog(task);
  const report = verifyShardFile(task.file, { depth: task.depth });
  const parts = [hash, ...report.parts, ...vectorParts];
  return { shard: task.shard, file: task.file, ok: parts.every(({ status }) => status === 'ok'), parts };
}

async function compareWithCatalog(task: VerifyTask): Promise<VerifyAnswer['parts'][number]> {
  const damaged = (detail: string) => ({ name: 'hash', status: 'damaged', detail }) as const;
  try {
    const size = (await stat(task.file).catch(() => undefined))?.size;
    if (size === undefined) return damaged('the file is missing or cannot be reached');
    if (size !== task.bytes) return damaged(`${size} bytes, the catalog says ${task.bytes}`);
    const sha256 = await hashFile(task.file);
    if (sha256 !== task.sha256) return damaged(`SHA-256 is ${sha256}, the catalog says ${task.sha256}`);
    const reader = new ShardReader(task.file);
    const { id, documents, chunks } = reader.meta;
    reader.close();
    if (id !== task.shard || documents !== task.documents || chunks !== task.chunks) {
      return damaged(`it is shard ${id} with ${documents} documents, ${chunks} chunks; the catalog expects another`);
    }
    return { name: 'hash', status: 'ok', detail: `SHA-256 ${sha256}` };
  } catch (error) {
    return damaged(error instanceof Error ? error.message : String(error));
  }
}
