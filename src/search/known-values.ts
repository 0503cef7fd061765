import {
  ATTRIBUTES,
  type AttributeItem,
  METADATA_PREFIX,
  nearest,
  type ShardFilter,
  ShelfmarkError,
} from '../../shards/index.ts';
import type { Limits, ShardFailure } from '../../workers/protocol.ts';
import type { ShardPool } from './shard-pool.ts';

/** Attributes whose values must be known, and what they are called. Of metadata only the key must be. */
const namesOfKnown: Readonly<Record<string, string>> = {
  [ATTRIBUTES.kind]: 'kind',
  [ATTRIBUTES.collection]: 'collection',
  [ATTRIBUTES.label]: 'label',
  [ATTRIBUTES.topic]: 'topic',
};

/** Known values that an error names. */
const maxNamed = 20;

/** Items that are remembered; all are forgotten when there are more. */
const maxRemembered = 10_000;

/**
 * Refuses filters by what no document of the corpus has: that is a slip of the pen more often than a question. The threads
 * are asked once for each value.
 */
export class KnownValues {
  readonly #pool: ShardPool;
  readonly #known = new Set<string>();

  constructor(pool: ShardPool) {
    this.#pool = pool;
  }

  /**
   * Checks a filter. Where a shard cannot be asked, what the others do not know is let pass.
   * @returns shards that failed
   * @throws ShelfmarkError SHELFMARK_USAGE that names the nearest known values
   */
  async check(filter: ShardFilter, limits: Limits): Promise<readonly ShardFailure[]> {
    const items = itemsOf(filter).filter((item) => !this.#known.has(keyOf(item)));
    if (items.length === 0) return [];
    const { known, failed, timedOut } = await this.#pool.known({ items, ...limits });
    if (this.#known.size + items.length > maxRemembered) this.#known.clear();
    for (const [index, item] of items.entries()) if (known[index]) this.#known.add(keyOf(item));
    const unknown = items.find((_, index) => !known[index]);
    const isWhole = limits.excluded.length + failed.length + timedOut.length === 0;
    if (unknown !== undefined && isWhole) throw await this.#refuse(unknown, limits);
    return failed;
  }

  async #refuse(item: AttributeItem, limits: Limits): Promise<ShelfmarkError> {
    const found = await this.#pool.nearest({ item, count: maxNamed + 1, ...limits });
    const known = nearest(found, maxNamed + 1).map(({ text }) => text);
    const what = item.value === null ? 'metadata key' : namesOfKnown[item.name]!;
    const got = item.value ?? item.name.slice(METADATA_PREFIX.length);
    const facts = { what, got, known: known.slice(0, maxNamed) };
    return new ShelfmarkError('SHELFMARK_USAGE', describe(what, got, known), facts);
  }
}

function describe(what: string, got: string, known: readonly string[]): string {
  const unknown = `Unknown ${what} "${got.slice(0, 200)}"`;
  if (known.length === 0) return `${unknown}: no document of the corpus has any.`;
  const listed = known.slice(0, maxNamed).map((text) => `"${text.slice(0, 200)}"`);
  const lead = known.length > maxNamed ? `The nearest known ones: ` : `Known: `;
  return `${unknown}. ${lead}${listed.join(', ')}.`;
}

function itemsOf({ attributes }: ShardFilter): AttributeItem[] {
  return attributes.flatMap(({ name, values }): AttributeItem[] => {
    if (name.startsWith(METADATA_PREFIX)) return [{ name, value: null }];
    return Object.hasOwn(namesOfKnown, name) ? values.map((value) => ({ name, value })) : [];
  });
}

function keyOf({ name, value }: AttributeItem): string {
  return JSON.stringify([name, value]);
}
