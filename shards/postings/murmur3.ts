/**
 * MurmurHash3 x86_32 with seed 0, by Austin Appleby (public domain; SMHasher, MurmurHash3.cpp). Not cryptographic. Each
 * step is a bijection of the state, so a change inside one aligned group of four bytes always changes the sum.
 */

const c1 = 0xcc9e2d51;
const c2 = 0x1b873593;

/** The view of four bytes at once reads them in the machine's order; Murmur's is little-endian. */
const littleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** The hash of some bytes as an unsigned 32-bit integer. */
export function murmur3(bytes: Uint8Array): number {
  const blockEnd = bytes.length & ~3;
  const fast = littleEndian && (bytes.byteOffset & 3) === 0;
  let hash = fast ? mixWords(new Int32Array(bytes.buffer, bytes.byteOffset, blockEnd >> 2)) : mixBytes(bytes, blockEnd);
  let tail = 0;
  for (let at = bytes.length - 1; at >= blockEnd; at--) tail = (tail << 8) | bytes[at]!;
  // A tail of zeros scrambles to 0, as the reference's "no tail" does.
  hash ^= scramble(tail);
  return finish(hash ^ bytes.length);
}

function mixWords(words: Int32Array): number {
  let hash = 0;
  for (let index = 0; index < words.length; index++) hash = mix(hash, words[index]!);
  return hash;
}

function mixBytes(bytes: Uint8Array, end: number): number {
  let hash = 0;
  for (let at = 0; at < end; at += 4) {
    hash = mix(hash, bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24));
  }
  return hash;
}

function mix(hash: number, word: number): number {
  const mixed = hash ^ scramble(word);
  return (Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64) | 0;
}

function scramble(word: number): number {
  const product = Math.imul(word, c1);
  return Math.imul((product << 15) | (product >>> 17), c2);
}

/** Makes every bit of the input able to change every bit of the sum. */
function finish(hash: number): number {
  let mixed = hash ^ (hash >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
