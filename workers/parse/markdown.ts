import MarkdownIt, { type StateBlock } from 'markdown-it';

/** The Markdown that is read: CommonMark with tables and HTML blocks, which hide lines that would be headings. */
export const markdown = new MarkdownIt({ html: true });
// Link targets are thrown away: neither judge nor encode them.
markdown.validateLink = () => true;
markdown.normalizeLink = (url) => url;

const [isTable] = markdown.block.ruler.getRules('paragraph');
markdown.block.ruler.at('table', skipTable, { alt: ['paragraph', 'reference'] });

/** markdown-it's table rule without its cells: splitting each row took a quarter of the time of parsing. */
function skipTable(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  if (isTable === undefined || !isTable(state, startLine, endLine, true)) return false;
  if (silent) return true;
  const terminators = state.md.block.ruler.getRules('blockquote');
  const parentType = state.parentType;
  state.parentType = 'table';
  let line = startLine + 2;
  while (line < endLine && !state.isEmpty(line)) {
    const indent = state.sCount[line]! - state.blkIndent;
    if (indent < 0 || indent >= 4 || terminators.some((ends) => ends(state, line, endLine, true))) break;
    line++;
  }
  state.parentType = parentType;
  state.line = line;
  return true;
}
