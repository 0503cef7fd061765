/** The longest prefix of `word` that has at most `maxBytes` UTF-8 bytes and does not split a code point; `word` itself when it fits. */
export function cutToBytes(word: string, maxBytes: number): string {
  // A UTF-16 unit is at most three UTF-8 bytes.
  if (word.length * 3 <= maxBytes || Buffer.byteLength(word) <= maxBytes) return word;
  const bytes = Buffer.from(word);
  let end = maxBytes;
  while ((bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}
