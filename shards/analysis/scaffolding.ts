import { createRequire } from 'node:module';
import type { Language, LanguageId } from './language.ts';

const require = createRequire(import.meta.url);

/** Words that frame a question and say nothing of its subject, folded, apostrophes as `'`. */
const ENGLISH = words(`
  what which who whom whose when where why how
  what's who's where's when's how's why's that's there's here's it's let's what're who're
  is are was were am be been being isn't aren't wasn't weren't
  do does did doing done don't doesn't didn't
  has have had having hasn't haven't hadn't
  can could would should will shall may might must can't couldn't wouldn't shouldn't won't
  the a an this that these those there here
  of in on at to for from by with about into onto as than
  and or nor not but if then so
  it its they them their he him his she her we us our you your i me my i'm i've i'd
  please tell give find show list explain describe know want need looking
  any some such also just
`);

/** Name of the stopword list in `@orama/stopwords` (most are Snowball's), and words of questions that it lacks. */
const LISTS: Readonly<Partial<Record<LanguageId, readonly [name: string, questions: string]>>> = {
  de: [
    'german',
    'wer wen wem wessen wann warum weshalb wieso woher wohin worin womit wofür wodurch wurde wurden bitte',
  ],
  fr: ['french', 'où quand comment pourquoi combien lequel laquelle lesquels lesquelles quoi est-ce veuillez'],
  es: ['spanish', 'porqué favor'],
  it: ['italian', 'perché quando quale quali quanto quanta quanti quante cosa dove'],
  pt: ['portuguese', 'onde porque porquê quais quanto quanta quantos quantas favor'],
  nl: ['dutch', 'wie welke welk wanneer waar waarom hoe hoeveel waarin waarmee werd werden'],
  sv: ['swedish', 'vilket vilken vilka hur varför var när'],
  no: ['norwegian', 'hvem hva hvilken hvilket hvilke når hvor hvorfor hvordan'],
  da: ['danish', 'hvem hvad hvilken hvilket hvilke hvornår hvor hvorfor hvordan'],
  fi: ['finnish', 'milloin miksi miten kuinka paljonko montako kuka mikä'],
  ru: ['russian', 'какие какое каков какова почему откуда сколько чей чья чьё'],
  tr: ['turkish', 'kaç kimin hangisi nereden mıdır midir nedir kimdir'],
  ar: ['arabic', 'من ما ماذا متى أين لماذا كيف كم هل أي أية هو هي التي الذي'],
  hi: ['indian', 'क्या कब कहाँ कहां क्यों कैसे किसने किसका किसकी किसके कितने कितनी में की है से'],
  el: ['greek', 'ποιος ποια ποιο τι πότε πού γιατί πώς πόσο πόσοι πόσες πόσα ποιες'],
};

const known = new Map<LanguageId, ReadonlySet<string>>();

/**
 * Words that frame a question in a language and say nothing of its subject, plain. None where words are not told apart
 * by spaces, or the language is not known.
 */
export function scaffoldingOf(language: Language): ReadonlySet<string> {
  const scaffolding = known.get(language.id) ?? makeScaffolding(language);
  known.set(language.id, scaffolding);
  return scaffolding;
}

function makeScaffolding({ id, normalize, plain }: Language): ReadonlySet<string> {
  if (id === 'en') return ENGLISH;
  const list = LISTS[id];
  if (list === undefined) return new Set();
  const [name, questions] = list;
  const { stopwords } = require(`@orama/stopwords/${name}`) as typeof import('@orama/stopwords/german');
  return new Set([...stopwords, ...words(questions)].map((word) => plain(normalize(word))));
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}
