/** Extensions that make a name a file's. Any other word with a dot may be a member of something, a domain or a version. */
const knownExtensions: ReadonlySet<string> = new Set(
  (
    'adoc asciidoc asm astro avi bash bat bib bmp bz2 c cc cfg cjs clj cmd conf cpp cs css csv cts cxx dart db deb diff dll ' +
    'doc docx dylib ejs env epub erb erl ex exe exs fs fsx gif go gradle graphql groovy gz h hcl hh hpp hs htm html hxx ico ' +
    'inc inf ini ipynb jar java jl jpeg jpg js json json5 jsonc jsonl jsx key kt kts less lib lock log lua m4a markdown md ' +
    'mdown mdx mjs mkd mkv mm mov mp3 mp4 msi mts ndjson nim odp ods odt ogg parquet patch pbxproj pdf pem php pl plist ' +
    'pm png po ppt pptx properties proto ps1 psd1 psm1 py pyi pyx r rar rb reg rmd rpm rs rst rtf s sass scala scss sh so ' +
    'sql sqlite svelte svg swift sys tar tex tf tgz tif tiff toml ts tsv tsx ttf txt vb vue wasm wav webm webp woff woff2 ' +
    'xhtml xls xlsx xml xsd xsl xslt xz yaml yml zig zip zsh zst'
  ).split(' '),
);

/** Longest path in UTF-16 units. */
const maxLength = 260;

/** Most letters and digits of an extension. */
const maxExtension = 10;

const EXTENSION = /[^./\\\s]\.([A-Za-z][A-Za-z0-9]{0,9})$/;
/** No part of a path as people write them in code: spaces are looked at apart. */
const NOT_IN_PATHS = /[\p{Cc}\s"'`<>|*?;,(){}[\]=!^]|:\/\/|^\/\/|.:/u;
const DRIVE = /^[a-z]:(?=[\\/])/i;
/** What ends the target of a link. */
const LINK_END = /[\s<>()]/;
const SEPARATOR = /[\\/]/;
/** What stands before a word that is only the end of something: of a pattern, or of a path in other letters. */
const GOES_ON = /[\p{L}\p{N}\p{M}})\]*?]/u;

/**
 * The file paths that a text mentions, each once, as they are written but for a leading `./`:
 *
 * - words with a directory and a known extension, such as src/cli.ts, in ASCII;
 * - in code between backticks on one line also names without a directory, such as `README.md`, paths with any extension,
 *   and paths with spaces in them, such as `docs/a b.md`;
 * - targets of Markdown links and images with a known extension, percent-decoded, without query and fragment.
 *
 * A URL is none.
 */
export function mentionedPaths(text: string): Set<string> {
  const found = new Set<string>();
  const add = (path: string): void => {
    if (path.length <= maxLength) found.add(withoutDot(path));
  };
  addWords(text, add);
  addCode(text, add);
  addLinkTargets(text, add);
  return found;
}

/** A path as it is kept and looked for. */
export function withoutDot(path: string): string {
  return path.startsWith('./') ? path.slice(2) : path;
}

function addWords(text: string, add: (path: string) => void): void {
  for (let dot = text.indexOf('.', 1); dot >= 0; dot = text.indexOf('.', dot + 1)) {
    const end = extensionEnd(text, dot);
    if (end < 0 || !isKnownExtension(text.slice(dot + 1, end))) continue;
    const least = Math.max(0, dot - maxLength);
    let start = dot;
    while (start > least && isWordUnit(text.charCodeAt(start - 1))) start--;
    // Targets of links are read apart, as they are written otherwise.
    if (start > 0 && (GOES_ON.test(text[start - 1]!) || text.startsWith('](', start - 2))) continue;
    const word = text.slice(start, end);
    if (SEPARATOR.test(word) && EXTENSION.test(word) && isPath(word)) add(word);
  }
}

