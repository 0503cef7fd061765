import { AsciiTerms } from './ascii-terms.ts';
import { visitCjkTerms } from './cjk.ts';
import { compatible } from './fold.ts';
import type { Language } from './language.ts';
import { ANALYZER_IDS, languageOfAnalyzer } from './languages.ts';
import { type AnalyzerParameters, analyzerParameters } from './parameters.ts';
import type { QueryToken } from './query-token.ts';
import { Segmenter } from './segmenter.ts';
import { TermBuffer } from './term-buffer.ts';
import { MAX_KEY_BYTES, TermTable } from './term-table.ts';
import { UnknownAnalyzerError } from './unknown-analyzer-error.ts';
import { utf16Length } from './utf16-offsets.ts';
import { type WordTerms, wordBeginning, wordTerms } from './word-terms.ts';

/** Longer CJK runs are clauses that hardly come again; keeping them would only fill the table. */
const MAX_CJK_KEY_BYTES = 18;
/** Distinct tokens whose terms `encodeField` remembers before it forgets them all. */
const MAX_REMEMBERED_TOKENS = 1 << 18;
/** Distinct words whose terms `visitTerms` remembers before it forgets them all. */
const MAX_REMEMBERED_WORDS = 32_768;
const FIRST_FIELD_BYTES = 4_096;

const NON_ASCII = /[^\x00-\x7f]/;

/** What an analyzer has met in `encodeField` since it was created. */
export interface AnalyzerCounters {
  /** Terms written, extras included. */
  readonly terms: number;
  /** Words cut because they were too long. */
  readonly cutWords: number;
  /** Base64 runs passed over. */
  readonly skippedRuns: number;
}

/** The analyzer with this id, such as `de-1`. Throws `UnknownAnalyzerError` for one that this version does not have. */
export function createAnalyzer(id: string): Analyzer {
  const language = languageOfAnalyzer(id);
  if (language === undefined) throw new UnknownAnalyzerError(id, ANALYZER_IDS);
  return new Analyzer(language);
}

/**
 * Text to terms, for build, query and snippets alike. A term is never empty and has no space, NUL or ASCII punctuation
 * other than `+ # . - _`.
 *
 * An analyzer is used by one thread; it keeps up to 42 MiB of terms it has met and a buffer of the largest field's size.
 */
export class Analyzer {
  readonly id: string;
  readonly language: Language;
  readonly parameters: AnalyzerParameters;

  readonly #segmenter: Segmenter;
  readonly #table = new TermTable(MAX_REMEMBERED_TOKENS);
  readonly #asciiTerms: AsciiTerms | undefined;
  readonly #sink = { main: new TermBuffer(FIRST_FIELD_BYTES), extras: new TermBuffer(FIRST_FIELD_BYTES) };
  readonly #words = new Map<string, WordTerms>();
  #terms = 0;
  #cutWords = 0;

  constructor(language: Language) {
    this.id = language.analyzer;
    this.language = language;
    this.parameters = analyzerParameters(language);
    this.#segmenter = new Segmenter(language.pairsUnspaced);
    this.#asciiTerms = language.stemAscii === null ? undefined : new AsciiTerms(language.stemAscii);
  }

