import { documentOf, randomFrom, type TestDocument } from '../support.ts';

/** What a random corpus is like; the same shape gives the same corpus. */
export interface CorpusShape {
  readonly seed: number;
  /** chunks, exactly */
  readonly chunks: number;
  /** documents often have the text of another, under another uri */
  readonly hasDuplicates: boolean;
}

/** Words, frequent ones first: compounds, their parts and wholes, symbols, CJK, words in title case. */
export const vocabulary: readonly string[] = (
  'the wi-fi shelf fi book wi 東京都 PIO-1384 shelves wifi C++ 1384 京都 getElementById .NET harbour 図書館の net ' +
  'element river 1,024.5 Straße archive-2 copper été amber basalt cedar dune'
).split(' ');

/** A word that every chunk with any word has, and one that no corpus has. */
export const [everywhere, nowhere] = ['every', 'absent'];

/** A word that only chunks of one stretch of a corpus have. */
export function wordOfStretch(stretch: number): string {
  return `stretch${stretch}`;
}

/** Words that one chunk in a hundred has: far fewer than have the frequent ones. */
export const rareWords = ['rare0', 'rare1', 'rare2'] as const;

/** Chunks in a stretch. */
const stretchChunks = 1_500;

export const kinds = ['letter', 'note', 'mail'] as const;
export const collections = ['x', 'y'] as const;

/** Documents of one to six short chunks, some without a word, some long, some with one word hundreds of times. */
export function randomCorpus({ seed, chunks, hasDuplicates }: CorpusShape): TestDocument[] {
  const random = randomFrom(seed);
  const documents: TestDocument[] = [];
  let texts: string[] = [];
  for (let next = 0; next < chunks; next += texts.length) {
    const isCopy = hasDuplicates && texts.length > 0 && random(2) === 0;
    const count = Math.min(chunks - next, isCopy ? texts.length : 1 + random(6));
    texts = isCopy ? texts.slice(0, count) : Array.from({ length: count }, (_, at) => randomText(random, next + at));
    const title = random(3) === 0 ? sentence(random, 3) : '';
    documents.push(
      documentOf(texts, {
        // Out of order, and of different lengths.
        uri: `u${(documents.length * 7_919) % 104_729}`,
        title: isCopy ? '' : title,
        heading: random(3) === 0 ? [sentence(random, 2), sentence(random, 2)] : [],
        kind: kinds[random(kinds.length)]!,
        collection: collections[random(collections.length)]!,
      }),
    );
  }
  return documents;
}

function randomText(random: (below: number) => number, chunk: number): string {
  const kind = random(40);
  if (kind === 0) return '… ';
  const stretch = wordOfStretch(Math.floor(chunk / stretchChunks));
  const rare = random(33) === 0 ? rareWords[random(rareWords.length)] : '';
  const words = [everywhere, random(4) === 0 ? stretch : '', rare, sentence(random, kind === 1 ? 90 : 9)];
  if (kind === 2) words.push(`${randomWord(random)} `.repeat(60 + random(300)));
  return `${words.join(' ')} `;
}

function sentence(random: (below: number) => number, most: number): string {
  return Array.from({ length: random(most + 1) }, () => randomWord(random)).join(' ');
}

/** The first words of the vocabulary more often. */
function randomWord(random: (below: number) => number): string {
  const share = random(1 << 16) / (1 << 16);
  return vocabulary[Math.floor(share ** 2 * vocabulary.length)]!;
}
