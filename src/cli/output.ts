import { ShelfmarkError } from '../../shards/errors.ts';
import { sanitize } from './sanitize.ts';

/** Set when whoever read standard output (`| head`) has seen enough: the rest is dropped without complaint. */
let isReaderGone = false;

/** Errors of the standard streams are dealt with where something is written; unheard, they would end the process. */
export function guardOutput(): void {
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
}

/**
 * Writes to standard output. Resolves when the text is on its way, so that large outputs wait for a slow reader.
 * @throws ShelfmarkError SHELFMARK_IO when it cannot be written, except that a closed pipe is no error.
 */
export async function print(text: string): Promise<void> {
  if (isReaderGone) return;
  await new Promise<void>((resolve, reject) => {
    process.stdout.write(text, (error) => {
      if (error === undefined || error === null) resolve();
      else if ('code' in error && error.code === 'EPIPE') {
        isReaderGone = true;
        resolve();
      } else {
        const message = `Cannot write to standard output: ${error.message}`;
        reject(new ShelfmarkError('SHELFMARK_IO', message, {}, error));
      }
    });
  });
}

/** Writes a message to standard error. Messages may quote archive text, so they are sanitized. */
export function note(message: string): void {
  process.stderr.write(`${sanitize(message)}\n`);
}
