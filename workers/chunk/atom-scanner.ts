import { astralClass, CHARACTER_CLASS, EXTEND, HIGH_SURROGATE, SPACE, SPACELESS, WORD } from './character-class.ts';
import { unitsOf } from './units-of.ts';

// Grapheme_Cluster_Break = Prepend, the joiner of emoji, and the signs that stack the next letter in Khmer, Myanmar and Tai Tham.
const JOINS_NEXT =
  /[\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u0D4E\u1039\u17D2\u1A60\u{110BD}\u{110CD}\u{111C2}\u{111C3}\u{113D1}\u{1193F}\u{11941}\u{11A3A}\u{11A84}-\u{11A89}\u{11D46}\u{11F02}]$|\u200D$/u;

/** 1 for each UTF-16 unit that can end such a character: most characters are not worth running the pattern. */
const MAY_JOIN_NEXT = unitsOf(/[\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u0D4E\u1039\u17D2\u1A60]|\u200D/u).fill(
  1,
  0xdc00,
  0xe000,
);

/**
 * Walks over the atoms of a text: the pieces that a chunk is made of. An atom is a word, or one grapheme of a script written
 * without spaces, with the white space behind it. A text can be cut before any atom, and nowhere else: then no word,
 * grapheme cluster or surrogate pair is cut.
 */
export class AtomScanner {
  readonly #text: string;
  readonly #end: number;
  #cursor: number;
  #state: typeof WORD | typeof SPACE | typeof SPACELESS = SPACE;
  /** Start of the current atom. */
  position: number;
  /** What the current atom counts for: 2 for a word, 1 for a grapheme of a script without spaces. */
  halfWords = 0;

  constructor(text: string, start: number, end: number) {
    this.#text = text;
    this.#end = end;
    this.#cursor = start;
    this.position = start;
  }

  /** Moves to the next atom; false at the end. */
  next(): boolean {
    const text = this.#text;
    const end = this.#end;
    let state = this.#state;
    for (let cursor = this.#cursor; cursor < end; cursor++) {
      let characterClass = CHARACTER_CLASS[text.charCodeAt(cursor)]!;
      if (characterClass === WORD && state === WORD) continue;
      if (characterClass === SPACE) {
        state = SPACE;
        continue;
      }
      if (characterClass === HIGH_SURROGATE) characterClass = astralClass(text.codePointAt(cursor)!);
      if (characterClass === EXTEND) {
        // A mark on white space makes a grapheme that is no white space, and that starts before the mark.
        if (state === SPACE) state = WORD;
        continue;
      }
      if (characterClass === WORD && state === WORD) continue;
      const joined = state !== SPACE && joinsNext(text, cursor);
      state = characterClass === SPACELESS ? SPACELESS : WORD;
      if (joined) continue;
      this.#state = state;
      this.#cursor = cursor + 1;
      this.position = cursor;
      this.halfWords = state === WORD ? 2 : 1;
      return true;
    }
    this.#cursor = end;
    return false;
  }
}

/** Counts a text in half words. */
export function countHalfWords(text: string, start: number, end: number): number {
  // Most text is words and white space only: this counts it in two thirds of the time that the scanner takes.
  let words = 0;
  let previous: number = SPACE;
  for (let position = start; position < end; position++) {
    const characterClass = CHARACTER_CLASS[text.charCodeAt(position)]!;
    if (characterClass > WORD) return countAtoms(text, start, end);
    words += characterClass & ~previous;
    previous = characterClass;
  }
  return 2 * words;
}

function countAtoms(text: string, start: number, end: number): number {
  const scanner = new AtomScanner(text, start, end);
  let halfWords = 0;
  while (scanner.next()) halfWords += scanner.halfWords;
  return halfWords;
}

function joinsNext(text: string, position: number): boolean {
  if (!MAY_JOIN_NEXT[text.charCodeAt(position - 1)]) return false;
  return JOINS_NEXT.test(text.slice(Math.max(0, position - 2), position));
}
