import { decodeUtf8 } from './decode-utf8.ts';
import { fileTypeOf, isMarkdownType } from './file-type.ts';
import { NO_FRONT_MATTER, readFrontMatter } from './front-matter.ts';
import { type JsonRecord, readJsonRecord } from './json-record.ts';
import { outlineOf } from './outline.ts';
import type { ParsedDocument, ParseOutcome, RecordContext } from './parsed-document.ts';
import { storableText } from './well-formed.ts';

/** A document whose metadata may turn out to be none that can be kept. */
type ReadDocument = Omit<ParsedDocument, 'metadata'> & { readonly metadata: string | null | undefined };

/** Longest fields that are shown with every hit, in UTF-8 bytes. */
const maxFieldBytes = { uri: 8192, title: 65_536, kind: 1024, collection: 1024 } as const;
const limitedFields = Object.keys(maxFieldBytes) as (keyof typeof maxFieldBytes)[];

/**
 * Turns the bytes of one record into a document. It never throws for what the bytes are.
 *
 * A document is Markdown if its source is, or if its uri ends in .md, .markdown, .mdown or .mkd: archives of Markdown files
 * are often JSON Lines. What a JSON line says (title, kind, collection, modified_at, metadata) goes before the front matter
 * of its text, and that before the defaults of the context; an empty string says nothing. A Markdown document that no one
 * gave a title is called by its first level-1 heading.
 */
export function parseRecord(bytes: Uint8Array, context: RecordContext): ParseOutcome {
  const { text, replacedBytes } = decodeUtf8(bytes);
  const record = context.format === 'jsonl' ? readJsonRecord(text) : fileFields(text, context);
  if (!record.ok) return record;
  const uri = record.uri ?? `${context.sourceUri}#${context.byteStart}`;
  const document = readText(record, uri, replacedBytes, context);
  const tooLong = limitedFields.find((field) => isLonger(document[field], maxFieldBytes[field]));
  if (tooLong !== undefined) {
    const shown = uri.length > 200 ? `${uri.slice(0, 200).toWellFormed()}…` : uri;
    return { ok: false, reason: `${tooLong} is longer than ${maxFieldBytes[tooLong]} bytes; shorten it`, uri: shown };
  }
  if (isWhole(document)) return { ok: true, document };
  return { ok: false, reason: 'metadata is nested too deeply to be kept; flatten it', uri };
}

function isWhole(document: ReadDocument): document is ParsedDocument {
  return document.metadata !== undefined;
}

function isLonger(text: string, maxBytes: number): boolean {
  // A UTF-16 unit is at most three UTF-8 bytes.
  return text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes;
}

function fileFields(text: string, context: RecordContext): JsonRecord {
  return {
    ok: true,
    uri: isLaterPart(context) ? `${context.sourceUri}#${context.byteStart}` : context.sourceUri,
    title: null,
    kind: null,
    collection: null,
    modifiedAt: null,
    metadata: {},
    text: storableText(text),
  };
}

/** Adds what the text says about the document, if it is Markdown, and the defaults. */
function readText(fields: JsonRecord, uri: string, replacedBytes: boolean, context: RecordContext): ReadDocument {
  const { text } = fields;
  const fileType = fileTypeOf(uri);
  const isMarkdown = context.format === 'markdown' || isMarkdownType(fileType);
  const frontMatter = isMarkdown && !isLaterPart(context) ? readFrontMatter(text) : NO_FRONT_MATTER;
  const headings = isMarkdown ? outlineOf(text, frontMatter.end) : [];
  const metadata = metadataText(frontMatter.metadata, fields.metadata);
  return {
    uri,
    title: fields.title || frontMatter.title || (headings.find((heading) => heading.level === 1)?.text ?? ''),
    kind: fields.kind || frontMatter.kind || context.kind,
    collection: fields.collection || frontMatter.collection || context.collection,
    fileType,
    modifiedAt: fields.modifiedAt ?? frontMatter.modifiedAt,
    metadata,
    text,
    syntax: isMarkdown ? 'markdown' : 'text',
    frontMatterEnd: frontMatter.end,
    headings,
    replacedBytes,
  };
}

/** A later part of a file that was too large for one record starts in the middle of the file. */
function isLaterPart(context: RecordContext): boolean {
  return context.partial && context.byteStart > 0;
}

/**
 * JSON text of both together, what the record says before what its text does; null for no keys at all, or undefined when it
 * cannot be written: JSON.stringify recurses, JSON.parse does not.
 */
function metadataText(
  ofText: ReadonlyMap<string, unknown>,
  ofRecord: Readonly<Record<string, unknown>>,
): string | null | undefined {
  try {
    const json = JSON.stringify(ofText.size === 0 ? ofRecord : { ...Object.fromEntries(ofText), ...ofRecord });
    return json === '{}' ? null : json;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
