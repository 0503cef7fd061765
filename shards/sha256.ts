import crypto from 'node:crypto';

/** SHA-256 in hex. */
export const sha256Hex: (data: string | Uint8Array) => string =
  // Since Node 20.12, and several times as fast for short data.
  typeof crypto.hash === 'function'
    ? (data) => crypto.hash('sha256', data, 'hex')
    : (data) => crypto.createHash('sha256').update(data).digest('hex');
