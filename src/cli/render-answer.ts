import type { ChunkExplanation } from '../../shards/ranking/explain.ts';
import { renderSnippet } from '../../shards/snippet.ts';
import type {
  Evidence,
  Explanation,
  Hit,
  Markers,
  RetrieverRanks,
  RungExplanation,
  SearchAnswer,
} from '../search/hits.ts';
import type { RungName } from '../search/match-policy.ts';
import { formatCount, formatCounted, formatDuration } from './quantities.ts';
import { sanitize, sanitizeLine } from './sanitize.ts';
import type { Style } from './style.ts';

/** Query tokens that the header names. */
const maxListedTokens = 20;

const rungMeanings: Readonly<Record<RungName, string>> = {
  all: 'every word',
  top5: 'any of five words',
  any: 'any word',
  phrase: 'the phrases alone',
  scan: 'the text itself',
  vector: 'nearest vectors',
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
  for (const hit of answer.hits) yield `\n${renderHit(hit, answer.rung, markers, style)}`;
}

function header({ hits, rung, searched, coverage, retrieval, tookMs }: SearchAnswer): string {
  const further = [...new Set(hits.map((hit) => hit.rung))].filter((name) => name !== rung && name !== 'vector');
  const steps = [rung, ...further].map((name) => `${name} (${rungMeanings[name]})`).join(', then ');
  const model = retrieval?.model ?? null;
  const joint = retrieval?.retriever === 'hybrid' ? ', joined with vectors' : '';
  const vectors = model === null ? '' : `${joint} by ${sanitizeLine(model)}`;
  return [
    formatCounted(hits.length, 'hit'),
    `${steps} of: ${listed(searched)}${vectors}`,
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
  if (coverage.searched + coverage.scanned === 0) return 'Nothing could be searched.\n';
  if (match === 'all')
    return 'Nothing found. Try --match any, which takes passages with any of the words, or fewer filters.\n';
  if (match === 'strict')
    return 'Nothing found. Try --match any, --also with synonyms, other words, or fewer filters.\n';
  if (match === 'scan') return 'Nothing found. Try a shorter piece of it, --ignore-case, or fewer filters.\n';
  return 'Nothing found. Try --also with synonyms, other words, or fewer filters.\n';
}

function renderExplanation({ scoring, countMs, rungs, fetchMs }: Explanation): string {
  const { k1, b, columnWeights, chunks, averageLength } = scoring;
  const weights = ['title', 'heading', 'body'].map((name, column) => `${name} ${columnWeights[column]}`).join(', ');
  const lines = [
    `  BM25: k1 ${k1}, b ${b}; weights ${weights}; ${formatCounted(chunks, 'chunk')} of ${averageLength.toFixed(1)} tokens on average`,
    `  terms counted in ${formatDuration(countMs)}`,
    ...rungs.flatMap(renderRung),
    `  text of the hits in ${formatDuration(fetchMs)}`,
  ];
  return `${lines.join('\n')}\n`;
}

function renderRung({ name, tokens, hits, ms, threadMs, work }: RungExplanation): string[] {
  const words = tokens.map(({ text, alternatives }) => {
    const terms = alternatives.map((all) => all.map(sanitizeLine).join('+')).join('|');
    return `${sanitizeLine(text)}=${terms}`;
  });
  const counts = [
    `${formatCounted(work.shards, 'shard')}, ${formatCount(work.shardsSkipped)} passed over`,
    `${formatCounted(work.blocks, 'block')}, ${formatCount(work.blocksSkipped)} passed over`,
    `${formatCounted(work.postings, 'posting')}, ${formatCounted(work.candidates, 'candidate')}`,
  ];
  const reads = [
    `${formatCounted(work.terms, 'term')} looked up, ${formatCount(work.termsCached)} in the cache, in ${formatDuration(work.lookUpMs)} of ${formatDuration(work.rankMs)}`,
    `read ${formatCounted(work.pages, 'page')}, ${formatCounted(work.lists, 'list')}, ${formatCounted(work.segments, 'segment')}`,
  ];
  return [
    `  ${name}: ${formatCounted(hits, 'hit')} in ${formatDuration(ms)}, the slowest thread ${formatDuration(threadMs)}; ${words.join(', ')}`,
    `    ${counts.join('; ')}`,
    `    ${reads.join('; ')}`,
  ];
}

/** The sum that a hit's score is, a term a line. */
function renderContributions({ length, terms }: ChunkExplanation): string[] {
  const lines = terms.map(({ term, df, idf, tf, contribution }) => {
    const [title, heading, body] = tf;
    return `     ${contribution.toFixed(4)}  ${sanitizeLine(term)}: in ${formatCounted(df, 'chunk')}, idf ${idf.toFixed(3)}; here ${title} in title, ${heading} in heading, ${body} in body`;
  });
  return [...lines, `     of ${formatCounted(length, 'token')}`];
}

function renderHit(hit: Hit, rung: RungName, markers: SnippetStyle, style: Style): string {
  const { source } = hit;
  const heading = hit.heading.map(sanitizeLine).join(' > ');
  const snippet = { text: hit.snippet, highlights: hit.highlights };
  const title = shorten(sanitizeLine(hit.title === '' ? hit.uri : hit.title));
  const step = hit.retrievers === undefined ? (hit.rung === rung ? '' : `, ${hit.rung}`) : placesOf(hit.retrievers);
  const lines = [
    `${style.bold(`${hit.rank}. ${title}`)}  (${hit.score.toPrecision(4)}${step})`,
    ...(heading === '' ? [] : [`   ${heading}`]),
    `   ${renderSnippet(snippet, { ...markers, clean: sanitizeLine })}`,
    ...(hit.text === undefined ? [] : ['', indent(sanitize(hit.text)), '']),
    style.dim(`   ${sanitizeLine(hit.uri)} | ${hit.shelfmark} | ${sanitizeLine(hit.label)}`),
    style.dim(`   ${sanitizeLine(source.path)} bytes ${source.byteStart}-${source.byteEnd}`),
    ...(hit.explain === undefined ? [] : renderContributions(hit.explain).map((line) => style.dim(line))),
    ...(hit.evidence ?? []).slice(1).flatMap((passage) => renderEvidence(passage, markers, style)),
    ...(hit.missing.length === 0 ? [] : [style.dim(`   without: ${hit.missing.map(sanitizeLine).join(', ')}`)]),
  ];
  return `${lines.join('\n')}\n`;
}

/** Where a hit stood in the lists that were joined. */
function placesOf({ lexical, vector }: RetrieverRanks): string {
  return `${lexical === null ? '' : `, words ${lexical}`}${vector === null ? '' : `, vectors ${vector}`}`;
}

/** A further passage of a hit's document. */
function renderEvidence(
  { heading, score, shelfmark, ...snippet }: Evidence,
  markers: SnippetStyle,
  style: Style,
): string[] {
  const path = heading.map(sanitizeLine).join(' > ');
  const text = { text: snippet.snippet, highlights: snippet.highlights };
  return [
    `   + ${path === '' ? '' : `${path} `}(${score.toPrecision(4)})`,
    `     ${renderSnippet(text, { ...markers, clean: sanitizeLine })}`,
    ...(snippet.text === undefined ? [] : ['', indent(sanitize(snippet.text)), '']),
    style.dim(`     ${shelfmark}`),
  ];
}

/** A title of thousands of characters would hide the hits. */
function shorten(title: string): string {
  const characters = [...title.slice(0, 1000)];
  return characters.length > 200 ? `${characters.slice(0, 200).join('')}…` : title;
}

function indent(text: string): string {
  return text.trimEnd().replace(/^/gm, '   | ');
}
