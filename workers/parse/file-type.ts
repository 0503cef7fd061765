const EXTENSION = /[^/\\]\.([a-z0-9]{1,16})$/;
const SUFFIX = /[?#].*$/s;
const MARKDOWN_TYPES: ReadonlySet<string> = new Set(['md', 'markdown', 'mdown', 'mkd']);

/**
 * Extension of a uri in lower case, without its dot; empty when there is none. A query or fragment after the extension
 * is passed over. Digits alone are no extension (the id `2101.00027`), nor is the name of a dot file.
 */
export function fileTypeOf(uri: string): string {
  if (!uri.includes('.')) return '';
  const lower = uri.toLowerCase();
  const type = (EXTENSION.exec(lower) ?? EXTENSION.exec(lower.replace(SUFFIX, '')))?.[1] ?? '';
  return /[a-z]/.test(type) ? type : '';
}

/** Says whether files of this type hold Markdown. */
export function isMarkdownType(fileType: string): boolean {
  return MARKDOWN_TYPES.has(fileType);
}
