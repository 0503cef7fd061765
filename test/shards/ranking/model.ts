import type {
  ChunkId,
  DocumentId,
  Phrase,
  Scoring,
  ShardFilter,
  ShardQuery,
  ShardReader,
  WordFilter,
} from '../../../shards/index.ts';
import { analyzer, meetsAttributes } from '../support.ts';

/** A hit as the model gives it. */
export interface ModelHit {
  readonly score: number;
  readonly shard: string;
  readonly chunk: ChunkId;
  readonly document: DocumentId;
  readonly ordinal: number;
  readonly uri: string;
}

/** What the model is asked beside the query. */
export interface ModelOptions {
  readonly filter: ShardFilter;
  /** whether a document may be a hit, beside the filter. @default any */
  readonly allows?: (uri: string) => boolean;
  /** @default none */
  readonly words?: WordFilter | null;
  readonly scoring: Scoring;
  readonly frequencies: ReadonlyMap<string, number>;
  /** documents that cannot be hits, per shard; they count for the statistics all the same */
  readonly dead?: ReadonlyMap<string, ReadonlySet<number>>;
}

type Counts = [title: number, heading: number, body: number];

interface ModelChunk extends Omit<ModelHit, 'score'> {
  readonly collection: string;
  readonly kind: string;
  readonly length: number;
  readonly counts: ReadonlyMap<string, Counts>;
  /** title, heading path and body */
  readonly texts: readonly string[];
}

/**
 * What search is meant to find, the slow and plain way: every chunk is read as text, analysed, scored, sorted and cut. It
 * owes nothing to the index. Operations on scores are those of the documented formula in its order, so that scores can be
 * compared bit by bit.
 */
export class Model {
  /** in the order of hits with equal scores */
  readonly #chunks: readonly ModelChunk[];

  constructor(readers: readonly ShardReader[]) {
    this.#chunks = readers.flatMap(chunksOf).sort(compareNames);
  }

  get chunks(): number {
    return this.#chunks.length;
  }

  /** tokens of all chunks */
  get tokens(): number {
    return this.#chunks.reduce((total, { length }) => total + length, 0);
  }

