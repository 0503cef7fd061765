import { createHash } from 'node:crypto';

/** 64 bits of SHA-256 over a text, signed as SQLite stores them. */
export function hash64(text: string): bigint {
  return createHash('sha256').update(text).digest().readBigInt64BE(0);
}

/** Identity of a document in a corpus: its collection and uri. */
export function documentKey(collection: string, uri: string): bigint {
  return hash64(JSON.stringify([collection, uri]));
}
