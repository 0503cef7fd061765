import { ATTRIBUTES, NO_FILTER, type ShardFilter } from '../../shards/index.ts';
import type { FilledSearchOptions } from './options.ts';

/** What search options say of the documents that may be hits. */
export function filterOf({ kinds, collections }: FilledSearchOptions): ShardFilter {
  const conditions = [
    { name: ATTRIBUTES.kind, values: kinds },
    { name: ATTRIBUTES.collection, values: collections },
  ];
  return { ...NO_FILTER, attributes: conditions.filter(({ values }) => values.length > 0) };
}
