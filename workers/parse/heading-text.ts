import type { Token } from 'markdown-it';
import { markdown } from './markdown.ts';

/** UTF-16 units of a heading's plain text that are kept. */
const MAX_LENGTH = 200;
/** UTF-16 units of a heading's Markdown that are read: inline parsing is not linear, and a heading is short. */
const MAX_SOURCE_LENGTH = 2_000;
/** What may be inline Markdown; underscores inside a word and brackets that lead nowhere are none. */
const MAY_BE_MARKUP = /[\\`*<]|&[#\w]|~~|\]\(|\b_|_\b|(?<!\w)_|_(?!\w)/;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Gives a heading's words without Markdown marks, white space collapsed, at most 200 UTF-16 units of whole graphemes. */
export function headingText(source: string): string {
  const capped = atGraphemeBorder(source.trim(), MAX_SOURCE_LENGTH);
  const plain = MAY_BE_MARKUP.test(capped) ? inlineText(markdown.parseInline(capped, {})) : capped;
  return atGraphemeBorder(plain.trim().replace(/\s+/g, ' '), MAX_LENGTH).trimEnd();
}

function inlineText(tokens: readonly Token[]): string {
  let text = '';
  for (const token of tokens) {
    if (token.type === 'softbreak' || token.type === 'hardbreak') text += ' ';
    else if (token.children !== null && token.children.length > 0) text += inlineText(token.children);
    else if (token.type === 'text' || token.type === 'code_inline') text += token.content;
  }
  return text;
}

function atGraphemeBorder(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const border = graphemes.segment(text.slice(0, maxLength + 1)).containing(maxLength);
  return text.slice(0, border?.index ?? 0);
}
