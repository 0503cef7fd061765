import { randomNumbers } from '../support.ts';

/** A generated test collection; judgements are grades by document, by question. */
export interface GeneratedCollection {
  readonly documents: readonly { readonly _id: string; readonly title: string; readonly text: string }[];
  readonly queries: readonly { readonly id: string; readonly text: string }[];
  readonly qrels: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

const topics = 40;
const wordsOfTopic = 8;
const documentCount = 600;
const vocabularySize = 3000;
const endings = ['', '', 's', 'ed', 'ing'];

/**
 * Documents of a topic each, of very different lengths: a few words of the topic, inflected, among words of a background
 * that all share and in which frequent words are much more frequent. A question is words of a topic, with some of the
 * background's. So finding what is relevant takes rare words before frequent ones, length normalisation and stemming.
 */
export function generateTopics(seed: number): GeneratedCollection {
  const random = randomNumbers(seed);
  const pick = (count: number): number => Math.floor(random() * count);
  const vocabulary = Array.from({ length: vocabularySize }, (_, index) => inventWord(index));
  const background = (): string => vocabulary[Math.floor(vocabularySize * random() ** 4)]!;
  const inflect = (word: string): string => word + endings[pick(endings.length)];
  // Words of a topic are words of the background too, and may belong to several topics.
  const topicWords = Array.from({ length: topics }, () =>
    Array.from({ length: wordsOfTopic }, () => vocabulary[300 + pick(1200)]!),
  );
  const wordOf = (topic: number): string => topicWords[topic]![Math.floor(wordsOfTopic * random() ** 2)]!;

  const qrels = new Map(topicWords.map((_, topic) => [`q${topic}`, new Map<string, number>()]));
  const documents = Array.from({ length: documentCount }, (_, number) => {
    const topic = pick(topics);
    const share = [0.02, 0.05, 0.1][pick(3)]!;
    const length = 20 + Math.floor(300 * random() ** 3);
    const words = Array.from({ length }, () => inflect(random() < share ? wordOf(topic) : background()));
    if (share > 0.02) qrels.get(`q${topic}`)!.set(`d${number}`, share === 0.1 ? 2 : 1);
    return { _id: `d${number}`, title: `${background()} ${background()}`, text: `${words.join(' ')}.` };
  });
  const queries = topicWords.map((_, topic) => ({
    id: `q${topic}`,
    text: [wordOf(topic), wordOf(topic), wordOf(topic), background(), background()].map(inflect).join(' '),
  }));
  return { documents, queries, qrels };
}

/** A word that sounds like one and is never taken for a stopword or an inflected form. */
function inventWord(number: number): string {
  const consonants = 'bdfgklmnprtvz';
  const vowels = 'aiou';
  let word = '';
  let rest = number + 2197;
  while (rest > 0) {
    word += consonants[rest % 13]! + vowels[(rest * 7 + word.length) % 4]!;
    rest = Math.floor(rest / 13);
  }
  return `${word}k`;
}
