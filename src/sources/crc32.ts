import * as zlib from 'node:zlib';

/** CRC-32 as gzip has it (RFC 1952, section 8). Node has it built in from 20.15 on; before, {@link tableCrc32} stands in. */
export const crc32: (data: Uint8Array, previous?: number) => number =
  'crc32' in zlib ? (zlib.crc32 as (data: Uint8Array, previous?: number) => number) : tableCrc32;

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** CRC-32 by a table of 256 entries. */
export function tableCrc32(data: Uint8Array, previous = 0): number {
  let value = ~previous;
  for (const byte of data) value = (value >>> 8) ^ table[(value ^ byte) & 255]!;
  return ~value >>> 0;
}
