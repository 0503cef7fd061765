import type { Options } from 'yargs';
import { readTime, type SearchOptions } from '../search/options.ts';
import { readSynonyms } from '../search/synonyms.ts';
import type { Typed } from './command.ts';
import { embedderFlags, embedderPlace } from './embedder-flags.ts';
import { given } from './given.ts';
import { parseInteger, parseNumber } from './parse-number.ts';
import { usageError } from './usage-error.ts';

/** Flags that say what to find, for `search` and `batch`. */
export const searchFlags = {
  limit: { type: 'string', alias: 'n', requiresArg: true, describe: 'Hits wanted, 1 to 10,000' },
  match: {
    choices: ['strict', 'any', 'all', 'scan'] as const,
    requiresArg: true,
    default: 'strict' as const,
    describe: 'strict: every word, else any of five; all: every word; any: any word; scan: the very text',
  },
  'ignore-case': { type: 'boolean', describe: 'With --match scan: upper and lower case are the same' },
  fallback: {
    choices: ['longest', 'rarest'] as const,
    requiresArg: true,
    default: 'longest' as const,
    describe: 'Which five words strict falls back on',
  },
  fill: { type: 'boolean', describe: 'Where strict has fewer hits than wanted, fill up from its next step' },
  retriever: {
    choices: ['lexical', 'vector', 'hybrid'] as const,
    requiresArg: true,
    default: 'lexical' as const,
    describe: 'lexical: by words; vector: by embeddings, see embed; hybrid: both lists joined',
  },
  ...embedderFlags,
  model: { ...embedderFlags.model, describe: "Which model's vectors, when the corpus has those of several" },
  also: {
    type: 'string',
    array: true,
    requiresArg: true,
    describe: 'More words for the "any" steps, such as synonyms; takes all words up to the next option',
  },
  synonyms: {
    type: 'string',
    requiresArg: true,
    describe: 'File of words to add to the "any" steps: "car, automobile" or "nyc => new york city" a line',
  },
  phrase: listFlag('Words that every hit must have next to each other, in this order; may be repeated'),
  prefix: listFlag('Beginning of a word that every hit must have; may be repeated'),
  not: listFlag('Word, or words next to each other, that no hit may have; may be repeated'),
  k1: { type: 'string', requiresArg: true, defaultDescription: '0.9', describe: "BM25's k1, 0 to 3" },
  b: { type: 'string', requiresArg: true, defaultDescription: '0.4', describe: "BM25's b, 0 to 1" },
  by: {
    choices: ['document', 'chunk'] as const,
    requiresArg: true,
    default: 'document' as const,
    describe: 'One hit a document, or one a passage',
  },
  evidence: {
    type: 'string',
    requiresArg: true,
    defaultDescription: '0',
    describe: 'By document: the best passages of each, up to so many (0 to 100)',
  },
  kind: listFlag('Only documents of this kind; may be repeated'),
  collection: listFlag('Only documents of this collection; may be repeated'),
  'path-prefix': listFlag('Only documents whose uri begins so; may be repeated'),
  'file-type': listFlag('Only documents of this file type, such as md; may be repeated'),
  'modified-since': {
    type: 'string',
    requiresArg: true,
    describe: 'Only documents modified then or later: date or time',
  },
  'modified-before': { type: 'string', requiresArg: true, describe: 'Only documents modified before: date or time' },
  label: listFlag('Only documents with this label; may be repeated'),
  topic: listFlag('Only documents on this topic; may be repeated'),
  mentions: listFlag('Only documents that mention this path; may be repeated'),
  where: listFlag('Only documents with this metadata, as key=value; may be repeated: one key is or, several are and'),
  text: { type: 'boolean', describe: 'The whole passage of each hit too' },
} as const satisfies Record<string, Options>;

function listFlag(describe: string) {
  return {
    type: 'string',
    array: true,
    nargs: 1,
    describe,
  } as const satisfies Options;
}

/** The options the library takes, from what was typed. @throws ShelfmarkError SHELFMARK_USAGE; for a file of synonyms also _NOT_FOUND or _IO. */
export function toSearchOptions(typed: Typed<typeof searchFlags>, defaultLimit: number): SearchOptions {
  return {
    limit: typed.limit === undefined ? defaultLimit : parseInteger('--limit', typed.limit, 1, 10_000),
    match: typed.match,
    ignoreCase: typed.ignoreCase ?? false,
    fallback: typed.fallback,
    fill: typed.fill ?? false,
    ...retrieverOf(typed),
    also: typed.also ?? [],
    ...given({ synonyms: typed.synonyms === undefined ? undefined : readSynonyms(typed.synonyms) }),
    phrases: typed.phrase ?? [],
    prefixes: typed.prefix ?? [],
    not: typed.not ?? [],
    ...given({ k1: parseUpTo('--k1', typed.k1, 3), b: parseUpTo('--b', typed.b, 1) }),
    by: typed.by,
    ...given({
      evidence: typed.evidence === undefined ? undefined : parseInteger('--evidence', typed.evidence, 0, 100),
    }),
    kinds: typed.kind ?? [],
    collections: typed.collection ?? [],
    pathPrefixes: typed.pathPrefix ?? [],
    fileTypes: typed.fileType ?? [],
    ...given({
      modifiedSince: readTime('--modified-since', typed.modifiedSince) ?? undefined,
      modifiedBefore: readTime('--modified-before', typed.modifiedBefore) ?? undefined,
    }),
    labels: typed.label ?? [],
    topics: typed.topic ?? [],
    mentions: typed.mentions ?? [],
    where: parseWhere(typed.where ?? []),
    text: typed.text ?? false,
  };
}

function retrieverOf({ retriever, embedder, model }: Typed<typeof searchFlags>): SearchOptions {
  if (retriever === 'lexical') return {};
  return { retriever, ...given({ embedder: embedderPlace(embedder), model }) };
}

/** Reads conditions on metadata: everything up to the first `=` is the key. */
function parseWhere(conditions: readonly string[]): Record<string, string[]> {
  const where = new Map<string, string[]>();
  for (const condition of conditions) {
    const [, key, value] = /^([^=]+)=(.*)$/s.exec(condition) ?? [];
    if (key === undefined || value === undefined) throw usageError(`--where: expected key=value, got "${condition}".`);
    where.set(key, [...(where.get(key) ?? []), value]);
  }
  return Object.fromEntries(where);
}

function parseUpTo(option: string, text: string | undefined, most: number): number | undefined {
  return text === undefined ? undefined : parseNumber(option, text, most);
}
