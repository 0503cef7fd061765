import { compareTexts } from '../document.ts';
import { CorruptError } from '../errors.ts';
import type { PackedColumns } from '../packed-columns.ts';
import type { Database, Statement } from '../sqlite.ts';
import {
  type AttributeBlockRow,
  type AttributeDirectory,
  type AttributeValue,
  type DocumentRuns,
  decodeAttributeBlock,
  decodeAttributeDirectory,
  type IndexedAttribute,
  MAX_VALUE_LENGTH,
} from './attribute-format.ts';

/** Reads the attribute index of a shard. Everything is read when it is first needed. */
export class AttributeIndex {
  readonly #file: string;
  readonly #columns: PackedColumns;
  readonly #documents: number;
  readonly #select: Statement;
  #directory: AttributeDirectory | undefined;
  /** the block read last: what is looked up to see whether it is known is looked up again for the filter */
  #open: { readonly id: number; readonly name: string; readonly values: readonly AttributeValue[] } | undefined;

  constructor(file: string, database: Database, columns: PackedColumns, documents: number) {
    this.#file = file;
    this.#columns = columns;
    this.#documents = documents;
    this.#select = database.prepare('SELECT id, raw_length, data FROM attribute_block WHERE id = ?');
  }

  /** Names of the attributes that are listed, in order. */
  names(): Iterable<string> {
    return this.#attributes().keys();
  }

  /** Whether documents have an attribute; undefined when they have to be asked themselves. */
  has(name: string): boolean | undefined {
    if (this.#attributes().has(name)) return true;
    return this.#directoryOf().isComplete ? false : undefined;
  }

  /**
   * The documents that have a value; undefined when they have to be asked themselves.
   * @throws CorruptError
   */
  documentsWith(name: string, value: string): DocumentRuns | undefined {
    const attribute = this.#attributes().get(name);
    if (attribute === undefined) return this.#directoryOf().isComplete ? [] : undefined;
    if (attribute === null || value.length > MAX_VALUE_LENGTH) return undefined;
    const { lastValues } = attribute;
    const at = firstNotBelow(lastValues.length, (index) => lastValues[index]!, value);
    if (at === lastValues.length) return [];
    const values = this.#block(name, attribute, at);
    const found = values[firstNotBelow(values.length, (index) => values[index]!.value, value)];
    return found?.value === value ? found.runs : [];
  }

  /** All values of an attribute that are indexed, in order; undefined when none are. @throws CorruptError */
  values(name: string): Iterable<AttributeValue> | undefined {
    const attribute = this.#attributes().get(name);
    return attribute === undefined || attribute === null ? undefined : this.#allValues(name, attribute);
  }

  *#allValues(name: string, attribute: IndexedAttribute): Generator<AttributeValue> {
    for (const at of attribute.lastValues.keys()) yield* this.#block(name, attribute, at);
  }

  #attributes(): AttributeDirectory['attributes'] {
    return this.#directoryOf().attributes;
  }

  #directoryOf(): AttributeDirectory {
    this.#directory ??= decodeAttributeDirectory(this.#file, this.#columns.read('attributes'));
    return this.#directory;
  }

  /** A block of an attribute, by its number among its blocks. */
  #block(name: string, { firstBlock, lastValues }: IndexedAttribute, at: number): readonly AttributeValue[] {
    const id = firstBlock + at;
    if (this.#open?.id === id && this.#open.name === name) return this.#open.values;
    const row = this.#select.get(id) as AttributeBlockRow | undefined;
    if (row === undefined) throw new CorruptError(this.#file, `attribute block ${id}`, 'it is missing');
    const values = decodeAttributeBlock(this.#file, row, this.#documents);
    const isOrdered = values.every(
      ({ value }, index) => index === 0 || compareTexts(values[index - 1]!.value, value) < 0,
    );
    const isBehind = at === 0 || compareTexts(lastValues[at - 1]!, values[0]?.value ?? '') < 0;
    if (!isOrdered || !isBehind || values.at(-1)?.value !== lastValues[at]) {
      throw new CorruptError(this.#file, `attribute block ${id}`, `its values are not those listed for "${name}"`);
    }
    this.#open = { id, name, values };
    return values;
  }
}

/** Which of some texts in order is the first that is not before another; their number when there is none. */
function firstNotBelow(count: number, textAt: (index: number) => string, text: string): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareTexts(textAt(middle), text) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
