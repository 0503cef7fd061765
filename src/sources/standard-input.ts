import type { Readable } from 'node:stream';

/** The first bytes of standard input, which stay in it to be read again; empty when it is. */
export async function peekStandardInput(input: Readable = process.stdin): Promise<Buffer> {
  for (;;) {
    const chunk: Buffer | null = input.read();
    if (chunk !== null) {
      input.unshift(chunk);
      return chunk;
    }
    if (input.readableEnded || input.destroyed) return Buffer.alloc(0);
    await new Promise<void>((resolve, reject) => {
      const settle = (error?: Error): void => {
        input.off('readable', settle).off('end', settle).off('error', settle);
        if (error === undefined) resolve();
        else reject(error);
      };
      input.on('readable', settle).on('end', settle).on('error', settle);
    });
  }
}
