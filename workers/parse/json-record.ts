import { normalizeTimestamp } from './timestamp.ts';
import { storableText, wellFormed } from './well-formed.ts';

/** The fields of a JSON line, checked; null is for what it does not say. */
export interface JsonRecord {
  readonly ok: true;
  readonly uri: string | null;
  readonly title: string | null;
  readonly text: string;
  readonly kind: string | null;
  readonly collection: string | null;
  readonly modifiedAt: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Why a JSON line gives no document. */
export interface JsonRejection {
  readonly ok: false;
  readonly reason: string;
  readonly uri: string | null;
}

const ID_FIELDS = ['_id', 'id', 'uri'] as const;
const TEXT_FIELDS = ['text', 'contents', 'body'] as const;
const MAX_MESSAGE_LENGTH = 200;

/**
 * Reads one line of JSON Lines. A field that is null counts as absent.
 *
 * - `_id`, `id` or `uri`: the first present; a string, kept exactly, or an integer that JavaScript can hold exactly.
 * - `text`, `contents` or `body`: the first present; absent, the text is empty.
 * - `title`, `kind`, `collection`: strings.
 * - `modified_at`: what {@link normalizeTimestamp} reads. Any other value is put into the metadata as it is, under the
 *   same name, unless the record's own metadata has that name.
 * - `metadata`: an object. Other fields are not kept.
 */
export function readJsonRecord(line: string): JsonRecord | JsonRejection {
  let record: unknown;
  try {
    record = JSON.parse(line.charCodeAt(0) === 0xfeff ? line.slice(1) : line);
  } catch (error) {
    return reject(`not valid JSON: ${printable(error)}; write one JSON object on one line`);
  }
  if (!isObject(record)) {
    return reject(`the line is ${typeName(record)}, not a JSON object; wrap it as {"_id": …, "text": …}`);
  }

  const id = readId(record);
  if (!id.ok) return id;
  const textField = TEXT_FIELDS.find((name) => isPresent(record[name]));
  for (const name of ['title', 'kind', 'collection', ...(textField === undefined ? [] : [textField])]) {
    const value = record[name];
    if (isPresent(value) && typeof value !== 'string') {
      return reject(`${name} is ${typeName(value)}; make it a string`, id.uri);
    }
  }
  const metadata = record.metadata ?? {};
  if (!isObject(metadata)) return reject(`metadata is ${typeName(metadata)}; make it an object`, id.uri);

  const time = record.modified_at;
  const modifiedAt = typeof time === 'string' ? normalizeTimestamp(time) : null;
  const keepsRawTime = isPresent(time) && modifiedAt === null;
  return {
    ok: true,
    uri: id.uri,
    title: textOf(record.title),
    text: textField === undefined ? '' : (textOf(record[textField]) ?? ''),
    kind: textOf(record.kind),
    collection: textOf(record.collection),
    modifiedAt,
    metadata: keepsRawTime ? { modified_at: time, ...metadata } : metadata,
  };
}

function readId(record: Record<string, unknown>): { readonly ok: true; readonly uri: string | null } | JsonRejection {
  const field = ID_FIELDS.find((name) => isPresent(record[name]));
  if (field === undefined) return { ok: true, uri: null };
  const id = record[field];
  if (typeof id === 'number') {
    if (Number.isSafeInteger(id)) return { ok: true, uri: String(id) };
    return reject(`${field} ${id} is a number that cannot be kept exactly; quote it`);
  }
  if (typeof id !== 'string') return reject(`${field} is ${typeName(id)}; make it a string`);
  if (id === '') return reject(`${field} is empty; give each record an id of its own or leave ${field} out`);
  if (id.includes('\0')) return reject(`${field} contains a NUL character; remove it`);
  return { ok: true, uri: wellFormed(id) };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? storableText(value) : null;
}

function reject(reason: string, uri: string | null = null): JsonRejection {
  return { ok: false, reason, uri };
}

/** JSON.parse quotes the text it failed on, so its message can hold anything. */
function printable(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return wellFormed(message.replace(/\p{C}+/gu, ' ').slice(0, MAX_MESSAGE_LENGTH));
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
