import { METADATA_PREFIX, visitAttributes } from '../attributes/document-attributes.ts';
import { attributedDocuments } from '../attributes/read-attributes.ts';
import { compareTexts } from '../document.ts';
import type { ShardReader } from '../shard-reader.ts';

/** An attribute, or one value of it. */
export interface AttributeItem {
  readonly name: string;
  /** null: any value */
  readonly value: string | null;
}

/** A name or value that is known, and how far it is from the one that is not. */
export interface NearText {
  readonly text: string;
  readonly distance: number;
}

/** Texts are compared as far as this, in UTF-16 units. */
const comparedLength = 100;

/**
 * Whether any document of a shard, a replaced one too, has an attribute or a value of it.
 * @param check called between documents where they have to be read one by one; throws to stop
 * @throws CorruptError
 */
export function hasAttribute(reader: ShardReader, { name, value }: AttributeItem, check: () => void): boolean {
  const { attributes } = reader;
  const known = value === null ? attributes.has(name) : attributes.documentsWith(name, value);
  if (known !== undefined) return known === true || (known !== false && known.length > 0);
  for (const found of scannedValues(reader, name, check)) if (value === null || found === value) return true;
  return false;
}

/**
 * The values of an attribute, or with a value of null the metadata keys, that are most like the one given: best first, of
 * those equally near in the order of UTF-16 units.
 */
export function nearestAttributes(
  reader: ShardReader,
  { name, value }: AttributeItem,
  count: number,
  check: () => void,
): NearText[] {
  const wanted = value ?? name.slice(METADATA_PREFIX.length);
  const texts = value === null ? metadataKeys(reader) : valuesOf(reader, name, check);
  const near: NearText[] = [];
  for (const text of texts) {
    near.push({ text, distance: distanceBetween(wanted, text) });
    if (near.length >= 10 * count) near.splice(0, near.length, ...nearest(near, count));
  }
  return nearest(near, count);
}

/** The nearest of some texts, each once. */
export function nearest(texts: readonly NearText[], count: number): NearText[] {
  return [...new Map(texts.map((near) => [near.text, near])).values()]
    .sort((a, b) => a.distance - b.distance || compareTexts(a.text, b.text))
    .slice(0, count);
}

function* metadataKeys({ attributes }: ShardReader): Generator<string> {
  for (const name of attributes.names()) if (name.startsWith(METADATA_PREFIX)) yield name.slice(METADATA_PREFIX.length);
}

function* valuesOf(reader: ShardReader, name: string, check: () => void): Generator<string> {
  const indexed = reader.attributes.values(name);
  if (indexed !== undefined) for (const { value } of indexed) yield value;
  else if (reader.attributes.has(name) !== false) yield* new Set(scannedValues(reader, name, check));
}

function* scannedValues(reader: ShardReader, name: string, check: () => void): Generator<string> {
  for (const document of attributedDocuments(reader, name)) {
    check();
    const values: string[] = [];
    visitAttributes(document, (found, value) => {
      if (found === name) values.push(value);
    });
    yield* values;
  }
}

/** Edit distance (Levenshtein 1966; rows as in Wagner and Fischer 1974) without regard to case. */
function distanceBetween(a: string, b: string): number {
  const from = a.slice(0, comparedLength).toLowerCase();
  const to = b.slice(0, comparedLength).toLowerCase();
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = row[j - 1]! + (from.charCodeAt(i - 1) === to.charCodeAt(j - 1) ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[to.length]!;
}
