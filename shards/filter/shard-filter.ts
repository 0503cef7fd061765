/** Which documents of a shard may be hits: those that meet every condition. */
export interface ShardFilter {
  /** a document must have one of the values of each attribute (see attributes/document-attributes.ts) */
  readonly attributes: readonly AttributeCondition[];
  /** texts of which a document's uri must begin with one; empty when it may be any */
  readonly uriPrefixes: readonly string[];
  /** milliseconds since 1970: modified then or later, and before; null for no limit. Documents without a time meet neither */
  readonly modifiedSince: number | null;
  readonly modifiedBefore: number | null;
}

/** Values of an attribute of which a document must have one. */
export interface AttributeCondition {
  readonly name: string;
  readonly values: readonly string[];
}

/** Lets every document through. */
export const NO_FILTER: ShardFilter = {
  attributes: [],
  uriPrefixes: [],
  modifiedSince: null,
  modifiedBefore: null,
};

const keys = new WeakMap<ShardFilter, string>();

/** A text that filters share only when they are alike; made once for each, since every query of a batch asks for it. */
export function filterKey(filter: ShardFilter): string {
  let key = keys.get(filter);
  if (key === undefined) {
    key = JSON.stringify(filter);
    keys.set(filter, key);
  }
  return key;
}

/** Whether a filter says nothing. */
export function isOpen({ attributes, uriPrefixes, modifiedSince, modifiedBefore }: ShardFilter): boolean {
  return attributes.length + uriPrefixes.length === 0 && modifiedSince === null && modifiedBefore === null;
}
