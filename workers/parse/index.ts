export type { Heading } from './outline.ts';
export { outlineOf } from './outline.ts';
export { parseRecord } from './parse-record.ts';
export type { ParsedDocument, RecordContext } from './parsed-document.ts';
