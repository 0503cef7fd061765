/**
 * Escape sequences, 7-bit (ESC and a letter) and 8-bit (C1): control strings such as OSC with their payload, CSI with
 * its parameters, and short ones. A payload has no control character, so that a sequence without an end costs and
 * swallows nothing; what introduces it is then removed as a control character.
 */
const escapeSequences = new RegExp(
  [
    '(?:\\x1b[\\]PX^_]|[\\x90\\x98\\x9d-\\x9f])[^\\x00-\\x1f\\x7f-\\x9f]*(?:\\x07|\\x1b\\\\|\\x9c)',
    '(?:\\x1b\\[|\\x9b)[0-?]*[ -/]*[@-~]',
    '\\x1b[ -/]*[0-Z\\\\^-~]',
  ].join('|'),
  'g',
);

/** C0 but tab and newline, DEL, C1, and the bidirectional overrides that make text read other than it is. */
const unsafeCharacters = /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

const lineEnds = /\r\n?|[\x85\u2028\u2029]/g;

/**
 * Makes archive text safe to print on a terminal: no escape sequences, control characters or bidirectional overrides.
 * Lines and tabs stay.
 */
export function sanitize(text: string): string {
  return text.replace(escapeSequences, '').replace(lineEnds, '\n').replace(unsafeCharacters, '');
}

/** {@link sanitize} for a place that has one line: white space becomes a space. */
export function sanitizeLine(text: string): string {
  return sanitize(text).replace(/[\t\n]+/g, ' ');
}
