/** What a shard is asked for: tokens already analysed, and how they combine. */
export interface ShardQuery {
  /** `and`: every token must occur. `or`: any term of any alternative, so that parts of a word count for something. */
  readonly mode: 'and' | 'or';
  /** per token its alternatives: a token occurs where all terms of any one alternative occur */
  readonly tokens: readonly (readonly (readonly string[])[])[];
  /** phrases that must all occur, in either mode */
  readonly phrases: readonly Phrase[];
}

/** A phrase in each analyzer's terms: it occurs where any one of these sequences does. */
export type Phrase = readonly (readonly string[])[];

/** The terms of some queries; a term's number is its place here. */
export interface TermTable {
  readonly terms: readonly string[];
  /** chunks of the corpus that have each term */
  readonly frequencies: Float64Array;
}

/** A query in numbers, with what is the same for every shard. */
export interface PreparedQuery {
  /** numbers of the distinct terms that the corpus has; the other fields but `phrases` give places in this list */
  readonly terms: readonly number[];
  /** terms that must occur, rarest first */
  readonly required: readonly number[];
  /** what must occur in one of several ways: of each choice any one alternative, of that all terms */
  readonly choices: readonly (readonly (readonly number[])[])[];
  /** terms that are not required: they add to the score, and where nothing is required at all they make a hit */
  readonly optional: readonly number[];
  /** numbers of the terms of each phrase, of each of its sequences that the corpus has the terms of */
  readonly phrases: readonly (readonly (readonly number[])[])[];
}

/** Visits the terms of a query; the score of a chunk is a sum over the distinct ones that it has. */
export function visitTerms({ tokens, phrases }: Omit<ShardQuery, 'mode'>, visit: (term: string) => void): void {
  for (const alternatives of tokens) for (const all of alternatives) for (const term of all) visit(term);
  for (const phrase of phrases) for (const sequence of phrase) for (const term of sequence) visit(term);
}

/** Every distinct term of a query. */
export function termsOf(query: Omit<ShardQuery, 'mode'>): string[] {
  const terms = new Set<string>();
  visitTerms(query, (term) => terms.add(term));
  return [...terms];
}

/**
 * Prepares a query. Phrases require their terms, where these stand is checked later; beside a phrase, mode `or` requires
 * any of its terms.
 * @param numberOf the number of each of the query's terms
 * @param frequencies chunks of the corpus per number
 * @returns null when no chunk of the corpus can have all that must occur
 */
export function prepareQuery(
  { mode, tokens, phrases }: ShardQuery,
  numberOf: ReadonlyMap<string, number>,
  frequencies: Float64Array,
): PreparedQuery | null {
  const terms: number[] = [];
  const placeOf = (term: string): number => {
    const number = numberOf.get(term)!;
    if (frequencies[number] === 0) return -1;
    const known = terms.indexOf(number);
    return known < 0 ? terms.push(number) - 1 : known;
  };
  const present = (ways: readonly (readonly string[])[]): number[][] =>
    ways.map((all) => all.map(placeOf)).filter((places) => !places.includes(-1));
  const clauses = tokens.map(present);
  const phrasePlaces = phrases.map(present);
  if (terms.length === 0) return null;

  const required: number[] = [];
  const require = (place: number): void => {
    if (!required.includes(place)) required.push(place);
  };
  const choices: number[][][] = [];
  for (const alternatives of mode === 'and' ? [...phrasePlaces, ...clauses] : phrasePlaces) {
    if (alternatives.length === 0) return null;
    if (alternatives.length === 1) alternatives[0]!.forEach(require);
    else choices.push(alternatives);
  }
  if (mode === 'or' && phrases.length > 0 && tokens.length > 0) {
    const any = [...new Set(tokens.flat(2).map(placeOf))].filter((place) => place >= 0);
    if (any.length === 0) return null;
    if (any.length === 1) require(any[0]!);
    else choices.push(any.map((place) => [place]));
  }
  const optional: number[] = [];
  for (let place = 0; place < terms.length; place++) if (!required.includes(place)) optional.push(place);
  required.sort((a, b) => frequencies[terms[a]!]! - frequencies[terms[b]!]!);
  const numbers = phrasePlaces.map((sequences) => sequences.map((places) => places.map((at) => terms[at]!)));
  return { terms, required, choices, optional, phrases: numbers };
}

/** Whether a query can have a hit where each term, by its number, is in that many chunks. */
export function canMatch({ terms, required, choices, optional }: PreparedQuery, counts: ArrayLike<number>): boolean {
  const occurs = (place: number): boolean => counts[terms[place]!]! > 0;
  if (!required.every(occurs)) return false;
  if (!choices.every((alternatives) => alternatives.some((all) => all.every(occurs)))) return false;
  return required.length > 0 || choices.length > 0 || optional.some(occurs);
}