/** Where an extension ends that follows a dot and ends its word; -1 when there is none. Most dots end a sentence. */
function extensionEnd(text: string, dot: number): number {
  if (!isLetter(text.charCodeAt(dot + 1))) return -1;
  const most = Math.min(text.length, dot + 2 + maxExtension);
  let end = dot + 2;
  while (end < most && isLetterOrDigit(text.charCodeAt(end))) end++;
  const next = text.charCodeAt(end);
  // Underline, hyphen and slashes go on with the word.
  return (end === most && end < text.length) || next === 0x5f || next === 0x2d || next === 0x2f || next === 0x5c
    ? -1
    : end;
}

function isLetter(unit: number): boolean {
  return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a);
}

function isLetterOrDigit(unit: number): boolean {
  return isLetter(unit) || (unit >= 0x30 && unit <= 0x39);
}

/** Letters, digits and what else stands in the paths of programs: `$ % + - . / : @ \ _ ~`. */
function isWordUnit(unit: number): boolean {
  return (
    (unit >= 0x61 && unit <= 0x7a) ||
    (unit >= 0x2d && unit <= 0x3a) ||
    (unit >= 0x40 && unit <= 0x5a) ||
    unit === 0x5f ||
    unit === 0x5c ||
    unit === 0x7e ||
    unit === 0x24 ||
    unit === 0x25 ||
    unit === 0x2b
  );
}

function addCode(text: string, add: (path: string) => void): void {
  for (let open = text.indexOf('`'); open >= 0; ) {
    const close = text.indexOf('`', open + 1);
    if (close < 0) return;
    const code = text.slice(open + 1, Math.min(close, open + 2 * maxLength));
    if (code === '' || code.includes('\n')) {
      // A fence, or a mark that nothing closes on its line: what comes next may open a code of its own.
      open = close;
      continue;
    }
    addCodePaths(code.trim(), add);
    open = text.indexOf('`', close + 1);
  }
}

function addCodePaths(code: string, add: (path: string) => void): void {
  if (!code.includes('.')) return;
  const words = code.split(/\s+/);
  if (isSpacedPath(words)) add(code);
  else for (const word of words) if (isCodePath(word)) add(word);
}

/** Whether words are one path: the first has its directory, and only the last an extension. */
function isSpacedPath(words: readonly string[]): boolean {
  return (
    words.length > 1 &&
    SEPARATOR.test(words[0]!) &&
    words.every((word, index) => isPath(word) && EXTENSION.test(word) === (index === words.length - 1))
  );
}

function isCodePath(word: string): boolean {
  const extension = EXTENSION.exec(word)?.[1];
  return extension !== undefined && (SEPARATOR.test(word) || isKnownExtension(extension)) && isPath(word);
}

function addLinkTargets(text: string, add: (path: string) => void): void {
  for (let at = text.indexOf(']('); at >= 0; at = text.indexOf('](', at + 2)) {
    const target = linkTarget(text.slice(at + 2, at + 2 + 3 * maxLength).trimStart());
    // Most are URLs, or have no extension: they need no closer look.
    if (!target.includes('.') || target.includes('://')) continue;
    const path = decoded(target.replace(/[?#].*$/s, ''));
    const extension = EXTENSION.exec(path)?.[1];
    if (extension !== undefined && isKnownExtension(extension) && isPath(path.replaceAll(' ', ''))) add(path);
  }
}

/** What stands between the brackets, up to a title: `<a b.md>`, or anything without spaces and brackets. */
function linkTarget(text: string): string {
  if (text.charCodeAt(0) === 0x3c) return /^<([^<>\n]*)>/.exec(text)?.[1] ?? '';
  const end = text.search(LINK_END);
  return end < 0 ? text : text.slice(0, end);
}

function decoded(target: string): string {
  if (!target.includes('%')) return target;
  try {
    return decodeURIComponent(target);
  } catch {
    return target;
  }
}

function isKnownExtension(extension: string): boolean {
  return knownExtensions.has(extension.toLowerCase());
}

function isPath(word: string): boolean {
  return !NOT_IN_PATHS.test(word.replace(DRIVE, ''));
}
