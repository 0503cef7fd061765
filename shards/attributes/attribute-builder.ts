import { compareTexts } from '../document.ts';
import { type AttributeValue, type DocumentRuns, MAX_NAME_LENGTH, MAX_VALUE_LENGTH } from './attribute-format.ts';
import { type AttributedDocument, visitAttributes } from './document-attributes.ts';

/** Attributes of a shard that are listed; those of documents further on that have other keys are not. */
const maxAttributes = 2_000;

/** What a value, and a run of documents, are reckoned to take in memory beside the value's units. */
const valueBytes = 96;
const runBytes = 16;

/** Memory that all values of a shard may take while it is written. */
export const ATTRIBUTE_BYTES = 128 * 2 ** 20;

interface CollectedAttribute {
  /** documents of each value */
  readonly values: Map<string, number[]>;
  bytes: number;
}

/**
 * Collects the attributes of a shard's documents. When they take too much memory, the attribute that takes most, such as a key
 * with a long text in every document, is given up: it is known, but not indexed.
 */
export class AttributeBuilder {
  readonly #maxBytes: number;
  /** null stands for an attribute that was given up */
  readonly #attributes = new Map<string, CollectedAttribute | null>();
  #bytes = 0;
  #isComplete = true;
  #document = 0;

  constructor(maxBytes = ATTRIBUTE_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** False when documents have attributes that are not listed. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Adds the next document. */
  add(document: AttributedDocument): void {
    visitAttributes(document, (name, value) => this.#addValue(name, value));
    this.#document++;
  }

  #addValue(name: string, value: string): void {
    const attribute = this.#attribute(name);
    if (attribute === null || value.length > MAX_VALUE_LENGTH) return;
    const runs = attribute.values.get(value);
    let grown = 0;
    if (runs === undefined) {
      attribute.values.set(value, [this.#document, 1]);
      grown = valueBytes + 2 * value.length + runBytes;
    } else {
      const end = runs[runs.length - 2]! + runs[runs.length - 1]!;
      if (end > this.#document) return;
      if (end === this.#document) runs[runs.length - 1]!++;
      else {
        runs.push(this.#document, 1);
        grown = runBytes;
      }
    }
    attribute.bytes += grown;
    this.#bytes += grown;
    if (this.#bytes > this.#maxBytes) this.#giveUpLargest();
  }

  #attribute(name: string): CollectedAttribute | null {
    const known = this.#attributes.get(name);
    if (known !== undefined) return known;
    if (name.length > MAX_NAME_LENGTH || this.#attributes.size === maxAttributes) {
      this.#isComplete = false;
      return null;
    }
    const attribute = { values: new Map<string, number[]>(), bytes: 0 };
    this.#attributes.set(name, attribute);
    return attribute;
  }

  #giveUpLargest(): void {
    let largest = '';
    let most = -1;
    for (const [name, attribute] of this.#attributes) {
      if (attribute === null || attribute.bytes <= most) continue;
      largest = name;
      most = attribute.bytes;
    }
    this.#attributes.set(largest, null);
    this.#bytes -= most;
  }

  /** All attributes in order with their values in order; null stands for values that are not indexed. */
  *attributes(): Generator<readonly [name: string, values: Iterable<AttributeValue> | null]> {
    for (const [name, attribute] of sorted(this.#attributes)) {
      yield [name, attribute === null ? null : sortedValues(attribute.values)];
    }
  }
}

function* sortedValues(values: ReadonlyMap<string, DocumentRuns>): Generator<AttributeValue> {
  for (const [value, runs] of sorted(values)) yield { value, runs };
}

function sorted<Value>(entries: ReadonlyMap<string, Value>): [string, Value][] {
  return [...entries].sort(([a], [b]) => compareTexts(a, b));
}
