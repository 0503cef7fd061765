import { explainReadError } from '../errors.ts';

/** What a read of a sealed file gives; an error of SQLite is thrown as one of ours that names the file. */
export function explained<Value>(file: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw explainReadError(file, error);
  }
}
