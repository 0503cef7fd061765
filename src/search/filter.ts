import { ATTRIBUTES, METADATA_PREFIX, NO_FILTER, type ShardFilter, withoutDot } from '../../shards/index.ts';
import type { FilledSearchOptions } from './options.ts';

/** What search options say of the documents that may be hits. */
export function filterOf(options: FilledSearchOptions): ShardFilter {
  const conditions = [
    { name: ATTRIBUTES.kind, values: options.kinds },
    { name: ATTRIBUTES.collection, values: options.collections },
    { name: ATTRIBUTES.fileType, values: options.fileTypes.map((type) => type.replace(/^\./, '').toLowerCase()) },
    { name: ATTRIBUTES.label, values: options.labels },
    { name: ATTRIBUTES.topic, values: options.topics },
    { name: ATTRIBUTES.mention, values: options.mentions.map(withoutDot) },
    ...Object.entries(options.where).map(([key, values]) => ({ name: METADATA_PREFIX + key, values })),
  ];
  return {
    ...NO_FILTER,
    // In the order in which shards have them, so that values that stand together there are read together.
    attributes: conditions
      .filter(({ values }) => values.length > 0)
      .map(({ name, values }) => ({ name, values: [...values].sort() })),
    uriPrefixes: options.pathPrefixes,
    modifiedSince: options.modifiedSince === null ? null : Date.parse(options.modifiedSince),
    modifiedBefore: options.modifiedBefore === null ? null : Date.parse(options.modifiedBefore),
  };
}
