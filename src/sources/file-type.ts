import type { Compression, SourceFormat } from './source.ts';

const compressions: ReadonlyMap<string, Compression> = new Map([
  ['gz', 'gzip'],
  ['zst', 'zstd'],
  ['bz2', 'bzip2'],
  ['xz', 'xz'],
]);

const formats: ReadonlyMap<string, SourceFormat> = new Map([
  ['jsonl', 'jsonl'],
  ['ndjson', 'jsonl'],
  ['md', 'markdown'],
  ['markdown', 'markdown'],
  ['mdown', 'markdown'],
  ['mkd', 'markdown'],
  ['txt', 'text'],
  ['text', 'text'],
  ['rst', 'text'],
  ['adoc', 'text'],
  ['asciidoc', 'text'],
  ['org', 'text'],
  ['log', 'text'],
]);

/** What a file's name says of it; `format` is null when its extension is not one we know. */
export interface FileType {
  readonly format: SourceFormat | null;
  readonly compression: Compression;
}

/** Reads format and compression off a file name: `a.jsonl.zst` is JSON lines in zstd. Upper and lower case are the same. */
export function fileTypeOf(name: string): FileType {
  const parts = name.toLowerCase().split('.');
  const packed = parts.length > 1 ? compressions.get(parts.at(-1) ?? '') : undefined;
  if (packed !== undefined) parts.pop();
  const format = parts.length > 1 ? formats.get(parts.at(-1) ?? '') : undefined;
  return { format: format ?? null, compression: packed ?? 'none' };
}

const magics: readonly (readonly [Compression, Buffer])[] = [
  ['gzip', Buffer.from('1f8b', 'hex')],
  ['zstd', Buffer.from('28b52ffd', 'hex')],
  ['bzip2', Buffer.from('425a68', 'hex')],
  ['xz', Buffer.from('fd377a585a00', 'hex')],
];

/** Reads the compression off the first bytes of a file whose name does not tell. */
export function compressionOf(head: Buffer): Compression {
  return magics.find(([, magic]) => head.subarray(0, magic.length).equals(magic))?.[0] ?? 'none';
}

/** Guesses the format from the first decompressed bytes: what starts with `{` is JSON lines, all else text. */
export function formatOf(head: Buffer): SourceFormat {
  return /^(?:\u00ef\u00bb\u00bf)?\s*\{/.test(head.toString('latin1')) ? 'jsonl' : 'text';
}
