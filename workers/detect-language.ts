import type { LanguageId } from '../shards/index.ts';

/** UTF-16 units of a document that are looked at: longer samples are told no better, and each costs as much as a chunk. */
const sampleLength = 320;

/** Says in which language a document is, of those that there is an analyzer for. */
export type DetectLanguage = (document: { readonly title: string; readonly text: string }) => LanguageId;

/**
 * Loads the detector: 80 MB of tables, for a build alone that asks for it. A language that it knows and that has no analyzer
 * of its own is `simple`, and so is what it takes for no language.
 */
export async function loadDetector(): Promise<DetectLanguage> {
  const { eld } = await import('eld/extrasmall');
  return ({ title, text }) => {
    const sample = `${title.slice(0, sampleLength)}\n${text.slice(0, sampleLength)}`.slice(0, sampleLength);
    return languageOfScript(sample) ?? detected.get(eld.detect(sample.toWellFormed()).language) ?? 'simple';
  };
}

/** The detector's names of languages that have an analyzer; what it calls otherwise is among them too. */
const detected: ReadonlyMap<string, LanguageId> = new Map<string, LanguageId>([
  ...(['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'sv', 'no', 'da', 'fi', 'ru', 'tr', 'ar', 'hi', 'el'] as const).map(
    (id) => [id, id] as const,
  ),
  ['nb', 'no'],
  ['nn', 'no'],
]);

const CJK = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]/gu;
const UNSPACED = /[\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/gu;

/**
 * What the script alone tells: a text written without spaces says in few characters what Latin names among them take many for,
 * so a third of its letters is enough.
 */
function languageOfScript(sample: string): LanguageId | undefined {
  const least = countOf(sample, /\p{L}/gu) / 3;
  const cjk = countOf(sample, CJK);
  if (cjk > least) return 'cjk';
  return countOf(sample, UNSPACED) > Math.max(least, cjk) ? 'th' : undefined;
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
