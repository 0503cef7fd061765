export type { Heading } from './outline.ts';
export { outlineOf } from './outline.ts';
export { parseRecord } from './parse-record.ts';
export type { ParsedDocument, ParseOutcome, RecordContext, RecordFormat } from './parsed-document.ts';
