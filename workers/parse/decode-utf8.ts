import { isAscii, isUtf8 } from 'node:buffer';

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Decodes UTF-8 and keeps a byte order mark; U+FFFD stands for what is invalid, and `replacedBytes` says that it does. */
export function decodeUtf8(bytes: Uint8Array): { readonly text: string; readonly replacedBytes: boolean } {
  if (isAscii(bytes)) {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
    return { text, replacedBytes: false };
  }
  return { text: decoder.decode(bytes), replacedBytes: !isUtf8(bytes) };
}
