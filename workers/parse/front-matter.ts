import { defineScalarTag, FAILSAFE_SCHEMA, load, NOT_RESOLVED } from 'js-yaml';
import { normalizeAmericanDate, normalizeTimestamp } from './timestamp.ts';
import { storableText } from './well-formed.ts';

/** What the YAML block at the start of a Markdown text says, and where the block ends. */
export interface FrontMatter {
  /** Offset behind the closing line; 0 when the text has no front matter. */
  readonly end: number;
  readonly title: string | null;
  readonly kind: string | null;
  readonly collection: string | null;
  readonly modifiedAt: string | null;
  /** The other keys whose value is a scalar or a list of scalars. */
  readonly metadata: ReadonlyMap<string, unknown>;
}

/** That of a text without any. */
export const NO_FRONT_MATTER: FrontMatter = {
  end: 0,
  title: null,
  kind: null,
  collection: null,
  modifiedAt: null,
  metadata: new Map(),
};

const OPENING_LINE = /^\uFEFF?---[ \t]*(?=[\r\n])/;
const CLOSING_LINE = /[\r\n](?:---|\.\.\.)[ \t]*(?:\r\n?|\n|$)/g;
/** A longer block is taken for text between two rules. */
const MAX_LENGTH = 65_536;
/** Aliases let a small text mean a huge value; front matter hardly ever has one. */
const MAX_ALIASES = 20;
const KEY_LINE = /^[ \t]*["']?[\p{L}_][\p{L}\p{N}_.\- ]*["']?[ \t]*:(?:[ \t\r\n]|$)/mu;

/** In this order: the first that can be read as a time is the document's. */
const TIME_KEYS: readonly (readonly [key: string, normalize: (value: string) => string | null])[] = [
  ['modified_at', normalizeTimestamp],
  ['lastmod', normalizeTimestamp],
  ['ms.date', (value) => normalizeAmericanDate(value) ?? normalizeTimestamp(value)],
  ['date', normalizeTimestamp],
];

/** A scalar is a string unless its text is what the value would be written as: `1.10` and `0x1F` stay as they are. */
const SCHEMA = FAILSAFE_SCHEMA.withTags(
  defineScalarTag<unknown>('tag:yaml.org,2002:null', {
    implicit: true,
    resolve: (source) => (source === '' || source === '~' || source === 'null' ? null : NOT_RESOLVED),
    identify: (value) => value === null,
  }),
  defineScalarTag<unknown>('tag:yaml.org,2002:bool', {
    implicit: true,
    resolve: (source) => (source === 'true' || source === 'false' ? source === 'true' : NOT_RESOLVED),
    identify: (value) => typeof value === 'boolean',
  }),
  defineScalarTag<unknown>('tag:yaml.org,2002:float', {
    implicit: true,
    resolve: (source) => (isExactNumber(source) ? Number(source) : NOT_RESOLVED),
    identify: (value) => typeof value === 'number',
  }),
);

/**
 * Reads the front matter a Markdown text starts with: a `---` line at its very start, YAML, and a `---` or `...` line.
 *
 * `title`, `kind` and `collection` are taken from the keys of these names. The time is that of the first of
 * `modified_at`, `lastmod`, `ms.date` (also as `11/30/2026`) and `date` that can be read; the other keys go into the
 * metadata unless they hold a mapping. Bad YAML loses what it says, not the document: a block that has `key:` lines is
 * still front matter. A block that does not is text after a horizontal rule.
 */
export function readFrontMatter(text: string): FrontMatter {
  const opening = OPENING_LINE.exec(text);
  if (opening === null) return NO_FRONT_MATTER;
  const yamlStart = opening[0].length;
  const block = text.slice(0, yamlStart + MAX_LENGTH);
  CLOSING_LINE.lastIndex = yamlStart;
  const closing = CLOSING_LINE.exec(block);
  if (closing === null) return NO_FRONT_MATTER;
  const yaml = block.slice(yamlStart, closing.index);
  const end = closing.index + closing[0].length;

  const values = parseYaml(yaml);
  if (values === null) return KEY_LINE.test(yaml) ? { ...NO_FRONT_MATTER, end } : NO_FRONT_MATTER;
  return { end, ...interpret(values) };
}

/** Gives the mapping's own keys, or null when the YAML is bad or no mapping. An empty block is an empty mapping. */
function parseYaml(yaml: string): Map<string, unknown> | null {
  if (yaml.trim() === '') return new Map();
  try {
    const value = load(yaml, { schema: SCHEMA, json: true, maxAliases: MAX_ALIASES });
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    return new Map(Object.entries(value));
  } catch {
    return null;
  }
}

function interpret(values: Map<string, unknown>): Omit<FrontMatter, 'end'> {
  const title = takeText(values, 'title');
  const kind = takeText(values, 'kind');
  const collection = takeText(values, 'collection');
  const modifiedAt = takeTime(values);
  for (const [key, value] of values) if (!isPlain(value)) values.delete(key);
  return { title, kind, collection, modifiedAt, metadata: values };
}

function takeText(values: Map<string, unknown>, key: string): string | null {
  const value = values.get(key);
  if (!isScalar(value) || value === null) return null;
  values.delete(key);
  return storableText(String(value)).trim();
}

function takeTime(values: Map<string, unknown>): string | null {
  for (const [key, normalize] of TIME_KEYS) {
    const value = values.get(key);
    const time = typeof value === 'string' ? normalize(value) : null;
    if (time === null) continue;
    values.delete(key);
    return time;
  }
  return null;
}

function isPlain(value: unknown): boolean {
  return Array.isArray(value) ? value.every(isScalar) : isScalar(value);
}

function isScalar(value: unknown): value is string | number | boolean | null {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

function isExactNumber(source: string): boolean {
  const value = Number(source);
  return Number.isFinite(value) && String(value) === source;
}
