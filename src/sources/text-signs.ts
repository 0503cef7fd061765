const byteOrderMark = Buffer.from('efbbbf', 'hex');
const binarySampleBytes = 8 * 1024;

/** Bytes of the UTF-8 byte order mark at the start: 3 or 0. */
export function markLength(bytes: Buffer): number {
  return bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark) ? byteOrderMark.length : 0;
}

/** Why a source that starts with these bytes is in an encoding that cannot be read; null when nothing speaks against it. */
export function wrongEncoding(bytes: Buffer): string | null {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    return 'it is UTF-16: convert it to UTF-8, for example with iconv';
  }
  return null;
}

/** Why a source that starts with these bytes is no text; null when nothing speaks against it. */
export function notText(bytes: Buffer): string | null {
  const nul = bytes.subarray(0, binarySampleBytes).indexOf(0);
  return wrongEncoding(bytes) ?? (nul === -1 ? null : `binary data (NUL at byte ${nul})`);
}
