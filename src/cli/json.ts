/** Valid in JSON as they are, but a terminal may act on them. They can only stand inside strings. */
const unsafeInTerminal = /[\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g;

/** A value as JSON on one line, harmless when shown on a terminal. */
export function toJson(value: unknown): string {
  return JSON.stringify(value).replace(
    unsafeInTerminal,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
