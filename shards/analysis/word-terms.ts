import { isHash, joinerOf } from './code-points.ts';
import { cutToBytes } from './cut.ts';
import { humpStarts } from './humps.ts';
import type { Language } from './language.ts';
import { MAX_WHOLE_BYTES, MAX_WHOLE_PARTS, MAX_WORD_BYTES } from './parameters.ts';

/** A term and the span of the raw token it came from, in UTF-16 units. */
export interface SpannedTerm {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Extras stand behind the field's main stream, so that positions there are those of the plain word sequence. */
  readonly extra: boolean;
}

/** What a raw token is indexed as, and what a query for it asks for. */
export interface WordTerms {
  /** In order of start; main terms and extras each in the order they are written. */
  readonly terms: readonly SpannedTerm[];
  /** Several ways to be found; each is a list of terms that must all occur. Empty when there are no terms. */
  readonly alternatives: readonly (readonly string[])[];
  /** Words that were cut to the longest allowed. */
  readonly cutWords: number;
}

/** A stretch between joiners. */
interface Piece {
  readonly start: number;
  readonly end: number;
  /** ASCII form of the joiner before it, '' for the first. */
  readonly joiner: string;
}

/** A word of a compound, or the only word of the token. */
interface Part {
  readonly normal: string;
  readonly start: number;
  readonly end: number;
  /** What stood between this and the part before: a joiner, or '' at a hump. */
  readonly joiner: string;
  readonly piece: number;
}

const ENDS_IN_DIGIT = /[0-9]$/;
const BEGINS_WITH_DIGIT = /^[0-9]/;
const THOUSANDS = /^[0-9]{3}(?![0-9])/;

/**
 * The terms of a raw token that is not a CJK run, the same in every language but for its words.
 *
 * - A word is normalised and stemmed: `Files` → file.
 * - A compound (joiners or camelCase humps) has its parts as main terms and its whole, without joiners, as an extra:
 *   `Wi-Fi` → wi fi + wifi. So has every camelCase piece in it: `document.getElementById` also → getelementbyid.
 * - A symbol name (`C++`, `C#`) is one term; a bare word of two or more characters is a main term beside it.
 * - A name with a leading dot (`.NET`) has the bare word as its main term and the dotted one as an extra.
 */
export function wordTerms(token: string, language: Language): WordTerms {
  const symbol = symbolOf(token);
  const parts = partsOf(token, token.length - symbol.width, language);
  const only = parts.length === 1 ? parts[0] : undefined;
  if (only !== undefined && symbol.text === '' && token.startsWith('.')) return dottedName(only, language);
  return parts.length === 0 ? NO_TERMS : compoundTerms(parts, symbol.text, token.length, language);
}

const NO_TERMS: WordTerms = { terms: [], alternatives: [], cutWords: 0 };

function dottedName(word: Part, language: Language): WordTerms {
  const bare = wordTerm(word, language);
  const dotted = `.${cutToBytes(language.plain(word.normal), MAX_WORD_BYTES - 1)}`;
  return {
    terms: [
      { text: dotted, start: 0, end: word.end, extra: true },
      { text: bare, start: word.start, end: word.end, extra: false },
    ],
    alternatives: [[dotted], [bare]],
    cutWords: isTooLong(word) ? 1 : 0,
  };
}

function compoundTerms(parts: readonly Part[], symbol: string, tokenEnd: number, language: Language): WordTerms {
  const terms: SpannedTerm[] = [];
  const wanted: string[] = [];
  const first = parts[0]!;
  const last = parts.at(-1)!;
  const whole = parts.length > 1 ? wholeOf(parts, symbol, language) : undefined;
  if (whole !== undefined)
    terms.push({ text: whole, start: first.start, end: symbol === '' ? last.end : tokenEnd, extra: true });
  for (const [i, part] of parts.entries()) {
    const { start, end } = part;
    const piece = first.piece === last.piece ? undefined : humpedPiece(parts, i);
    const pieceWhole = piece === undefined ? undefined : wholeOf(piece, '', language);
    if (pieceWhole !== undefined) terms.push({ text: pieceWhole, start, end: piece!.at(-1)!.end, extra: true });
    if (part === last && symbol !== '') {
      const plain = language.plain(part.normal);
      const name = cutToBytes(plain, MAX_WORD_BYTES - symbol.length) + symbol;
      const isLetter = plain.length <= String.fromCodePoint(plain.codePointAt(0)!).length;
      if (!isLetter) terms.push({ text: wordTerm(part, language), start, end, extra: false });
      terms.push({ text: name, start, end: tokenEnd, extra: !isLetter });
      wanted.push(name);
    } else {
      const text = wordTerm(part, language);
      terms.push({ text, start, end, extra: false });
      wanted.push(text);
    }
  }
  const alternatives = whole === undefined ? [wanted] : [[whole], wanted];
  return { terms, alternatives, cutWords: parts.filter(isTooLong).length };
}

