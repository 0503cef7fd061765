/**
 * What a cut must not do, said a second time and slowly: grapheme clusters by Intl.Segmenter, words by a regular
 * expression. Unlike the chunker's own rules these allow every cut that is not wrong.
 */

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const SPACELESS =
  /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u1950-\u19ff\u1a20-\u1aaf\u2e80-\u312f\u3190-\ua4cf\ua9e0-\ua9ff\uaa60-\uaa7f\uf900-\ufaff\ufe30-\ufe4f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff9f\u{16fe0}-\u{18d7f}\u{1aff0}-\u{1b2ff}\u{20000}-\u{3ffff}]/u;

/** The positions at which a text may be cut: before a grapheme that starts a word or is, or follows, one of a script without spaces. */
export function allowedCuts(text: string): Set<number> {
  const cuts = new Set([0, text.length]);
  let before = '';
  for (const { segment, index } of graphemes.segment(text)) {
    const afterSpace = /\s$/u.test(before) && !/^\s+$/u.test(segment);
    if (afterSpace || SPACELESS.test(segment) || SPACELESS.test(before)) cuts.add(index);
    before = segment;
  }
  return cuts;
}

/** Words in a text without scripts that are written without spaces. */
export function countWords(text: string): number {
  return text.match(/\S+/gu)?.length ?? 0;
}
