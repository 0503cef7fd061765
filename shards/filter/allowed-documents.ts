import { visitAttributes } from '../attributes/document-attributes.ts';
import { attributedDocuments } from '../attributes/read-attributes.ts';
import { CorruptError } from '../errors.ts';
import type { DocumentId } from '../format.ts';
import type { ShardReader } from '../shard-reader.ts';
import type { AttributeCondition, ShardFilter } from './shard-filter.ts';

/**
 * Which documents of a shard meet a filter: 1 at a document's number, in the order of ids.
 * @param check called between documents where they have to be read one by one; throws to stop
 * @throws CorruptError
 */
export function allowedDocuments(reader: ShardReader, filter: ShardFilter, check: () => void): Uint8Array {
  /** conditions that each document meets, as far as it meets all before */
  const met = new Uint8Array(reader.meta.documents);
  let conditions = 0;
  const meet = (document: number): void => {
    if (met[document] === conditions) met[document]!++;
  };
  for (const condition of filter.attributes) {
    visitDocumentsWith(reader, condition, meet, check);
    conditions++;
  }
  if (filter.uriPrefixes.length > 0) {
    visitDocumentsUnder(reader, filter.uriPrefixes, meet);
    conditions++;
  }
  if (filter.modifiedSince !== null || filter.modifiedBefore !== null) {
    visitDocumentsOfTime(reader, filter, meet);
    conditions++;
  }
  for (let document = 0; document < met.length; document++) met[document] = met[document] === conditions ? 1 : 0;
  return met;
}

function visitDocumentsWith(
  reader: ShardReader,
  { name, values }: AttributeCondition,
  visit: (document: number) => void,
  check: () => void,
): void {
  const unindexed = new Set<string>();
  for (const value of values) {
    check();
    const runs = reader.attributes.documentsWith(name, value);
    if (runs === undefined) unindexed.add(value);
    else {
      for (let at = 0; at < runs.length; at += 2) {
        const end = runs[at]! + runs[at + 1]!;
        for (let document = runs[at]!; document < end; document++) visit(document);
      }
    }
  }
  if (unindexed.size === 0) return;
  let number = 0;
  for (const document of attributedDocuments(reader, name)) {
    check();
    visitAttributes(document, (found, value) => {
      if (found === name && unindexed.has(value)) visit(number);
    });
    number++;
  }
}

/** Documents sorted by uri stand together when their uris begin the same, so two binary searches find them. */
function visitDocumentsUnder(
  reader: ShardReader,
  prefixes: readonly string[],
  visit: (document: number) => void,
): void {
  const { index } = reader;
  const starts = index.documentStarts();
  const sorted = new Uint32Array(starts.length);
  for (let document = 0; document < starts.length; document++) sorted[index.rankOf(document)] = document;
  const uriAt = (place: number): string => {
    const id = starts[sorted[place]!]! as DocumentId;
    const name = reader.documentName(id);
    if (name === undefined) throw new CorruptError(reader.file, 'document', `there is no document ${id}`);
    return name.uri;
  };
  for (const prefix of prefixes) {
    const first = firstPlace(starts.length, (place) => uriAt(place) >= prefix);
    const end = firstPlace(starts.length, (place) => {
      const uri = uriAt(place);
      return uri > prefix && !uri.startsWith(prefix);
    });
    for (let place = first; place < end; place++) visit(sorted[place]!);
  }
}

/** The first of some places at which something holds that holds for all after it; `count` when there is none. */
function firstPlace(count: number, holds: (place: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function visitDocumentsOfTime(
  { index }: ShardReader,
  { modifiedSince, modifiedBefore }: ShardFilter,
  visit: (document: number) => void,
): void {
  const least = modifiedSince ?? Number.NEGATIVE_INFINITY;
  const end = modifiedBefore ?? Number.POSITIVE_INFINITY;
  // No comparison with NaN, which stands for no time, holds.
  for (const [document, time] of index.modifiedTimes().entries()) if (time >= least && time < end) visit(document);
}
