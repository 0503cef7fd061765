import { readFileSync } from 'node:fs';
import { type QueryToken, ShelfmarkError } from '../../shards/index.ts';
import type { QueryAnalyzer } from './query-analyzer.ts';

/** Where a query has one of `words`, all of `add` are searched for too. An entry may have several words. */
export interface SynonymRule {
  readonly words: readonly string[];
  readonly add: readonly string[];
}

/**
 * Reads a file of synonyms, one rule a line: `car, automobile, motor car` (each stands for all), or `nyc => new york city`
 * (one way). Blank lines and lines that begin with `#` say nothing.
 * @throws ShelfmarkError SHELFMARK_NOT_FOUND, SHELFMARK_IO; SHELFMARK_USAGE with file and line of what is no rule.
 */
export function readSynonyms(file: string): SynonymRule[] {
  const lines = readText(file).split(/\r?\n/);
  return lines.flatMap((line, index) => {
    const text = line.trim();
    return text === '' || text.startsWith('#') ? [] : [parseRule(text, `${file}:${index + 1}`)];
  });
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/^\ufeff/, '');
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const code = isMissing ? 'SHELFMARK_NOT_FOUND' : 'SHELFMARK_IO';
    throw new ShelfmarkError(code, `${file} cannot be read: ${(error as Error).message}.`, { file }, error);
  }
}

function parseRule(text: string, place: string): SynonymRule {
  const sides = text.split('=>').map((side) => parseEntries(side, place));
  const [words, add] = sides;
  if (sides.length > 2) throw noRule(place, '"=>" comes more than once');
  if (add !== undefined) return { words: words!, add };
  if (words!.length < 2) throw noRule(place, 'a group needs two entries or more, with commas between them');
  return { words: words!, add: words! };
}

function parseEntries(side: string, place: string): string[] {
  const entries = side.split(',').map((entry) => entry.trim());
  const wordless = entries.find((entry) => !/[\p{L}\p{N}]/u.test(entry));
  if (wordless !== undefined) throw noRule(place, `"${wordless}" is no word: it needs a letter or a digit`);
  return entries;
}

function noRule(place: string, why: string): ShelfmarkError {
  const message = `${place}: ${why}. Expected "car, automobile" or "nyc => new york city".`;
  return new ShelfmarkError('SHELFMARK_USAGE', message, { place });
}

/** A rule's words as terms, and what it adds. */
interface Entry {
  readonly terms: readonly string[];
  readonly add: readonly string[];
}

/** Rules ready for many queries: words are compared as terms, so that case, accents and endings do not count. */
export class Synonyms {
  readonly #analyzer: QueryAnalyzer;
  /** by their first term */
  readonly #entries = new Map<string, Entry[]>();

  constructor(analyzer: QueryAnalyzer, rules: readonly SynonymRule[]) {
    this.#analyzer = analyzer;
    for (const { words, add } of rules) {
      for (const terms of words.flatMap((entry) => analyzer.phrase(entry))) {
        const [first] = terms;
        if (first === undefined) continue;
        const known = this.#entries.get(first) ?? [];
        known.push({ terms, add });
        this.#entries.set(first, known);
      }
    }
  }

  /** What the rules add to a query: their content words, in the order of the query, then of the rules. */
  tokensFor(text: string): QueryToken[] {
    if (this.#entries.size === 0) return [];
    const added = this.#analyzer.phrase(text).flatMap((terms) =>
      terms.flatMap((term, start) => {
        const entries = this.#entries.get(term) ?? [];
        return entries.flatMap(({ terms: words, add }) =>
          words.every((word, index) => terms[start + index] === word) ? add : [],
        );
      }),
    );
    return [...new Set(added)].flatMap((words) => this.#analyzer.contentTokens(words));
  }
}
