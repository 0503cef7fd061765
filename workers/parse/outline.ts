import MarkdownIt, { type Token } from 'markdown-it';
import { headingText } from './heading-text.ts';
import { markdown } from './markdown.ts';

/** A heading that starts a section: ATX or setext, and not inside a quote, list, fence or HTML block. */
export interface Heading {
  /** Start of the heading's first line, a UTF-16 offset into the document's text. */
  readonly start: number;
  /** End of the heading's last line (a setext underline belongs to it), its line break included. */
  readonly end: number;
  /** 1 to 6. */
  readonly level: number;
  /** Plain text; empty for an empty heading. */
  readonly text: string;
}

/** A line without which there is no heading: a `#` mark or a setext underline. */
const MAY_BE_HEADING = /^\uFEFF? {0,3}(?:#{1,6}(?:\s|$)|=+[ \t]*$|-+[ \t]*$)/m;

/** Units of a line that are looked at: the rules' regular expressions run out of stack on lines of megabytes. */
const MAX_LINE_LENGTH = 10_000;

/**
 * Lists the section headings of a Markdown text from offset `from` (the end of its front matter), in time linear in its
 * length. Blocks are followed 100 levels deep (a list is two); headings behind a deeper list are not found.
 */
export function outlineOf(text: string, from: number): Heading[] {
  const body = from === 0 ? text : text.slice(from);
  if (!MAY_BE_HEADING.test(body)) return [];
  const state = new OutlineState(withUnixLines(body), from);
  markdown.block.tokenize(state, 0, state.lineMax);
  return state.headings;
}

/** Gives text of the same length in which every line ends with a line feed, and a byte order mark is a space. */
function withUnixLines(text: string): string {
  const unmarked = text.charCodeAt(0) === 0xfeff ? ` ${text.slice(1)}` : text;
  return unmarked.includes('\r') ? unmarked.replaceAll('\r\n', ' \n').replaceAll('\r', '\n') : unmarked;
}

/**
 * markdown-it's block state that notes headings outside any other block, and nothing else. Making every token, and looking at
 * every character for the ends of lines, took longer than finding the blocks.
 */
class OutlineState extends MarkdownIt.StateBlock {
  readonly headings: Heading[] = [];
  readonly #offset: number;
  /** Lent to the rules in turn: whatever they write into it is lost, but for the content of a heading. */
  readonly #token: Token;
  readonly #headingToken: Token;

  constructor(source: string, offset: number) {
    super('', markdown, {}, []);
    this.#offset = offset;
    this.#token = new this.Token('', '', 0);
    this.#headingToken = new this.Token('', '', 0);
    this.src = source;
    this.#indexLines(source);
  }

  /** Fills the line tables as the constructor of the base class does. */
  #indexLines(source: string): void {
    this.bMarks.length = this.eMarks.length = this.tShift.length = this.sCount.length = this.bsCount.length = 0;
    for (let start = 0; start < source.length; ) {
      const lineFeed = source.indexOf('\n', start);
      const end = lineFeed === -1 ? source.length : lineFeed;
      this.#addLine(source, start, Math.min(end, start + MAX_LINE_LENGTH));
      start = end + 1;
    }
    this.lineMax = this.bMarks.length;
    // The rules may look at one line more.
    this.#addLine(source, source.length, source.length);
  }

  #addLine(source: string, start: number, end: number): void {
    let position = start;
    let column = 0;
    for (; position < end; position++) {
      const unit = source.charCodeAt(position);
      if (unit === 0x20) column++;
      else if (unit === 0x09) column += 4 - (column % 4);
      else break;
    }
    this.bMarks.push(start);
    this.eMarks.push(end);
    this.tShift.push(position - start);
    this.sCount.push(column);
    this.bsCount.push(0);
  }

  override push(type: string, tag: string, nesting: -1 | 0 | 1): Token {
    this.level += nesting;
    if (type === 'heading_open') return this.#headingToken;
    // A rule pushes a heading's opening, its content and its closing, and nothing between them.
    if (type === 'heading_close' && this.level === 0) this.#addHeading(Number(tag.slice(1)));
    return this.#token;
  }

  #addHeading(level: number): void {
    const [firstLine, endLine] = this.#headingToken.map ?? [0, 0];
    this.headings.push({
      start: this.#offset + this.bMarks[firstLine]!,
      end: this.#offset + this.bMarks[endLine]!,
      level,
      text: headingText(this.#token.content),
    });
  }
}
