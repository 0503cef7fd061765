/**
 * How queries and ranked hits travel between threads: as a few arrays of numbers, since cloning many small objects would
 * take longer than most queries do.
 *
 *   queries  := query{count}
 *   query    := list lists lists list list
 *   lists    := count choice{count}
 *   choice   := count list{count}
 *   list     := count number{count}
 *
 * A query is its terms, choices, phrases, what is required and what is optional; one without terms stands for one that can have no
 * hit.
 */
import type { ChunkId, DocumentId, PreparedQuery, TermTable } from '../shards/index.ts';
import type { RankedHit } from './protocol.ts';

const impossible: PreparedQuery = { terms: [], required: [], choices: [], optional: [], phrases: [] };

/** Queries as they travel, with their terms. */
export interface PackedQueries {
  /** the terms of all queries, separated by spaces */
  readonly terms: string;
  /** chunks of the corpus per term */
  readonly frequencies: Float64Array;
  readonly queries: Int32Array;
}

/** Packs queries and their terms; null is a query that can have no hit. */
export function packGroup(
  queries: readonly (PreparedQuery | null)[],
  { terms, frequencies }: TermTable,
): PackedQueries {
  return { queries: packQueries(queries), terms: terms.join(' '), frequencies };
}

/** Unpacks what {@link packGroup} made. */
export function unpackGroup({ queries, terms, frequencies }: PackedQueries): {
  readonly queries: PreparedQuery[];
  readonly table: TermTable;
} {
  return { queries: unpackQueries(queries), table: { terms: terms.split(' '), frequencies } };
}

/** Packs queries; null is one that can have no hit. */
export function packQueries(queries: readonly (PreparedQuery | null)[]): Int32Array {
  const numbers: number[] = [];
  const list = (places: readonly number[]): void => {
    numbers.push(places.length);
    for (const place of places) numbers.push(place);
  };
  const lists = (all: readonly (readonly number[])[]): void => {
    numbers.push(all.length);
    all.forEach(list);
  };
  for (const query of queries) {
    const { terms, required, choices, optional, phrases } = query ?? impossible;
    list(terms);
    for (const all of [choices, phrases]) {
      numbers.push(all.length);
      all.forEach(lists);
    }
    list(required);
    list(optional);
  }
  return Int32Array.from(numbers);
}

/** Unpacks what {@link packQueries} made. */
export function unpackQueries(numbers: Int32Array): PreparedQuery[] {
  let at = 0;
  const list = (): number[] => {
    const places: number[] = new Array(numbers[at++]!);
    for (let index = 0; index < places.length; index++) places[index] = numbers[at++]!;
    return places;
  };
  const many = <Item>(item: () => Item): Item[] => {
    const items: Item[] = [];
    for (let count = numbers[at++]!; count > 0; count--) items.push(item());
    return items;
  };
  const queries: PreparedQuery[] = [];
  while (at < numbers.length) {
    const terms = list();
    const choices = many(() => many(list));
    const phrases = many(() => many(list));
    queries.push({ terms, choices, phrases, required: list(), optional: list() });
  }
  return queries;
}

/** Ranked hits of some queries as parallel arrays. */
export interface PackedHits {
  /** hits of each query */
  readonly counts: Int32Array;
  readonly scores: Float64Array;
  /** per hit four numbers: index in `shards`, document, chunk, index in `collections` */
  readonly places: Int32Array;
  readonly shards: readonly string[];
  readonly collections: readonly string[];
  /** uris with a NUL behind each: no uri has one */
  readonly uris: string;
}

/** Packs hits of some queries. */
export function packHits(hits: readonly (readonly RankedHit[])[]): PackedHits {
  const total = hits.reduce((sum, list) => sum + list.length, 0);
  const counts = new Int32Array(hits.length);
  const scores = new Float64Array(total);
  const places = new Int32Array(4 * total);
  const shards = new Map<string, number>();
  const collections = new Map<string, number>();
  let uris = '';
  let at = 0;
  for (const [query, list] of hits.entries()) {
    counts[query] = list.length;
    for (const { score, shard, document, chunk, uri, collection } of list) {
      scores[at] = score;
      places[4 * at] = indexIn(shards, shard);
      places[4 * at + 1] = document;
      places[4 * at + 2] = chunk;
      places[4 * at + 3] = indexIn(collections, collection);
      uris += `${uri}\0`;
      at++;
    }
  }
  return { counts, scores, places, shards: [...shards.keys()], collections: [...collections.keys()], uris };
}

/** Number of a text, a new one if it has none yet. */
function indexIn(numbers: Map<string, number>, text: string): number {
  const known = numbers.get(text);
  if (known !== undefined) return known;
  numbers.set(text, numbers.size);
  return numbers.size - 1;
}

/** Unpacks what {@link packHits} made. */
export function unpackHits({ counts, scores, places, shards, collections, uris }: PackedHits): RankedHit[][] {
  const uriOf = uris.split('\0');
  const hits: RankedHit[][] = [];
  let at = 0;
  for (const count of counts) {
    const list: RankedHit[] = [];
    for (const end = at + count; at < end; at++) {
      const shard = shards[places[4 * at]!]!;
      const document = places[4 * at + 1]! as DocumentId;
      const chunk = places[4 * at + 2]! as ChunkId;
      const collection = collections[places[4 * at + 3]!]!;
      const ordinal = chunk - document + 1;
      list.push({ score: scores[at]!, chunk, document, ordinal, shard, uri: uriOf[at]!, collection });
    }
    hits.push(list);
  }
  return hits;
}