/** The parts of the camelCase piece that begins with part `i`; undefined when none begins there or it is a plain word. */
function humpedPiece(parts: readonly Part[], i: number): readonly Part[] | undefined {
  const { piece } = parts[i]!;
  if (parts[i - 1]?.piece === piece || parts[i + 1]?.piece !== piece) return undefined;
  let end = i + 2;
  while (parts[end]?.piece === piece) end++;
  return parts.slice(i, end);
}

function wordTerm({ normal }: Part, language: Language): string {
  const cut = cutToBytes(normal, MAX_WORD_BYTES);
  return cut === normal ? language.stem(normal) : language.plain(cut);
}

function isTooLong(part: Part): boolean {
  return cutToBytes(part.normal, MAX_WORD_BYTES) !== part.normal;
}

/** With what the terms of words begin that begin as a raw token does: the term of the token, but not stemmed. */
export function wordBeginning(token: string, language: Language): string {
  const symbol = symbolOf(token);
  const whole = language.plain(joined(partsOf(token, token.length - symbol.width, language))) + symbol.text;
  return token.startsWith('.') ? `.${whole}` : whole;
}

/** The compound as one term; undefined when it has too many parts or bytes. */
function wholeOf(parts: readonly Part[], symbol: string, language: Language): string | undefined {
  if (parts.length > MAX_WHOLE_PARTS) return undefined;
  const whole = joined(parts);
  if (Buffer.byteLength(whole) + symbol.length > MAX_WHOLE_BYTES) return undefined;
  return symbol === '' ? language.stem(whole) : language.plain(whole) + symbol;
}

/** Parts without what joined them. Digits never run together: `1.2.3` is not `12.3`. */
function joined(parts: readonly Part[]): string {
  let whole = '';
  for (const { normal, joiner } of parts) {
    const meetsDigits = joiner !== '' && ENDS_IN_DIGIT.test(whole) && BEGINS_WITH_DIGIT.test(normal);
    whole += meetsDigits ? digitJoiner(joiner, normal) + normal : normal;
  }
  return whole;
}

function digitJoiner(joiner: string, after: string): string {
  if (joiner === '.') return '.';
  return joiner === ',' && THOUSANDS.test(after) ? '' : '-';
}

function partsOf(token: string, end: number, language: Language): Part[] {
  const parts: Part[] = [];
  const pieces = piecesOf(token, end);
  for (const [index, piece] of pieces.entries()) {
    const text = token.slice(piece.start, piece.end);
    if (piece.joiner === "'" && index > 0 && language.isSuffix(text)) continue;
    if (pieces[index + 1]?.joiner === "'" && language.elided.has(language.normalize(text))) continue;
    const starts = humpStarts(text);
    for (const [i, start] of starts.entries()) {
      const stop = starts[i + 1] ?? text.length;
      const normal = language.normalize(text.slice(start, stop));
      if (normal === '') continue;
      const joiner = i === 0 ? piece.joiner : '';
      parts.push({ normal, start: piece.start + start, end: piece.start + stop, joiner, piece: index });
    }
  }
  return parts;
}

function piecesOf(token: string, end: number): Piece[] {
  const pieces: Piece[] = [];
  let joiner = '';
  let start = 0;
  for (let i = 0; i <= end; i++) {
    const next = i === end ? '' : joinerOf(token.charCodeAt(i));
    if (next === undefined) continue;
    if (i > start) pieces.push({ start, end: i, joiner });
    joiner = next;
    start = i + 1;
  }
  return pieces;
}

/** The `++` or `#` at the token's end. A token cannot end with a joiner otherwise. */
function symbolOf(token: string): { text: '' | '++' | '#'; width: number } {
  const last = token.charCodeAt(token.length - 1);
  if (isHash(last)) return { text: '#', width: 1 };
  return joinerOf(last) === '+' ? { text: '++', width: 2 } : { text: '', width: 0 };
}
