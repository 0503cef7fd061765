import { renderSnippet } from '../../shards/snippet.ts';
import type { Explanation, Hit, Markers, SearchAnswer } from '../search/hits.ts';
import type { RungName } from '../search/match-policy.ts';
import { formatCounted, formatDuration } from './quantities.ts';
import { sanitize, sanitizeLine } from './sanitize.ts';
import type { Style } from './style.ts';

/** Query tokens that the header names. */
const maxListedTokens = 20;

const rungMeanings: Readonly<Record<RungName, string>> = {
  all: 'every word',
  top5: 'any of the longest words',
  any: 'any word',
};

/** What goes around highlighted words, and whether the text is escaped for HTML. */
export interface SnippetStyle extends Markers {
  readonly html: boolean;
}

/** An answer as text, a block at a time: a header, how it came about if asked for, and each hit. */
export function* renderAnswer(answer: SearchAnswer, markers: SnippetStyle, style: Style): Generator<string> {
  yield `${style.bold(header(answer))}\n`;
  if (answer.explain !== undefined) yield renderExplanation(answer.explain);
  if (answer.hits.length === 0) yield advice(answer);
  for (const hit of answer.hits) yield `\n${renderHit(hit, markers, style)}`;
}

function header({ hits, rung, searched, coverage, tookMs }: SearchAnswer): string {
  return [
    formatCounted(hits.length, 'hit'),
    `${rung} (${rungMeanings[rung]}) of: ${listed(searched)}`,
    `${coverage.searched}/${formatCounted(coverage.shards, 'shard')}`,
    formatDuration(tookMs),
  ].join(' | ');
}

/** The first tokens of a query; a long one would push the hits off the screen. */
function listed(tokens: readonly string[]): string {
  const first = tokens.slice(0, maxListedTokens).map(sanitizeLine).join(', ');
  return tokens.length > maxListedTokens ? `${first} and ${tokens.length - maxListedTokens} more` : first;
}

function advice({ match, coverage }: SearchAnswer): string {
  if (coverage.searched === 0) return 'Nothing could be searched.\n';
  if (match === 'all') return 'Nothing found. Try --match any, which takes passages with any of the words.\n';
  if (match === 'strict') return 'Nothing found. Try other words, or --match any with --also and synonyms.\n';
  return 'Nothing found. Try other words, or --also with synonyms.\n';
}

function renderExplanation({ rungs, fetchMs }: Explanation): string {
  const lines = rungs.map(({ name, tokens, hits, ms }) => {
    const words = tokens.map(({ text, alternatives }) => {
      const terms = alternatives.map((all) => all.map(sanitizeLine).join('+')).join('|');
      return `${sanitizeLine(text)}=${terms}`;
    });
    return `  ${name}: ${formatCounted(hits, 'hit')} in ${formatDuration(ms)}; ${words.join(', ')}\n`;
  });
  return `${lines.join('')}  text of the hits in ${formatDuration(fetchMs)}\n`;
}

function renderHit(hit: Hit, markers: SnippetStyle, style: Style): string {
  const { source } = hit;
  const heading = hit.heading.map(sanitizeLine).join(' > ');
  const snippet = { text: hit.snippet, highlights: hit.highlights };
  const title = shorten(sanitizeLine(hit.title === '' ? hit.uri : hit.title));
  const lines = [
    `${style.bold(`${hit.rank}. ${title}`)}  (${hit.score.toPrecision(4)})`,
    ...(heading === '' ? [] : [`   ${heading}`]),
    `   ${renderSnippet(snippet, { ...markers, clean: sanitizeLine })}`,
    ...(hit.text === undefined ? [] : ['', indent(sanitize(hit.text)), '']),
    style.dim(`   ${sanitizeLine(hit.uri)} | ${hit.shelfmark} | ${sanitizeLine(hit.label)}`),
    style.dim(`   ${sanitizeLine(source.path)} bytes ${source.byteStart}-${source.byteEnd}`),
    ...(hit.missing.length === 0 ? [] : [style.dim(`   without: ${hit.missing.map(sanitizeLine).join(', ')}`)]),
  ];
  return `${lines.join('\n')}\n`;
}

/** A title of thousands of characters would hide the hits. */
function shorten(title: string): string {
  const characters = [...title.slice(0, 1000)];
  return characters.length > 200 ? `${characters.slice(0, 200).join('')}…` : title;
}

function indent(text: string): string {
  return text.trimEnd().replace(/^/gm, '   | ');
}
