import type { SharedFloor } from './shared-floor.ts';

/** How chunks of one shard are put in order when their scores are equal, and which document each belongs to. */
export interface ChunkOrder {
  /** number of the document that a chunk belongs to, from 0 in the order of ids */
  readonly documentOf: (chunk: number) => number;
  /** place of a document among all of the shard, by uri, then collection */
  readonly rankOf: (document: number) => number;
}

/** A chunk and its score. */
export interface ScoredChunk {
  readonly chunk: number;
  readonly score: number;
}

interface HeapArrays {
  readonly scores: Float64Array;
  readonly chunks: Int32Array;
  readonly documents: Int32Array;
}

/** Arrays of a heap that has ended: making new ones takes as long as a short query. */
let spare: HeapArrays | null = null;

function arraysFor(k: number): HeapArrays {
  const found = spare;
  spare = null;
  if (found !== null && found.scores.length >= k) return found;
  return { scores: new Float64Array(k), chunks: new Int32Array(k), documents: new Int32Array(k) };
}

/**
 * Keeps the k best chunks, or the best chunks of the k best documents. Order: score, then the document's place, then
 * chunk. A binary heap with the worst on top; by document, a map says where each document's chunk stands in it.
 */
export class TopK {
  readonly #k: number;
  readonly #order: ChunkOrder;
  readonly #arrays: HeapArrays;
  readonly #scores: Float64Array;
  readonly #chunks: Int32Array;
  /** by document: position in the heap of each document */
  readonly #positions: Map<number, number> | null;
  readonly #documents: Int32Array;
  #size = 0;
  readonly #floor: Pick<SharedFloor, 'value'>;
  /** a chunk that scores less cannot be a hit */
  threshold: number;

  /**
   * @param k at least 1
   * @param floor chunks that score less are not wanted in any case
   */
  constructor(k: number, by: 'chunk' | 'document', order: ChunkOrder, floor: Pick<SharedFloor, 'value'>) {
    this.#k = k;
    this.#order = order;
    this.#arrays = arraysFor(k);
    this.#scores = this.#arrays.scores;
    this.#chunks = this.#arrays.chunks;
    this.#documents = this.#arrays.documents;
    this.#positions = by === 'document' ? new Map() : null;
    this.#floor = floor;
    this.threshold = floor.value;
  }

  /** Takes over what other threads have found in the meantime. */
  refresh(): void {
    this.raise(this.#floor.value);
  }

  /** Says that chunks that score less cannot be hits. */
  raise(score: number): void {
    if (score > this.threshold) this.threshold = score;
  }

  /** Offers a chunk; each chunk at most once. */
  offer(chunk: number, score: number): void {
    if (score < this.threshold) return;
    const positions = this.#positions;
    if (positions === null) {
      this.#offer(chunk, score, 0);
      return;
    }
    const document = this.#order.documentOf(chunk);
    const known = positions.get(document);
    if (known === undefined) {
      this.#offer(chunk, score, document);
    } else if (score > this.#scores[known]! || (score === this.#scores[known] && chunk < this.#chunks[known]!)) {
      this.#sink(known, chunk, score, document);
      this.#raiseThreshold();
    }
  }

  /** The chunks kept, best first. Ends the heap, whose arrays the next one has. */
  take(): ScoredChunk[] {
    const taken = this.#sorted();
    spare = this.#arrays;
    return taken;
  }

  #sorted(): ScoredChunk[] {
    if (this.#size === 0) return [];
    const positions = Array.from({ length: this.#size }, (_, position) => position);
    positions.sort((a, b) =>
      this.#isWorse(this.#scores[a]!, this.#chunks[a]!, this.#scores[b]!, this.#chunks[b]!) ? 1 : -1,
    );
    return positions.map((position) => ({ chunk: this.#chunks[position]!, score: this.#scores[position]! }));
  }

  #offer(chunk: number, score: number, document: number): void {
    if (this.#size < this.#k) {
      this.#rise(this.#size++, chunk, score, document);
    } else {
      if (!this.#isWorse(this.#scores[0]!, this.#chunks[0]!, score, chunk)) return;
      this.#positions?.delete(this.#documents[0]!);
      this.#sink(0, chunk, score, document);
    }
    this.#raiseThreshold();
  }

  #raiseThreshold(): void {
    if (this.#size === this.#k && this.#scores[0]! > this.threshold) this.threshold = this.#scores[0]!;
  }

  /** Puts an entry at `position` or above. */
  #rise(position: number, chunk: number, score: number, document: number): void {
    let at = position;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#isWorse(score, chunk, this.#scores[parent]!, this.#chunks[parent]!)) break;
      this.#move(parent, at);
      at = parent;
    }
    this.#put(at, chunk, score, document);
  }

  /** Puts an entry at `position`, whose own entry it is better than, or below. */
  #sink(position: number, chunk: number, score: number, document: number): void {
    let at = position;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.#size) break;
      const right = child + 1;
      if (
        right < this.#size &&
        this.#isWorse(this.#scores[right]!, this.#chunks[right]!, this.#scores[child]!, this.#chunks[child]!)
      ) {
        child = right;
      }
      if (!this.#isWorse(this.#scores[child]!, this.#chunks[child]!, score, chunk)) break;
      this.#move(child, at);
      at = child;
    }
    this.#put(at, chunk, score, document);
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#chunks[from]!, this.#scores[from]!, this.#documents[from]!);
  }

  #put(position: number, chunk: number, score: number, document: number): void {
    this.#scores[position] = score;
    this.#chunks[position] = chunk;
    if (this.#positions === null) return;
    this.#documents[position] = document;
    this.#positions.set(document, position);
  }

  #isWorse(score: number, chunk: number, thanScore: number, thanChunk: number): boolean {
    if (score !== thanScore) return score < thanScore;
    const document = this.#order.documentOf(chunk);
    const thanDocument = this.#order.documentOf(thanChunk);
    if (document === thanDocument) return chunk > thanChunk;
    return this.#order.rankOf(document) > this.#order.rankOf(thanDocument);
  }
}
