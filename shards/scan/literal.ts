/** A text that is looked for as it is written, punctuation and spaces too. */
export interface Literal {
  readonly text: string;
  readonly ignoreCase: boolean;
}

/**
 * Lower case, one UTF-16 unit for each of the text's, so that offsets stay true: as Unicode maps letters, whatever the
 * language, with one sigma for both; a letter whose lower case is longer (`İ`) stays as it is.
 */
export function foldCase(text: string): string {
  const lower = text.toLowerCase();
  const folded = lower.length === text.length ? lower : Array.from(text, lowerIfAsLong).join('');
  return folded.replaceAll('ς', 'σ');
}

function lowerIfAsLong(character: string): string {
  const lower = character.toLowerCase();
  return lower.length === character.length ? lower : character;
}

/** A text that several literals are looked for in; what that takes is made when it is first needed. */
export class SearchedText {
  readonly bytes: Buffer;
  #text: string | undefined;
  #folded: string | undefined;

  constructor(utf8: Buffer) {
    this.bytes = utf8;
  }

  get text(): string {
    this.#text ??= this.bytes.toString('utf8');
    return this.#text;
  }

  get folded(): string {
    this.#folded ??= foldCase(this.text);
    return this.#folded;
  }
}

/** Finds one literal in many texts. */
export class LiteralFinder {
  readonly #bytes: Buffer;
  /** null when case counts */
  readonly #folded: string | null;

  /** @param literal its text is not empty */
  constructor({ text, ignoreCase }: Literal) {
    this.#bytes = Buffer.from(text);
    this.#folded = ignoreCase ? foldCase(text) : null;
  }

  /** Calls `visit` with the byte at which each match begins, in order; matches do not overlap. */
  find(text: SearchedText, visit: (byte: number) => void): void {
    if (this.#folded === null) this.#findBytes(text.bytes, visit);
    else this.#findFolded(text, this.#folded, visit);
  }

  #findBytes(bytes: Buffer, visit: (byte: number) => void): void {
    const wanted = this.#bytes;
    for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, at + wanted.length)) visit(at);
  }

  #findFolded(text: SearchedText, wanted: string, visit: (byte: number) => void): void {
    let [unit, byte] = [0, 0];
    for (let at = text.folded.indexOf(wanted); at >= 0; at = text.folded.indexOf(wanted, at + wanted.length)) {
      byte += Buffer.byteLength(text.text.slice(unit, at));
      unit = at;
      visit(byte);
    }
  }
}

/**
 * Where a literal stands in a passage, in UTF-16 units. A match that goes on in the next passage is cut at the end of this one.
 */
export function literalSpans(passage: string, { text, ignoreCase }: Literal): [start: number, end: number][] {
  const searched = ignoreCase ? foldCase(passage) : passage;
  const wanted = ignoreCase ? foldCase(text) : text;
  const spans: [number, number][] = [];
  let next = 0;
  for (let at = searched.indexOf(wanted); at >= 0; at = searched.indexOf(wanted, next)) {
    next = at + wanted.length;
    spans.push([at, next]);
  }
  for (let at = Math.max(next, searched.length - wanted.length + 1); at < searched.length; at++) {
    if (!wanted.startsWith(searched.slice(at))) continue;
    spans.push([at, searched.length]);
    break;
  }
  return spans;
}
