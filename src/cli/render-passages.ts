import type { Passage } from '../corpus.ts';
import { toJson } from './json.ts';
import { sanitize, sanitizeLine } from './sanitize.ts';
import type { Style } from './style.ts';

/** Passages of one document as text, a block at a time: the document's provenance, then each passage. */
export function* renderPassages(passages: readonly Passage[], style: Style): Generator<string> {
  const [first] = passages;
  if (first !== undefined) yield renderDocument(first, style);
  for (const passage of passages) yield renderPassage(passage, style);
}

function renderDocument(passage: Passage, style: Style): string {
  const { source, metadata } = passage;
  const facts: readonly (readonly [string, string | null])[] = [
    ['uri', passage.uri],
    ['kind', passage.kind],
    ['collection', passage.collection],
    ['label', passage.label],
    ['modified', passage.modified_at],
    ['source', `${source.path} bytes ${source.byteStart}-${source.byteEnd}`],
    ['sha256', source.sha256],
    ['metadata', metadata === null ? null : toJson(metadata)],
  ];
  const lines = facts.flatMap(([name, value]) =>
    value === null ? [] : [`${name.padEnd(10)}  ${sanitizeLine(value)}\n`],
  );
  return `${style.bold(sanitizeLine(passage.title === '' ? passage.uri : passage.title))}\n${lines.join('')}`;
}

function renderPassage(passage: Passage, style: Style): string {
  const { shelfmark, ordinal, chunkCount, textStart, textEnd } = passage;
  const heading = passage.heading.map(sanitizeLine).join(' > ');
  const place = `${shelfmark} | passage ${ordinal} of ${chunkCount} | bytes ${textStart}-${textEnd} of the text`;
  const header = heading === '' ? place : `${place} | ${heading}`;
  return `\n${style.dim(`--- ${header} ---`)}\n${sanitize(passage.text).trimEnd()}\n`;
}
