/** Replaces every lone surrogate by U+FFFD: SQLite would be given invalid UTF-8 otherwise. */
export function wellFormed(text: string): string {
  return text.toWellFormed();
}

/** Makes text fit to be stored: well formed, with a space (of the same length) for each NUL, which would end a C string. */
export function storableText(text: string): string {
  const formed = wellFormed(text);
  return formed.includes('\0') ? formed.replace(/\0+/g, (run) => ' '.repeat(run.length)) : formed;
}
