import type { Embedder } from './embedder.ts';

const dimensions = 256;

/** What words and pieces of words count. */
const wordWeight = 1;
const pieceWeight = 0.5;

/**
 * A small embedder that needs no model: every word, and every three letters in a row of it, adds to or takes from one of 256
 * components, as a hash of it says (feature hashing, Weinberger et al. 2009). It knows spelling, not meaning: for tests, and to try things
 * out.
 */
export function hashEmbedder(): Embedder {
  return { model: 'hash-256', embed: async (texts) => texts.map(embedText) };
}

function embedText(text: string): Float32Array {
  const counts = new Map<string, number>();
  const count = (feature: string, weight: number): void => {
    counts.set(feature, (counts.get(feature) ?? 0) + weight);
  };
  for (const [word] of text
    .normalize('NFKC')
    .toLowerCase()
    .matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    count(word, wordWeight);
    const letters = [...`^${word}$`];
    for (let at = 0; at + 3 <= letters.length; at++) count(`${letters.slice(at, at + 3).join('')} `, pieceWeight);
  }
  const vector = new Float32Array(dimensions);
  for (const [feature, weight] of counts) {
    const hash = hashOf(feature);
    vector[hash % dimensions]! += (hash & 0x8000 ? 1 : -1) * Math.sqrt(weight);
  }
  return vector;
}

/** FNV-1a over UTF-16 units, its bits mixed once more. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  return (hash ^ (hash >>> 16)) >>> 0;
}