  /** Chunks that have each of some terms. */
  frequencies(terms: Iterable<string>): Map<string, number> {
    return new Map([...terms].map((term) => [term, this.#chunks.filter(({ counts }) => counts.has(term)).length]));
  }

  /** All chunks that a query means, best first. */
  rank(query: ShardQuery, options: ModelOptions): ModelHit[] {
    const score = scorerOf(query, options);
    return (
      this.#chunks
        .filter((chunk) => isAllowed(chunk, options) && hasWords(chunk, options) && matches(chunk, query))
        .map((chunk) => ({ chunk, score: score(chunk) }))
        // Sorting is stable: equal scores stay in the order of names.
        .sort((a, b) => b.score - a.score)
        .map(({ score, chunk: { shard, chunk, document, ordinal, uri } }) => {
          return { score, shard, chunk, document, ordinal, uri };
        })
    );
  }
}

/** The k best hits, or the best of each of the k best documents. */
export function cutHits(hits: readonly ModelHit[], k: number, by: 'chunk' | 'document'): ModelHit[] {
  const seen = new Set<string>();
  const isFirst = ({ shard, document }: ModelHit): boolean => {
    const key = `${shard}/${document}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  };
  return (by === 'chunk' ? hits : hits.filter(isFirst)).slice(0, k);
}

/** What one shard says of its hits. */
export function inShard(hits: readonly ModelHit[]): Pick<ModelHit, 'score' | 'chunk' | 'document' | 'ordinal'>[] {
  return hits.map(({ score, chunk, document, ordinal }) => ({ score, chunk, document, ordinal }));
}

function chunksOf(reader: ShardReader): ModelChunk[] {
  return [...reader.documents()].flatMap(({ id, title, uri, collection, kind, chunkCount }) =>
    Array.from({ length: chunkCount }, (_, index): ModelChunk => {
      const chunk = (id + index) as ChunkId;
      const { heading, body } = reader.chunk(chunk);
      const texts = [title, heading.join('\n'), body];
      const counts = new Map<string, Counts>();
      let length = 0;
      for (const [column, text] of texts.entries()) {
        if (text === '') continue;
        analyzer.visitTerms(text, undefined, (term) => {
          const known = counts.get(term) ?? [0, 0, 0];
          known[column]!++;
          counts.set(term, known);
          length++;
        });
      }
      return {
        shard: reader.meta.id,
        chunk,
        document: id,
        ordinal: index + 1,
        uri,
        collection,
        kind,
        length,
        counts,
        texts,
      };
    }),
  );
}

function isAllowed(
  { shard, document, uri, kind, collection }: ModelChunk,
  { filter, allows, dead }: ModelOptions,
): boolean {
  if (dead?.get(shard)?.has(document) || allows?.(uri) === false) return false;
  return meetsAttributes({ kind, collection }, filter);
}

/** Every hit has a term for each beginning, or what it begins with as a token; and nothing of what is excluded. */
function hasWords({ counts, texts }: ModelChunk, { words }: ModelOptions): boolean {
  if (!words) return true;
  const has = (alternatives: readonly (readonly string[])[]): boolean =>
    alternatives.some((terms) => terms.every((term) => counts.has(term)));
  const terms = [...counts.keys()];
  return (
    words.beginnings.every(
      ({ texts, alternatives }) =>
        terms.some((term) => texts.some((text) => term.startsWith(text))) || has(alternatives),
    ) &&
    !words.withoutTokens.some(has) &&
    !words.withoutPhrases.some((phrase) => hasPhrase(texts, phrase))
  );
}

function hasPhrase(texts: readonly string[], phrase: Phrase): boolean {
  const fields = texts.map((text) => ` ${analyzer.mainTerms(text).join(' ')} `);
  return phrase.some((sequence) => fields.some((terms) => terms.includes(` ${sequence.join(' ')} `)));
}

/** Every hit has all phrases; in mode `and` every token too, in mode `or` any term of any token, if there are tokens. */
function matches({ counts, texts }: ModelChunk, { mode, tokens, phrases }: ShardQuery): boolean {
  const hasAll = (terms: readonly string[]): boolean => terms.every((term) => counts.has(term));
  if (!phrases.every((phrase) => hasPhrase(texts, phrase))) return false;
  if (mode === 'and') return tokens.every((alternatives) => alternatives.some(hasAll));
  return tokens.length === 0 || tokens.flat(2).some((term) => counts.has(term));
}

function scorerOf(
  { tokens, phrases }: ShardQuery,
  { scoring, frequencies }: ModelOptions,
): (chunk: ModelChunk) => number {
  const { k1, b, idf, columnUnits, chunks } = scoring;
  const average = scoring.tokens > 0 ? scoring.tokens / chunks : 1;
  const weights = [...new Set([...tokens.flat(2), ...phrases.flat(2)])].flatMap((term): [string, number][] => {
    const df = frequencies.get(term) ?? 0;
    const odds = (chunks - df + 0.5) / (df + 0.5);
    const rarity = idf === 'lucene' ? Math.log1p(odds) : Math.max(1e-6, Math.log(odds));
    return df === 0 ? [] : [[term, rarity * (k1 + 1)]];
  });
  return ({ counts, length }) => {
    const norm = columnUnits[2] * k1 * (1 - b + (b * length) / average);
    let score = 0;
    for (const [term, weight] of weights) {
      const found = counts.get(term);
      if (found === undefined) continue;
      const units = found.reduce((sum, count, column) => sum + count * columnUnits[column]!, 0);
      score += roundUp(weight * (units / (units + norm)));
    }
    return score;
  };
}

const quantum = 2 ** -36;

/** The nearest multiple of a quantum and one more; half-way an odd one, since the one more is added before rounding. */
function roundUp(value: number): number {
  const quanta = value / quantum;
  const below = Math.floor(quanta);
  const rest = quanta - below;
  const isUp = rest > 0.5 || (rest === 0.5 && below % 2 === 0);
  return (below + (isUp ? 1 : 0) + 1) * quantum;
}

/** By uri, collection, ordinal and shard; names by UTF-16 units. */
function compareNames(a: ModelChunk, b: ModelChunk): number {
  return (
    compareTexts(a.uri, b.uri) ||
    compareTexts(a.collection, b.collection) ||
    a.ordinal - b.ordinal ||
    compareTexts(a.shard, b.shard)
  );
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
