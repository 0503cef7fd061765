import { isDeepStrictEqual } from 'node:util';
import { CorruptError } from '../errors.ts';
import type { ShardReader } from '../shard-reader.ts';
import { AttributeBuilder } from './attribute-builder.ts';
import { attributedDocuments } from './read-attributes.ts';

/** Reads the whole attribute index. @returns its number of values. @throws CorruptError when it is damaged */
export function readAttributes({ attributes }: ShardReader): number {
  let count = 0;
  for (const name of attributes.names()) for (const _ of attributes.values(name) ?? []) count++;
  return count;
}

/**
 * Compares the attribute index with one made again from all documents.
 * @returns the number of values compared
 * @throws CorruptError when they differ, or a document is damaged
 */
export function compareAttributes(reader: ShardReader): number {
  const { attributes, file } = reader;
  const builder = new AttributeBuilder();
  for (const document of attributedDocuments(reader, null)) builder.add(document);
  const differs = (what: string): CorruptError =>
    new CorruptError(file, 'its attribute index', `${what} differs from what the documents say`);
  let compared = 0;
  const names = new Set(attributes.names());
  for (const [name, expected] of builder.attributes()) {
    if (!names.delete(name)) {
      if (attributes.has(name) === false) throw differs(`"${name}"`);
      continue;
    }
    const found = attributes.values(name)?.[Symbol.iterator]();
    if (found === undefined || expected === null) continue;
    for (const value of expected) {
      if (!isDeepStrictEqual(found.next().value, value)) throw differs(`"${name}", near "${value.value}",`);
      compared++;
    }
    if (found.next().done !== true) throw differs(`"${name}", at its end,`);
  }
  if (names.size > 0 && builder.isComplete) throw differs(`"${[...names][0]}"`);
  return compared;
}
