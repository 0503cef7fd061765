/** Text with the word statistics of natural language, generated from a seed: the same seed gives the same bytes. */

/** A generator of numbers in [0, 1): mulberry32 (public domain, Tommy Ettinger). */
export function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * A vocabulary whose word of rank r is drawn with weight 1/(r + 2.7)^1.05 (Zipf–Mandelbrot). A larger vocabulary from the
 * same seed begins with the words of a smaller one.
 */
export class ZipfVocabulary {
  readonly words: readonly string[];
  readonly #cumulative: Float64Array;
  readonly #random: () => number;

  constructor(size: number, random: () => number) {
    this.#random = random;
    this.#cumulative = new Float64Array(size);
    const words = new Set<string>();
    let total = 0;
    for (let rank = 0; rank < size; rank++) {
      total += (rank + 2.7) ** -1.05;
      this.#cumulative[rank] = total;
      let word = this.#spell(rank);
      while (words.has(word)) word += this.#letter();
      words.add(word);
    }
    this.words = [...words];
  }

  /**
   * The rank of a random word.
   * @param random where chance comes from. @default the generator that made the words
   * @param size only the first words of the vocabulary. @default all
   */
  drawRank(random: () => number = this.#random, size: number = this.words.length): number {
    const target = random() * this.#cumulative[size - 1]!;
    let low = 0;
    let high = size - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#cumulative[middle]! < target) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Rarer words are longer. */
  #spell(rank: number): string {
    const length = 2 + Math.floor(Math.log2(rank + 2) / 2.2 + this.#random() * 4);
    return Array.from({ length }, () => this.#letter()).join('');
  }

  #letter(): string {
    return 'etaoinshrdlucmfwypvbgkjqxz'.charAt(Math.floor(this.#random() ** 2 * 26));
  }
}

/** JSON lines of documents of 40 to 200 words, 15 % of them from six words that are the document's topic. */
export function* zipfDocuments(vocabulary: ZipfVocabulary, count: number, random: () => number): Generator<string> {
  for (let id = 1; id <= count; id++) {
    const text = zipfText(vocabulary, random, () => vocabulary.drawRank());
    yield `${JSON.stringify({ _id: `d${id}`, title: '', text })}\n`;
  }
}

/** One text of 40 to 200 words, 15 % of them from six words that are its topic. */
export function zipfText(vocabulary: ZipfVocabulary, random: () => number, drawRank: () => number): string {
  const topic = Array.from({ length: 6 }, drawRank);
  const words: string[] = [];
  for (let length = 40 + Math.floor(random() * 160); length > 0; length--) {
    const rank = random() < 0.15 ? topic[Math.floor(random() * 6)]! : drawRank();
    words.push(vocabulary.words[rank]!);
  }
  return words.join(' ');
}
