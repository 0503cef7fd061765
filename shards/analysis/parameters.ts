import type { Language } from './language.ts';

/** The analyzer of a build that names no language. */
export const ANALYZER_ID = 'en-1';

/** Longest term in UTF-8 bytes; a longer word is cut at a code point border. */
export const MAX_WORD_BYTES = 128;
/** A compound of more parts has no whole; it is found through its parts. */
export const MAX_WHOLE_PARTS = 6;
/** A compound whose whole would be longer in UTF-8 bytes has none. */
export const MAX_WHOLE_BYTES = 64;
/** Longest raw token in bytes: a longer one ends at its next joiner, and where there is none it is cut. */
export const MAX_TOKEN_BYTES = 1_024;
/** Shortest unbroken run in bytes that can be taken for base64. */
export const MIN_BASE64_BYTES = 60;

/** What made a shard's terms: plain JSON data, recorded in the shard. Two shards with equal parameters have comparable terms. */
export interface AnalyzerParameters {
  readonly analyzer: string;
  /** Unicode version of the character classes and the normalisation, those of the running Node. */
  readonly unicode: string;
  readonly stemmer: { readonly name: string; readonly version: string } | null;
  readonly maxWordBytes: number;
  readonly maxWholeParts: number;
  readonly maxWholeBytes: number;
  readonly maxTokenBytes: number;
  readonly minBase64Bytes: number;
}

/** The parameters of a language's analyzer in this process. */
export function analyzerParameters({ analyzer, stemmer }: Language): AnalyzerParameters {
  return {
    analyzer,
    unicode: process.versions.unicode ?? 'none',
    stemmer,
    maxWordBytes: MAX_WORD_BYTES,
    maxWholeParts: MAX_WHOLE_PARTS,
    maxWholeBytes: MAX_WHOLE_BYTES,
    maxTokenBytes: MAX_TOKEN_BYTES,
    minBase64Bytes: MIN_BASE64_BYTES,
  };
}