  /** Counted by `encodeField` only. */
  get counters(): AnalyzerCounters {
    return { terms: this.#terms, cutWords: this.#cutWords, skippedRuns: this.#segmenter.skippedRuns };
  }

  /**
   * The terms of a whole field, joined by single spaces: the main stream in the order of the text, then the extras.
   * Malformed UTF-8 separates words.
   *
   * @returns a view that is valid until the next call
   */
  encodeField(utf8: Uint8Array): Buffer {
    const segmenter = this.#segmenter;
    const table = this.#table;
    const sink = this.#sink;
    sink.main.length = 0;
    sink.extras.length = 0;
    segmenter.reset(utf8);
    while (segmenter.next()) {
      const { start, end, hash } = segmenter;
      const isKept = end - start <= (segmenter.isCjk ? MAX_CJK_KEY_BYTES : MAX_KEY_BYTES);
      const slot = isKept ? table.find(utf8, start, end, hash) : -1;
      if (slot < 0) {
        this.#encodeUnknown(utf8, start, end, isKept);
      } else {
        table.write(slot, sink);
        this.#terms += table.terms(slot);
        this.#cutWords += table.cutWords(slot);
      }
    }
    segmenter.release();
    sink.main.appendBytes(sink.extras.bytes, 0, sink.extras.length);
    return sink.main.bytes.subarray(0, Math.max(0, sink.main.length - 1));
  }

  #encodeUnknown(utf8: Uint8Array, start: number, end: number, isKept: boolean): void {
    const { main, extras } = this.#sink;
    const mainStart = main.length;
    const extrasStart = extras.length;
    const termsBefore = this.#terms;
    const cutWordsBefore = this.#cutWords;
    const { hash, isCjk } = this.#segmenter;
    const asciiTerms = isCjk ? -1 : (this.#asciiTerms?.encode(utf8, start, end, this.#sink) ?? -1);
    if (asciiTerms >= 0) this.#terms += asciiTerms;
    else this.#encodeText(Buffer.from(utf8.buffer, utf8.byteOffset + start, end - start).toString('utf8'));
    if (!isKept) return;
    const terms = this.#terms - termsBefore;
    const cutWords = this.#cutWords - cutWordsBefore;
    this.#table.add(utf8, start, end, hash, this.#sink, mainStart, extrasStart, terms, cutWords);
  }

  #encodeText(token: string): void {
    if (this.#segmenter.isCjk) {
      visitCjkTerms(token, this.#appendTerm);
      return;
    }
    const { terms, cutWords } = wordTerms(token, this.language);
    for (const term of terms) this.#appendTerm(term.text, term.start, term.end, term.extra);
    this.#cutWords += this.#segmenter.isCut ? Math.max(1, cutWords) : cutWords;
  }

  readonly #appendTerm = (term: string, _start: number, _end: number, extra: boolean): void => {
    (extra ? this.#sink.extras : this.#sink.main).appendTerm(term);
    this.#terms++;
  };

  /**
   * Visits the terms of `text` with the span each came from (UTF-16 units, never splitting a code point), in order of
   * start: the same terms, as often, as `encodeField` writes for it. Only those in `wanted`, or all when it is undefined.
   */
  visitTerms(
    text: string,
    wanted: ReadonlySet<string> | undefined,
    visit: (term: string, start: number, end: number) => void,
  ): void {
    const wantsCjk = wanted === undefined || [...wanted].some((term) => NON_ASCII.test(term));
    this.#forEachToken(text, (tokenText, tokenStart, isCjk) => {
      if (isCjk) {
        if (!wantsCjk) return;
        visitCjkTerms(tokenText, (term, start, end) => {
          if (wanted === undefined || wanted.has(term)) visit(term, tokenStart + start, tokenStart + end);
        });
        return;
      }
      for (const { text: term, start, end } of this.#wordTerms(tokenText).terms) {
        if (wanted === undefined || wanted.has(term)) visit(term, tokenStart + start, tokenStart + end);
      }
    });
  }

  #wordTerms(token: string): WordTerms {
    const known = this.#words.get(token);
    if (known !== undefined) return known;
    // A copy: a slice would keep the whole text it came from alive.
    const copy = Buffer.from(token).toString();
    const terms = wordTerms(copy, this.language);
    if (copy.length > MAX_KEY_BYTES) return terms;
    if (this.#words.size >= MAX_REMEMBERED_WORDS) this.#words.clear();
    this.#words.set(copy, terms);
    return terms;
  }

  /** The main terms of `text` in its order: those whose neighbours in the index are their neighbours in the text. */
  mainTerms(text: string): string[] {
    const terms: string[] = [];
    this.#forEachToken(text, (tokenText, _start, isCjk) => {
      if (isCjk) {
        visitCjkTerms(tokenText, (term, _termStart, _termEnd, extra) => {
          if (!extra) terms.push(term);
        });
        return;
      }
      for (const { text: term, extra } of this.#wordTerms(tokenText).terms) if (!extra) terms.push(term);
    });
    return terms;
  }

  /**
   * With what terms begin of words that begin as `text` does, which is one word. Terms have lost their endings, so a beginning
   * that reaches into one finds nothing: `librari` does, `librarie` does not.
   */
  beginningOf(text: string): string {
    let beginning = '';
    this.#forEachToken(text, (tokenText, _start, isCjk) => {
      beginning += isCjk ? compatible(tokenText) : wordBeginning(tokenText, this.language);
    });
    return beginning;
  }

  /** The tokens of a query, in order. Text without any word has none. The caller bounds the length of the query. */
  queryTokens(text: string): QueryToken[] {
    const tokens: QueryToken[] = [];
    this.#forEachToken(text, (tokenText, start, isCjk) => {
      const alternatives = isCjk ? cjkAlternatives(tokenText) : this.#wordTerms(tokenText).alternatives;
      if (alternatives.length === 0) return;
      tokens.push({ text: tokenText.normalize('NFC'), start, end: start + tokenText.length, alternatives });
    });
    return tokens;
  }

  /** The raw tokens of `text` and where each begins, in UTF-16 units. Lone surrogates separate. */
  #forEachToken(text: string, visit: (token: string, start: number, isCjk: boolean) => void): void {
    // A lone surrogate becomes U+FFFD, which is one unit too: offsets stay true.
    const bytes = Buffer.from(text, 'utf8');
    const isAscii = bytes.length === text.length;
    // Its own segmenter, so that `visit` may use the analyzer.
    const segmenter = new Segmenter(this.language.pairsUnspaced);
    segmenter.reset(bytes);
    let byteOffset = 0;
    let offset = 0;
    while (segmenter.next()) {
      const { start, end, isCjk } = segmenter;
      offset += isAscii ? start - byteOffset : utf16Length(bytes, byteOffset, start);
      byteOffset = end;
      const tokenStart = offset;
      offset += isAscii ? end - start : utf16Length(bytes, start, end);
      visit(text.slice(tokenStart, offset), tokenStart, isCjk);
    }
  }
}

/** The pairs of a run; a single character is its own term. Singles of a longer run need not be asked for: the pairs hold them. */
function cjkAlternatives(run: string): string[][] {
  const main: string[] = [];
  visitCjkTerms(run, (term, _start, _end, extra) => {
    if (!extra) main.push(term);
  });
  return main.length === 0 ? [] : [main];
}
