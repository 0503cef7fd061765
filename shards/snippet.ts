import type { Analyzer } from './analysis/index.ts';

/** Alternatives of one query token: it occurs where all terms of any one alternative occur. */
export type TokenAlternatives = readonly (readonly string[])[];

/** Half-open range of UTF-16 offsets. */
export type Span = readonly [start: number, end: number];

/** An excerpt on one line, and what to highlight in it. */
export interface Snippet {
  readonly text: string;
  /** in order, disjoint, offsets into `text` */
  readonly highlights: readonly Span[];
}

/** A snippet together with which query tokens the whole passage has. */
export interface Excerpt {
  readonly snippet: Snippet;
  /** per query token whether the passage (title, headings and body) has it */
  readonly matched: readonly boolean[];
}

/** Occurrences considered per passage; more tell nothing new and would make a 4 MB chunk slow. */
const maxOccurrences = 20_000;

const ellipsis = '…';

interface Occurrence {
  readonly term: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Finds the best excerpt of a passage: the window of `maxLength` UTF-16 units that has most distinct query tokens (one
 * term of a token is enough), of those the one with its tokens nearest together, of those the first. Where the body has
 * none of them, its beginning. The excerpt is longer than `maxLength` by no more than two ellipses and what completes
 * words (40 UTF-16 units at each end) or graphemes; but a word of the query is shown whole, however long it is.
 * Work is linear in the passage and in the occurrences of query terms, whatever the length of either.
 */
export function excerptOf(
  analyzer: Analyzer,
  passage: { readonly title: string; readonly heading: readonly string[]; readonly body: string },
  tokens: readonly TokenAlternatives[],
  maxLength: number,
): Excerpt {
  const wanted = new Set(tokens.flat(2));
  const found = new Set<string>();
  for (const field of [passage.title, passage.heading.join('\n')]) {
    analyzer.visitTerms(field, wanted, (term) => found.add(term));
  }
  const occurrences: Occurrence[] = [];
  analyzer.visitTerms(passage.body, wanted, (term, start, end) => {
    found.add(term);
    if (occurrences.length < maxOccurrences) occurrences.push({ term, start, end });
  });
  const window = bestWindow(occurrences, tokens, maxLength);
  return {
    snippet: cutSnippet(passage.body, window, occurrences, maxLength),
    matched: tokens.map((alternatives) => alternatives.some((terms) => terms.every((term) => found.has(term)))),
  };
}

/**
 * An excerpt around the first of some ranges of a text; those in it are highlighted.
 * @param spans in order, disjoint; without any it is the text's beginning
 */
export function excerptAround(text: string, spans: readonly Span[], maxLength: number): Snippet {
  const occurrences = spans.map(([start, end]): Occurrence => ({ term: '', start, end }));
  return cutSnippet(text, spans[0], occurrences, maxLength);
}

/** Slides over the occurrences in order, keeping how often each token stands in the window. */
function bestWindow(
  occurrences: readonly Occurrence[],
  tokens: readonly TokenAlternatives[],
  maxLength: number,
): Span | undefined {
  const tokensOfTerm = indexTokens(tokens);
  const counts = new Int32Array(tokens.length);
  let distinct = 0;
  let left = 0;
  let reach = 0;
  let best: { readonly span: Span; readonly distinct: number } | undefined;

  const count = (token: number, step: number): number => {
    const next = (counts[token] ?? 0) + step;
    counts[token] = next;
    return next;
  };
  const enter = (occurrence: Occurrence): void => {
    for (const token of tokensOfTerm.get(occurrence.term) ?? []) if (count(token, 1) === 1) distinct++;
  };
  const leave = (occurrence: Occurrence): void => {
    for (const token of tokensOfTerm.get(occurrence.term) ?? []) if (count(token, -1) === 0) distinct--;
  };
  const isSpare = (occurrence: Occurrence): boolean =>
    (tokensOfTerm.get(occurrence.term) ?? []).every((token) => (counts[token] ?? 0) > 1);

  for (const [right, occurrence] of occurrences.entries()) {
    enter(occurrence);
    // A compound reaches further than its parts, which come after it.
    reach = Math.max(reach, occurrence.end);
    for (; left < right; left++) {
      const leftmost = occurrences[left]!;
      if (reach - leftmost.start <= maxLength && !isSpare(leftmost)) break;
      leave(leftmost);
    }
    const span: Span = [occurrences[left]!.start, reach];
    if (
      best === undefined ||
      distinct > best.distinct ||
      (distinct === best.distinct && span[1] - span[0] < best.span[1] - best.span[0])
    ) {
      best = { span, distinct };
    }
  }
  return best === undefined ? undefined : completeCompound(best.span, occurrences, maxLength);
}

/** Moves the start of a window to that of the compound it begins in. */
function completeCompound([start, end]: Span, occurrences: readonly Occurrence[], maxLength: number): Span {
  const compound = occurrences.find((one) => one.start < start && one.end > start && end - one.start <= maxLength);
  return [compound?.start ?? start, end];
}

/** A term can stand for several tokens, but in a 10,000-token query no term is looked at more than a few times. */
function indexTokens(tokens: readonly TokenAlternatives[]): Map<string, readonly number[]> {
  const index = new Map<string, number[]>();
  for (const [token, alternatives] of tokens.entries()) {
    for (const term of new Set(alternatives.flat())) {
      const list = index.get(term);
      if (list === undefined) index.set(term, [token]);
      else if (list.length < 4) list.push(token);
    }
  }
  return index;
}

/** Widens the window to `maxLength`, a third of the room before it, and cuts at word borders. */
function cutSnippet(
  body: string,
  window: Span | undefined,
  occurrences: readonly Occurrence[],
  maxLength: number,
): Snippet {
  const first = Math.max(0, body.search(/\S/));
  const [from, to] = window ?? [first, first];
  const room = Math.max(0, maxLength - (to - from));
  const start = wordStart(body, from - Math.floor(room / 3), Math.min(first, from), from);
  const end = wordEnd(body, Math.max(to, start + maxLength), Math.max(to, start + 1));
  return flatten(body, [start, end], mergeSpans(occurrences, [start, end]));
}

/** How far a cut may move to find white space before it settles for a grapheme border. */
const slack = 40;

/** Where a word starts near a position, rather after than before it. */
function wordStart(body: string, position: number, lowest: number, highest: number): number {
  if (position <= lowest) return lowest;
  const isStart = (at: number): boolean =>
    isSpace(body, at - 1) && !isSpace(body, at) && graphemeBorder(body, at) === at;
  for (let at = position; at <= Math.min(highest, position + slack); at++) if (isStart(at)) return at;
  for (let at = position - 1; at >= Math.max(lowest, position - slack); at--)
    if (at === lowest || isStart(at)) return at;
  return Math.min(highest, graphemeBorder(body, position));
}

/** Where a word ends near a position, rather before than after it. */
function wordEnd(body: string, position: number, lowest: number): number {
  if (position >= body.length) return body.length;
  const isEnd = (at: number): boolean => at === body.length || (isSpace(body, at) && !isSpace(body, at - 1));
  for (let at = position; at >= Math.max(lowest, position - slack); at--) if (isEnd(at)) return at;
  for (let at = position + 1; at <= Math.min(body.length, position + slack); at++) if (isEnd(at)) return at;
  const border = graphemeBorder(body, position);
  return border >= lowest ? border : graphemeEnd(body, lowest);
}

function isSpace(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit === 32 || (unit >= 9 && unit <= 13) || (unit >= 0x80 && unit !== 0xfeff && /\s/.test(text.charAt(index)));
}

/** Made when it is needed: in ASCII it never is, and making it takes longer than all else here. */
let graphemes: Intl.Segmenter | undefined;

/** How far back a border is looked for that is one whatever stands before it. */
const stretch = 256;

/** The grapheme border at or before a position. Borders of clusters longer than `stretch` are guesses. */
function graphemeBorder(text: string, position: number): number {
  if (position >= text.length) return text.length;
  if (isSureBorder(text, position)) return position;
  const [from, index] = graphemeAround(text, position);
  return from + index;
}

/** The grapheme border at or after a position. */
function graphemeEnd(text: string, position: number): number {
  if (graphemeBorder(text, position) === position) return position;
  const [from, index, length] = graphemeAround(text, position);
  return from + index + length;
}

/** The grapheme that holds a position: where the looked-at part of the text starts, index in that part, length. */
function graphemeAround(text: string, position: number): readonly [from: number, index: number, length: number] {
  const lowest = Math.max(0, position - stretch);
  let from = position;
  while (from > lowest && !isSureBorder(text, from)) from--;
  if (from > 0 && isLowSurrogate(text, from)) from--;
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  const segment = graphemes.segment(text.slice(from, position + stretch)).containing(position - from);
  return [from, segment?.index ?? position - from, segment?.segment.length ?? 0];
}

/** Between two ASCII characters there always is a border, except in CR LF. */
function isSureBorder(text: string, index: number): boolean {
  const before = text.charCodeAt(index - 1);
  const after = text.charCodeAt(index);
  return before < 128 && after < 128 && !(before === 13 && after === 10);
}

function isLowSurrogate(text: string, index: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === 0xdc00;
}

/** Occurrences inside a range, overlapping or touching ones joined. */
function mergeSpans(occurrences: readonly Occurrence[], [start, end]: Span): Span[] {
  const inside = occurrences
    .filter((occurrence) => occurrence.start >= start && occurrence.end <= end)
    .sort((a, b) => a.start - b.start);
  const merged: [number, number][] = [];
  for (const occurrence of inside) {
    const last = merged.at(-1);
    if (last !== undefined && occurrence.start <= last[1]) last[1] = Math.max(last[1], occurrence.end);
    else merged.push([occurrence.start, occurrence.end]);
  }
  return merged;
}

/** One line of text: runs of white space become one space, an ellipsis marks each cut; highlights move along. */
function flatten(body: string, [start, end]: Span, spans: readonly Span[]): Snippet {
  const isCutBefore = /\S/.test(body.slice(0, start));
  const isCutAfter = /\S/.test(body.slice(end));
  let text = isCutBefore ? ellipsis : '';
  const highlights: Span[] = [];
  const append = (from: number, to: number): void => {
    const piece = body.slice(from, to).replace(spaces, ' ');
    const atBorder = text === '' || text.endsWith(' ') || (isCutBefore && text === ellipsis);
    text += atBorder && piece.startsWith(' ') ? piece.slice(1) : piece;
  };
  let position = start;
  for (const [from, to] of spans) {
    append(position, from);
    const at = text.length;
    append(from, to);
    highlights.push([at, text.length]);
    position = to;
  }
  append(position, end);
  if (text.endsWith(' ')) text = text.slice(0, -1);
  return { text: isCutAfter ? text + ellipsis : text, highlights };
}

/** White space, without U+FEFF: the analyzer takes it for an invisible part of a word, JavaScript for a space. */
const spaces = /[^\S\ufeff]+/g;

/** How to mark highlights, and for what kind of output. */
export interface RenderOptions {
  readonly open: string;
  readonly close: string;
  /** escape `& < > " '` of the text, for HTML */
  readonly html: boolean;
  /** applied to every piece of archive text, for example to strip terminal control sequences */
  readonly clean?: (text: string) => string;
}

/** Puts markers around the highlights of a snippet. */
export function renderSnippet(snippet: Snippet, options: RenderOptions): string {
  const clean = options.clean ?? ((text: string) => text);
  const piece = (from: number, to: number): string => {
    const text = clean(snippet.text.slice(from, to));
    return options.html ? escapeHtml(text) : text;
  };
  let output = '';
  let position = 0;
  for (const [start, end] of snippet.highlights) {
    output += `${piece(position, start)}${options.open}${piece(start, end)}${options.close}`;
    position = end;
  }
  return output + piece(position, snippet.text.length);
}

const htmlEscapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => htmlEscapes[character] ?? character);
}
