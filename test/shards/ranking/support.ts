import {
  DEFAULT_SCORING,
  NO_FILTER,
  newFloors,
  noWork,
  prepareQuery,
  type RankedChunk,
  type RankOptions,
  rankShard,
  type Scoring,
  type ShardQuery,
  type ShardReader,
  SharedFloor,
  termsOf,
  weighTerms,
} from '../../../shards/index.ts';
import { analyzer } from '../support.ts';

/** A query as the analyzer makes it. */
export function ask(text: string, mode: ShardQuery['mode'] = 'and', phrases: readonly string[] = []): ShardQuery {
  return {
    mode,
    tokens: analyzer.queryTokens(text).map(({ alternatives }) => alternatives),
    phrases: phrases.map((phrase) => [analyzer.mainTerms(phrase)]),
  };
}

/** Scoring as if one shard were the whole corpus, with the column units of its lists. */
export function scoringOf({ meta }: ShardReader, changes: Partial<Scoring> = {}): Scoring {
  const { columnUnits, chunks, terms } = meta;
  return { ...DEFAULT_SCORING, columnUnits, chunks, tokens: terms, ...changes };
}

/** Options of a ranking, and in how many chunks of the corpus the terms are. */
export interface RankChanges extends Partial<RankOptions> {
  readonly frequencies?: ReadonlyMap<string, number>;
}

/** A floor that is so high, or a little less. */
export function floorAt(score: number): SharedFloor {
  const floor = new SharedFloor(newFloors(1), 0);
  floor.raise(score);
  return floor;
}

/** Ranks one shard as if it were the whole corpus: the ten best chunks unless told otherwise. */
export function rank(reader: ShardReader, query: ShardQuery, changes: RankChanges = {}): RankedChunk[] {
  const { scoring = scoringOf(reader), frequencies = frequenciesIn(reader, query, scoring), ...options } = changes;
  const terms = termsOf(query);
  const counts = Float64Array.from(terms, (term) => frequencies.get(term) ?? 0);
  const prepared = prepareQuery(query, new Map(terms.map((term, number) => [term, number])), counts);
  if (prepared === null) return [];
  return rankShard(reader, prepared, weighTerms({ terms, frequencies: counts }, scoring), {
    k: 10,
    by: 'chunk',
    filter: NO_FILTER,
    words: null,
    documents: null,
    scoring,
    floor: floorAt(0),
    work: noWork(),
    check: () => {},
    ...options,
  });
}

function frequenciesIn({ index }: ShardReader, query: ShardQuery, { columnUnits }: Scoring): Map<string, number> {
  return new Map(termsOf(query).map((term) => [term, index.postings(term, columnUnits, noWork())?.df ?? 0]));
}

/** Hits as `uri/ordinal`, in their order. */
export function placesOf(reader: ShardReader, hits: readonly RankedChunk[]): string[] {
  return hits.map(({ chunk, ordinal }) => `${reader.documentOfChunk(chunk).uri}/${ordinal}`);
}
