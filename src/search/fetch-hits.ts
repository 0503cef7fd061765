import {
  formatShelfmark,
  languageIn,
  prepareQuery,
  type QueryToken,
  type RankedChunk,
  type ShardId,
  type TermTable,
  termsOf,
  type WordFilter,
} from '../../shards/index.ts';
import type { EvidenceItem, FetchedHit, ShardFailure } from '../../workers/protocol.ts';
import { filterOf } from './filter.ts';
import type { Evidence, Hit } from './hits.ts';
import { stopFlagOf } from './limits.ts';
import type { QueryPlan, Rung } from './match-policy.ts';
import type { FilledSearchOptions } from './options.ts';
import type { RankedGroup, RungHit } from './ranked-group.ts';
import { sectionAnchor } from './section-anchor.ts';
import type { ShardPool } from './shard-pool.ts';

/** Hits per query, with their text; none at all when a shard failed. */
export interface FetchedHits {
  readonly hits: readonly (readonly Hit[])[];
  readonly failures: readonly ShardFailure[];
}

/**
 * Makes hits of what was ranked: finds the best passages of each document, if more than its own are wanted, and reads their
 * text.
 * @param words what prefixes and exclusions ask of every passage, or null
 */
export async function fetchHits(
  pool: ShardPool,
  group: RankedGroup,
  words: WordFilter | null,
  options: FilledSearchOptions,
): Promise<FetchedHits> {
  const { passages, failures } = await passagesOf(pool, group, words, options);
  options.signal?.throwIfAborted();
  return failures.length > 0 ? { hits: [], failures } : await fetchPassages(pool, group, passages, options);
}

/** The best passages of each hit's document, its own first; only its own when no more are wanted. */
async function passagesOf(
  pool: ShardPool,
  { answers, scoring, table }: RankedGroup,
  words: WordFilter | null,
  options: FilledSearchOptions,
): Promise<{ readonly passages: ReadonlyMap<RungHit, readonly RankedChunk[]>; readonly failures: ShardFailure[] }> {
  const hits = answers.flatMap((answer) => answer.hits);
  if (options.evidence <= 1) return { passages: new Map(hits.map((hit) => [hit, [hit]])), failures: [] };
  // Of what was found by scanning, the index knows nothing.
  const passages = new Map<RungHit, readonly RankedChunk[]>(hits.map((hit) => [hit, [hit]]));
  const ranked = hits.filter(({ rung }) => rung.name !== 'scan');
  const rungs = [...new Set(ranked.map(({ rung }) => rung))];
  const groups = new Map<string, RungHit[]>();
  for (const hit of ranked) {
    const key = `${rungs.indexOf(hit.rung)} ${hit.shard}`;
    groups.set(key, [...(groups.get(key) ?? []), hit]);
  }
  const together = [...groups.values()];
  const numberOf = new Map(table.terms.map((term, number) => [term, number]));
  const found = await pool.evidence(
    together.map(
      (group): EvidenceItem => ({
        shard: group[0]!.shard,
        documents: group.map(({ document }) => document),
        query: rungs.indexOf(group[0]!.rung),
      }),
    ),
    rungs.map(({ query }) => prepareQuery(query, numberOf, table.frequencies)),
    table,
    {
      count: options.evidence,
      filter: filterOf(options),
      words,
      scoring,
      stop: stopFlagOf(options.signal),
    },
  );
  const failures: ShardFailure[] = [];
  for (const [index, group] of together.entries()) {
    const answer = found[index]!;
    if (!answer.ok) failures.push({ shard: group[0]!.shard, error: answer.error });
    else for (const [at, hit] of group.entries()) passages.set(hit, answer.value[at]!);
  }
  return { passages, failures };
}

/** A passage with its text. */
interface ShownPassage {
  readonly shard: string;
  readonly passage: RankedChunk;
  readonly tokens: readonly QueryToken[];
  readonly fetched: FetchedHit;
}

