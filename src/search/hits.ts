import { type ChunkExplanation, renderSnippet, type Work } from '../../shards/index.ts';
import type { MatchMode, RungName } from './match-policy.ts';

/** One result, with everything needed to cite it. The JSON output has the same names. */
export interface Hit {
  /** from 1 */
  readonly rank: number;
  readonly score: number;
  /** citation that stays valid: shard/document/chunk */
  readonly shelfmark: string;
  readonly uri: string;
  readonly title: string;
  /** heading path, outermost first */
  readonly heading: readonly string[];
  /** the heading path as anchors, joined by slashes: with uri and ordinal the same in every build of the same document */
  readonly section: string;
  /** number of the chunk in its document, from 1 */
  readonly ordinal: number;
  /** excerpt on one line, plain text */
  readonly snippet: string;
  /** ranges of `snippet` in UTF-16 units */
  readonly highlights: readonly (readonly [start: number, end: number])[];
  /** the step that found it; a score is only comparable with those of the same step */
  readonly rung: RungName;
  /** by `hybrid`: where the hit stood by words and by vectors */
  readonly retrievers?: RetrieverRanks;
  /** tokens of the query, searched or not, that title, headings or text of the chunk have */
  readonly matched: readonly string[];
  readonly missing: readonly string[];
  readonly label: string;
  readonly kind: string;
  readonly collection: string;
  /** of the document, as it was built; see `BuildOptions.language` */
  readonly language: string;
  readonly modified_at: string | null;
  readonly source: HitSource;
  /** the whole chunk, when asked for */
  readonly text?: string;
  /** byte of the document's text at which `text` begins */
  readonly textStart?: number;
  /** how its score came about, when asked for */
  readonly explain?: ChunkExplanation;
  /** the best passages of the document, when asked for: best first, equal ones in the order of the text, this one among them */
  readonly evidence?: readonly Evidence[];
}

/** A passage of a hit's document, found and scored by the same step. */
export type Evidence = Pick<
  Hit,
  | 'shelfmark'
  | 'heading'
  | 'section'
  | 'ordinal'
  | 'score'
  | 'snippet'
  | 'highlights'
  | 'matched'
  | 'missing'
  | 'text'
  | 'textStart'
  | 'explain'
>;

/** Places in the lists that were joined, from 1; null: not in it, as far down as it was looked at. */
export interface RetrieverRanks {
  readonly lexical: number | null;
  readonly vector: number | null;
}

/** Where the record stands from which a hit comes. */
export interface HitSource {
  readonly path: string;
  /** byte range of the record in the decompressed file */
  readonly byteStart: number;
  readonly byteEnd: number;
  /** SHA-256 of these bytes in hex */
  readonly sha256: string;
}

/** How much of the corpus an answer rests on. */
export interface Coverage {
  readonly shards: number;
  readonly searched: number;
  /** answered from their text alone, since their index is damaged; with a failure each */
  readonly scanned: number;
  readonly failed: number;
  readonly timedOut: number;
  /** one entry per shard that failed or was scanned */
  readonly failures: readonly { readonly shard: string; readonly code: string; readonly message: string }[];
  /** when hits were found by vectors: shards searched that have none by the model, so that none of their passages was found so */
  readonly withoutVectors?: readonly string[];
}

/** How hits were found, when by more than words. */
export interface Retrieval {
  readonly retriever: 'vector' | 'hybrid';
  /** the model that made the vectors; null when there are none, and the hits are those of words alone */
  readonly model: string | null;
  /** what was missing, in a sentence; null: nothing */
  readonly note: string | null;
}

/** An answered query. */
export interface SearchAnswer {
  readonly query: string;
  readonly match: MatchMode;
  /** the step that gave the hits, with `fill` the first of them; with no hits, the last one tried */
  readonly rung: RungName;
  readonly tokens: readonly string[];
  /** the tokens of that step: all of `tokens`, or the longest of them and of the `also` words */
  readonly searched: readonly string[];
  /** words of the query beyond the limit of 1,024, which were left out */
  readonly droppedTokens: number;
  readonly hits: readonly Hit[];
  readonly coverage: Coverage;
  /** only when hits were to be found by vectors, or by both */
  readonly retrieval?: Retrieval;
  readonly tookMs: number;
  readonly explain?: Explanation;
}

/** How an answer came about. */
export interface Explanation {
  /** BM25's parameters, and what it knows of the corpus */
  readonly scoring: {
    readonly k1: number;
    readonly b: number;
    /** of title, heading and body */
    readonly columnWeights: readonly [number, number, number];
    readonly chunks: number;
    readonly averageLength: number;
  };
  /** milliseconds for asking in how many chunks the terms are; 0 when all were known */
  readonly countMs: number;
  readonly rungs: readonly RungExplanation[];
  readonly fetchMs: number;
}

/** One step of an answer. */
export interface RungExplanation {
  readonly name: RungName;
  readonly tokens: readonly { readonly text: string; readonly alternatives: readonly (readonly string[])[] }[];
  readonly hits: number;
  /** from asking the threads to the merged list, and what the slowest thread spent of it */
  readonly ms: number;
  readonly threadMs: number;
  /** what all threads did together */
  readonly work: Work;
}

/** Markers around highlighted words. */
export interface Markers {
  readonly open: string;
  readonly close: string;
}

/**
 * A hit's snippet with markers around its highlights.
 * @param html escape the text (not the markers) for HTML.
 */
export function markSnippet(
  hit: Pick<Hit, 'snippet' | 'highlights'>,
  markers: Markers = { open: '<b>', close: '</b>' },
  html = false,
): string {
  return renderSnippet({ text: hit.snippet, highlights: hit.highlights }, { ...markers, html });
}
