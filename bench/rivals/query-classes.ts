import { randomFrom, type ZipfVocabulary } from '../zipf.ts';
import { type PlannedToken, planTokens, type QueryMode, termsOfText } from './shelfmark-driver.ts';

/** A query as every engine gets it: Shelfmark its text, the others its terms. */
export interface RivalQuery {
  readonly class: string;
  readonly mode: QueryMode;
  /** distinct; for `and`, each is a word of its own */
  readonly terms: readonly string[];
  /** a text whose words, planned with `any` for `or` and `all` for `and`, have just these terms */
  readonly text: string;
}

const queriesPerClass = 50;

/** Document frequencies of each Zipf class in a corpus of {@link bandedDocuments}; they grow with the corpus. */
const bands = {
  low: [50, 500],
  mid: [500, 5_000],
  high: [5_000, 40_000],
  'very-high': [20_000, 200_000],
  mixed: [50, 300_000],
} as const;

const bandedDocuments = 500_000;

/** Real questions in three forms; a question that a form cannot be made of is left out of it. */
export function questionClasses(questions: readonly string[]): RivalQuery[] {
  return questions.flatMap((question) => {
    const all = planTokens(question, 'all');
    const longest = planTokens(question, 'five-longest');
    const words = all.filter(({ alternatives }) => alternatives.length === 1 && alternatives[0]!.length === 1);
    const two = [...words].sort((a, b) => b.text.length - a.text.length).slice(0, 2);
    return [
      queryOf('questions-any', 'or', question, all),
      queryOf('questions-five-longest', 'or', textOf(longest), longest),
      ...(two.length === 2 ? [queryOf('questions-and-2', 'and', textOf(two), two)] : []),
    ].filter((query) => query !== null);
  });
}

/**
 * Fifty queries a class of words by document frequency: five words with OR, two with AND. In `mixed`, a word is drawn with
 * the square root of its frequency as weight.
 * @param frequencies documents per term
 */
export function zipfClasses(
  vocabulary: ZipfVocabulary,
  frequencies: ReadonlyMap<string, number>,
  documents: number,
): RivalQuery[] {
  const scale = documents / bandedDocuments;
  const words = plainWords(vocabulary, frequencies, bands.low[0] * scale);
  const random = randomFrom(11);
  return Object.entries(bands).flatMap(([name, [from, to]]) => {
    const band = words.filter(({ frequency }) => frequency >= from * scale && frequency < to * scale);
    const draw = drawer(band, name === 'mixed' ? ({ frequency }) => Math.sqrt(frequency) : () => 1, random);
    const queries: RivalQuery[] = [];
    for (const [form, mode, length] of [
      ['or-5', 'or', 5],
      ['and-2', 'and', 2],
    ] as const) {
      for (let attempts = 0, found = 0; found < queriesPerClass && attempts < 10 * queriesPerClass; attempts++) {
        const text = distinct(draw, length).join(' ');
        const query = queryOf(`${name}-${form}`, mode, text, planTokens(text, 'all'));
        if (query === null || query.terms.length !== length) continue;
        queries.push(query);
        found++;
      }
    }
    return queries;
  });
}

interface PlainWord {
  readonly word: string;
  readonly frequency: number;
}

/** Words that occur often enough and that have one term only; of words with the same term the first. */
function plainWords(
  vocabulary: ZipfVocabulary,
  frequencies: ReadonlyMap<string, number>,
  leastFrequency: number,
): PlainWord[] {
  const seen = new Set<string>();
  return vocabulary.words.flatMap((word) => {
    const term = termsOfText(Buffer.from(word)).toString();
    const frequency = frequencies.get(term) ?? 0;
    if (frequency < Math.max(2, leastFrequency) || seen.has(term)) return [];
    seen.add(term);
    return [{ word, frequency }];
  });
}

function drawer(words: readonly PlainWord[], weight: (word: PlainWord) => number, random: () => number): () => string {
  let total = 0;
  const cumulative = words.map((word) => {
    total += weight(word);
    return total;
  });
  return () => {
    const target = random() * total;
    const index = cumulative.findIndex((sum) => sum > target);
    return words[index]?.word ?? '';
  };
}

function distinct(draw: () => string, count: number): string[] {
  const words = new Set<string>();
  for (let attempts = 0; words.size < count && attempts < 100; attempts++) words.add(draw());
  return [...words];
}

/** Null when the text, planned again, would not ask for the terms of these tokens. */
function queryOf(name: string, mode: QueryMode, text: string, tokens: readonly PlannedToken[]): RivalQuery | null {
  const terms = termsOf(tokens);
  const isSame = termsOf(planTokens(text, 'all')).join(' ') === terms.join(' ');
  return terms.length === 0 || !isSame ? null : { class: name, mode, terms, text: text.replace(/\s+/g, ' ') };
}

function termsOf(tokens: readonly PlannedToken[]): string[] {
  return [...new Set(tokens.flatMap(({ alternatives }) => alternatives.flat()))];
}

function textOf(tokens: readonly PlannedToken[]): string {
  return tokens.map(({ text }) => text).join(' ');
}

/** One query a line: class, mode, terms, text; separated by tabs. */
export function encodeQueries(queries: readonly RivalQuery[]): string {
  return queries
    .map(({ class: name, mode, terms, text }) => `${name}\t${mode}\t${terms.join(' ')}\t${text}\n`)
    .join('');
}

/** Reads what {@link encodeQueries} wrote. */
export function decodeQueries(lines: string): RivalQuery[] {
  return lines
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [name, mode, terms, text] = line.split('\t') as [string, QueryMode, string, string];
      return { class: name, mode, terms: terms.split(' '), text };
    });
}