/** Reads the text of all passages. */
async function fetchPassages(
  pool: ShardPool,
  { answers, scoring, table }: RankedGroup,
  passages: ReadonlyMap<RungHit, readonly RankedChunk[]>,
  options: FilledSearchOptions,
): Promise<{ readonly hits: Hit[][]; readonly failures: ShardFailure[] }> {
  const steps = answers.flatMap(({ plan, hits }) =>
    [...new Set(hits.map(({ rung }) => rung))].map((rung) => ({ rung, tokens: shownTokens(plan, rung) })),
  );
  const stepOf = new Map(steps.map(({ rung }, index) => [rung, index]));
  const wanted = answers.flatMap(({ hits }) =>
    hits.flatMap((hit) => passages.get(hit)!.map((passage) => ({ hit, passage, step: stepOf.get(hit.rung)! }))),
  );
  const fetched = await pool.fetch({
    items: wanted.map(({ hit: { shard }, passage: { chunk, score }, step }) => ({
      shard,
      chunk,
      score,
      query: step,
    })),
    queries: steps.map(({ rung, tokens }) => ({
      tokens: tokens.map(({ alternatives }) => alternatives),
      literal: rung.literal,
      terms: rung.name === 'scan' ? null : termsOf(rung.query),
    })),
    snippetLength: options.snippetLength,
    text: options.text,
    explain: options.explain ? { scoring, frequencies: frequenciesOf(table) } : null,
    stop: stopFlagOf(options.signal),
  });
  const failures = new Map<string, ShardFailure>();
  const shown = new Map<RungHit, ShownPassage[]>();
  for (const [index, { hit, passage, step }] of wanted.entries()) {
    const result = fetched[index]!;
    if (!result.ok) failures.set(hit.shard, { shard: hit.shard, error: result.error });
    else
      shown.set(hit, [
        ...(shown.get(hit) ?? []),
        { shard: hit.shard, passage, tokens: steps[step]!.tokens, fetched: result.value },
      ]);
  }
  if (failures.size > 0) return { hits: [], failures: [...failures.values()] };
  const hits = answers.map((answer) =>
    answer.hits.map((hit, index) => toHit(hit, index + 1, shown.get(hit)!, options.evidence > 0)),
  );
  return { hits, failures: [] };
}

function frequenciesOf({ terms, frequencies }: TermTable): Map<string, number> {
  return new Map(terms.map((term, number) => [term, frequencies[number]!]));
}

/** What is highlighted in a step's hits: the words of the query, searched or not, and what the step adds. */
function shownTokens(plan: QueryPlan, rung: Rung): QueryToken[] {
  return [...new Set([...plan.tokens, ...rung.tokens, ...plan.phraseTokens])];
}

/** @param shown the passages of a hit, its own first */
function toHit({ rung, retrievers }: RungHit, rank: number, shown: readonly ShownPassage[], hasEvidence: boolean): Hit {
  const [own] = shown;
  const { document } = own!.fetched;
  const { path, byteStart, byteEnd, sha256 } = document.source;
  const { text, textStart, explain, ...passage } = toPassage(own!);
  return {
    rank,
    ...passage,
    uri: document.uri,
    title: document.title,
    rung: rung.name,
    ...(retrievers === undefined ? {} : { retrievers }),
    label: document.label,
    kind: document.kind,
    collection: document.collection,
    language: languageIn(document.analyzer),
    modified_at: document.modifiedAt,
    source: { path, byteStart, byteEnd, sha256 },
    ...(text === undefined || textStart === undefined ? {} : { text, textStart }),
    ...(explain === undefined ? {} : { explain }),
    ...(hasEvidence ? { evidence: shown.map(toPassage) } : {}),
  };
}

function toPassage({ shard, passage, tokens, fetched }: ShownPassage): Evidence {
  const { document, heading, ordinal, snippet, matched, text, textStart, explanation } = fetched;
  const names = tokens.map(({ text }) => text);
  return {
    score: passage.score,
    shelfmark: formatShelfmark({ shard: shard as ShardId, document: document.id, ordinal }),
    heading,
    section: sectionAnchor(heading),
    ordinal,
    snippet: snippet.text,
    highlights: snippet.highlights,
    matched: names.filter((_, token) => matched[token]),
    missing: names.filter((_, token) => !matched[token]),
    ...(text === null ? {} : { text, textStart }),
    ...(explanation === null ? {} : { explain: explanation }),
  };
}
