import { MIN_BASE64_BYTES } from './parameters.ts';

const OTHER = 0;
const UPPER = 1;
const LOWER = 2;
const DIGIT = 3;
const SIGN = 4;

const KIND = new Uint8Array(256);
for (let byte = 0x41; byte <= 0x5a; byte++) KIND[byte] = UPPER;
for (let byte = 0x61; byte <= 0x7a; byte++) KIND[byte] = LOWER;
for (let byte = 0x30; byte <= 0x39; byte++) KIND[byte] = DIGIT;
for (const sign of '+/=') KIND[sign.charCodeAt(0)] = SIGN;

const MIN_UPPER = 0.2;
const MIN_LOWER = 0.2;
const MIN_DIGITS = 0.04;
/** Neighbours of different kinds: about 0.65 in base64, under 0.35 in camelCase paths and identifiers. */
const MIN_CHANGES = 0.4;

/** Where the unbroken run of base64 characters around `from` ends; `from` itself when there is none. */
export function base64RunEnd(bytes: Uint8Array, from: number): number {
  let end = from;
  while (end < bytes.length && KIND[bytes[end]!] !== OTHER) end++;
  return end;
}

/** Whether the run of base64 characters in `bytes[start, end)` looks like encoded data and not like a hash, path, URL or identifier. */
export function looksLikeBase64(bytes: Uint8Array, start: number, end: number): boolean {
  const length = end - start;
  if (length < MIN_BASE64_BYTES) return false;
  const counts = [0, 0, 0, 0, 0];
  let changes = 0;
  let previous = OTHER;
  for (let i = start; i < end; i++) {
    const kind = KIND[bytes[i]!]!;
    counts[kind]!++;
    if (kind !== previous) changes++;
    previous = kind;
  }
  return (
    counts[UPPER]! >= MIN_UPPER * length &&
    counts[LOWER]! >= MIN_LOWER * length &&
    counts[DIGIT]! >= MIN_DIGITS * length &&
    changes >= MIN_CHANGES * length
  );
}
