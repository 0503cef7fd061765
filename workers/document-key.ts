import { sha256Hex } from '../shards/index.ts';

/** 64 bits of SHA-256 over a text, signed as SQLite stores them. */
export function hash64(text: string): bigint {
  return BigInt.asIntN(64, BigInt(`0x${sha256Hex(text).slice(0, 16)}`));
}

/** Identity of a document in a corpus: its collection and uri. */
export function documentKey(collection: string, uri: string): bigint {
  return hash64(JSON.stringify([collection, uri]));
}
