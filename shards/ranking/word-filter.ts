import type { ChunkId } from '../format.ts';
import type { ShardReader } from '../shard-reader.ts';
import type { TokenAlternatives } from '../snippet.ts';
import { type ChunkFilter, toFilter } from './context.ts';
import { hasAnyPhrase, phraseExpression } from './phrase.ts';
import type { Phrase } from './prepared-query.ts';
import type { RankOptions } from './rank-shard.ts';

/** Words that say which chunks may be hits and add nothing to a score. */
export interface WordFilter {
  /** of each a hit has a word: one whose term begins in one of these ways, or the token itself */
  readonly beginnings: readonly { readonly texts: readonly string[]; readonly alternatives: TokenAlternatives }[];
  /** tokens of which a hit has none */
  readonly withoutTokens: readonly TokenAlternatives[];
  /** phrases of which a hit has none */
  readonly withoutPhrases: readonly Phrase[];
}

/** The last filter made for a shard; the questions of a batch all have the same. */
const made = new WeakMap<
  ShardReader,
  { readonly key: string; readonly base: ChunkFilter | null; readonly filter: ChunkFilter }
>();

/**
 * What a filter leaves when words decide too. A chunk where FTS5 finds an excluded phrase is let through when its text has
 * it not; whether a chunk that is let through has the phrase all the same is for the caller to look up.
 * @param base null: every chunk
 */
export function filterByWords(
  reader: ShardReader,
  base: ChunkFilter | null,
  words: WordFilter,
  options: Pick<RankOptions, 'scoring' | 'work' | 'check'>,
): ChunkFilter {
  const key = JSON.stringify(words);
  const known = made.get(reader);
  if (known?.key === key && known.base === base) return known.filter;
  const bitmap = base === null ? new Uint8Array(reader.meta.chunks + 1).fill(1, 1) : base.bitmap.slice();
  for (const beginning of words.beginnings) keepBeginning(reader, bitmap, beginning, options);
  for (const token of words.withoutTokens) {
    markToken(reader, token, options, (chunk) => {
      bitmap[chunk] = 0;
    });
  }
  for (const phrase of words.withoutPhrases) {
    for (const chunk of reader.matches(phraseExpression([phrase]))) {
      options.check();
      if (bitmap[chunk] === 1 && hasAnyPhrase(reader, chunk, [phrase])) bitmap[chunk] = 0;
    }
  }
  const filter = toFilter(bitmap);
  made.set(reader, { key, base, filter });
  return filter;
}

/** Whether a chunk is one that words let through, by its text alone. */
export function hasWords(reader: ShardReader, chunk: ChunkId, words: WordFilter): boolean {
  const terms = new Set<string>();
  const { texts, analyzer } = reader.columns(chunk);
  for (const text of texts) analyzer.visitTerms(text, undefined, (term) => terms.add(term));
  const has = (alternatives: TokenAlternatives): boolean =>
    alternatives.some((all) => all.every((term) => terms.has(term)));
  const begins = (beginning: string): boolean => [...terms].some((term) => term.startsWith(beginning));
  return (
    words.beginnings.every(({ texts: ways, alternatives }) => ways.some(begins) || has(alternatives)) &&
    !words.withoutTokens.some(has) &&
    !hasAnyPhrase(reader, chunk, words.withoutPhrases)
  );
}

function keepBeginning(
  reader: ShardReader,
  bitmap: Uint8Array,
  { texts, alternatives }: WordFilter['beginnings'][number],
  options: Pick<RankOptions, 'scoring' | 'work' | 'check'>,
): void {
  const marks = new Uint8Array(bitmap.length);
  const mark = (chunk: number): void => {
    marks[chunk] = 1;
  };
  for (const text of texts) reader.index.markBeginning(text, mark, options.work, options.check);
  markToken(reader, alternatives, options, mark);
  for (let chunk = 1; chunk < bitmap.length; chunk++) bitmap[chunk]! &= marks[chunk]!;
}

/** Marks the chunks that have all terms of any one alternative. */
function markToken(
  { index }: ShardReader,
  alternatives: TokenAlternatives,
  { scoring, work, check }: Pick<RankOptions, 'scoring' | 'work' | 'check'>,
  mark: (chunk: number) => void,
): void {
  for (const all of alternatives) {
    const terms = [...new Set(all)].map((term) => index.postings(term, scoring.columnUnits, work));
    const counts = new Uint16Array(index.chunks + 1);
    for (const postings of terms) {
      check();
      postings?.visit((chunk) => {
        if (++counts[chunk]! === terms.length) mark(chunk);
      });
    }
  }
}
