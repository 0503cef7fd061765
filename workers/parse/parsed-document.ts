import type { Heading } from './outline.ts';

/** How a source was framed into records: one JSON object a line, or a file (or part of one) a record. */
export type RecordFormat = 'jsonl' | 'markdown' | 'text';

/** Where a record comes from, and what the command line says about all records of its source. */
export interface RecordContext {
  readonly format: RecordFormat;
  /** The source as the user named it. */
  readonly sourceUri: string;
  /** Where the record starts in its source, in bytes. */
  readonly byteStart: number;
  /** True when the record is only a part of a file larger than the framing limit. */
  readonly partial: boolean;
  /** The collection of documents that do not name their own. */
  readonly collection: string;
  /** The kind of documents that do not name their own. */
  readonly kind: string;
}

/** A record, read: what is stored about a document, and its text with the outline the chunker follows. */
export interface ParsedDocument {
  /** The record's id exactly as given, or the source's name. Never empty, and well formed. */
  readonly uri: string;
  /** Empty when neither the record nor its text names one. */
  readonly title: string;
  readonly kind: string;
  readonly collection: string;
  /** Extension of the uri in lower case without its dot; empty when there is none. */
  readonly fileType: string;
  /** ISO 8601 in UTC with milliseconds. */
  readonly modifiedAt: string | null;
  /** JSON text of an object with at least one key. */
  readonly metadata: string | null;
  /**
   * Well formed and without NULs (a space stands for each). A Markdown or text file's is the whole file with its byte
   * order mark, so that offsets can be counted back to bytes unless `replacedBytes`.
   */
  readonly text: string;
  readonly syntax: 'markdown' | 'text';
  /** Where the front matter that `text` starts with ends (UTF-16 offset); 0 when there is none. */
  readonly frontMatterEnd: number;
  /** The section headings in `text`, ascending; none unless `syntax` is 'markdown'. */
  readonly headings: readonly Heading[];
  /** True when the record was not valid UTF-8 and U+FFFD stands for what was not. */
  readonly replacedBytes: boolean;
}

/** A document, or why the record gives none: `reason` says what is wrong and what to do; `uri` is the id if it was read. */
export type ParseOutcome =
  | { readonly ok: true; readonly document: ParsedDocument }
  | { readonly ok: false; readonly reason: string; readonly uri: string | null };
