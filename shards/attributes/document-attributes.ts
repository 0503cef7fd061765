import { mentionedPaths, withoutDot } from './mentioned-paths.ts';

/** What a document's attributes are made from. */
export interface AttributedDocument {
  readonly kind: string;
  readonly collection: string;
  readonly fileType: string;
  readonly label: string;
  /** JSON text of an object, or null */
  readonly metadata: string | null;
  readonly text: string;
}

/** Names of attributes that are not keys of the metadata. */
export const ATTRIBUTES = {
  kind: 'kind',
  collection: 'collection',
  fileType: 'file_type',
  label: 'label',
  topic: 'topic',
  mention: 'mention',
} as const;

/** Begins the names of attributes that are keys of the metadata. */
export const METADATA_PREFIX = 'metadata.';

/** Keys of the metadata whose values are topics. */
const topicKeys: ReadonlySet<string> = new Set(['topic', 'topics', 'tag', 'tags', 'keyword', 'keywords']);

const mentionKeys: ReadonlySet<string> = new Set(['mention', 'mentions']);

/** Objects inside objects are followed so deep; what is deeper cannot be filtered by. */
const maxDepth = 16;

/**
 * Gives the attributes of a document: what it can be filtered by. One name can have several values, and one value can come
 * several times.
 *
 * - `kind`, `collection`, `file_type` and `label`, one value each;
 * - `metadata.KEY` for every text, number and truth value of the metadata, as text; keys inside objects are joined by dots,
 *   and each member of a list is a value;
 * - `topic`: the values of the metadata's `topic`, `topics`, `tag`, `tags`, `keyword` and `keywords`; a text that is no
 *   member of a list is cut at commas;
 * - `mention`: the values of the metadata's `mention` and `mentions`, and the file paths in the text ({@link mentionedPaths}).
 */
export function visitAttributes(document: AttributedDocument, visit: (name: string, value: string) => void): void {
  visit(ATTRIBUTES.kind, document.kind);
  visit(ATTRIBUTES.collection, document.collection);
  visit(ATTRIBUTES.fileType, document.fileType);
  visit(ATTRIBUTES.label, document.label);
  if (document.metadata !== null) visitMetadata(JSON.parse(document.metadata), visit);
  for (const path of mentionedPaths(document.text)) visit(ATTRIBUTES.mention, path);
}

function visitMetadata(metadata: unknown, visit: (name: string, value: string) => void): void {
  visitLeaves(metadata, '', 0, (key, value, isMember) => {
    visit(METADATA_PREFIX + key.toWellFormed(), value);
    if (topicKeys.has(key)) for (const topic of isMember ? [value] : value.split(',')) visitTopic(topic, visit);
    if (mentionKeys.has(key)) visit(ATTRIBUTES.mention, withoutDot(value));
  });
}

function visitTopic(topic: string, visit: (name: string, value: string) => void): void {
  const trimmed = topic.trim();
  if (trimmed !== '') visit(ATTRIBUTES.topic, trimmed);
}

/** Visits every scalar of a JSON value but null. */
function visitLeaves(
  value: unknown,
  key: string,
  depth: number,
  visit: (key: string, value: string, isMember: boolean) => void,
  isMember = false,
): void {
  if (typeof value === 'string') visit(key, value.toWellFormed(), isMember);
  else if (typeof value === 'number' || typeof value === 'boolean') visit(key, String(value), isMember);
  else if (value === null || depth === maxDepth) return;
  else if (Array.isArray(value)) for (const member of value) visitLeaves(member, key, depth + 1, visit, true);
  else {
    for (const [inner, member] of Object.entries(value as object)) {
      visitLeaves(member, key === '' ? inner : `${key}.${inner}`, depth + 1, visit, isMember);
    }
  }
}
