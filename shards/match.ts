import { CorruptError } from './errors.ts';
import type { ChunkId, DocumentId } from './format.ts';
import type { ShardFilter, ShardReader } from './shard-reader.ts';

/** What a shard is asked for: tokens already analysed, and how they combine. */
export interface ShardQuery {
  /** `and`: every token must occur. `or`: any term of any alternative, so that parts of a word count for something. */
  readonly mode: 'and' | 'or';
  /** per token its alternatives: a token occurs where all terms of any one alternative occur */
  readonly tokens: readonly (readonly (readonly string[])[])[];
}

/** How many hits, of what, from where. */
export interface MatchOptions {
  /** hits wanted, 1 to 10,000 */
  readonly k: number;
  /** one hit per chunk, or only the best chunk of each document */
  readonly by: 'chunk' | 'document';
  readonly filter: ShardFilter;
  /** called every {@link rowsPerCheck} rows; throws to stop */
  readonly check: () => void;
}

/** A hit as ranked inside one shard, before its text is fetched. */
export interface RankedChunk {
  readonly score: number;
  readonly chunk: ChunkId;
  readonly document: DocumentId;
  readonly ordinal: number;
  readonly uri: string;
}

/**
 * Weights of the columns title, heading and body in bm25(). Against (1, 1, 1) these gain on scifact (nDCG@10 .704, was
 * .696) and cranfield (.362, was .354), and change medquad and xquad-en by less than .003.
 */
export const COLUMN_WEIGHTS = [2, 1.5, 1] as const;

const rowsPerCheck = 512;

/**
 * Finds and scores: the k best hits of one shard, best first, ties by uri, then ordinal. This function is the only place
 * that knows how hits are found and scored.
 */
export function matchShard(reader: ShardReader, query: ShardQuery, options: MatchOptions): RankedChunk[] {
  const allowed = reader.allowedChunks(options.filter);
  const best = new BestChunks(reader, options.k, options.by);
  let rows = 0;
  for (const [chunk, score] of reader.matches(toExpression(query), COLUMN_WEIGHTS)) {
    if (++rows % rowsPerCheck === 0) options.check();
    if (!Number.isFinite(score)) throw new CorruptError(reader.file, 'its index', `chunk ${chunk} scores ${score}`);
    if (allowed === null || allowed[chunk] === 1) best.offer(chunk, score);
  }
  return best.take();
}

/** FTS5 expression of a query. Every term is quoted, so no character of it is an operator. */
export function toExpression(query: ShardQuery): string {
  if (query.mode === 'or') {
    return [...new Set(query.tokens.flat(2))].map(quote).join(' OR ');
  }
  const groups = query.tokens.map((alternatives) =>
    alternatives.map((terms) => parenthesize([...new Set(terms)].map(quote).join(' AND '))).join(' OR '),
  );
  return [...new Set(groups)].map(parenthesize).join(' AND ');
}

function quote(term: string): string {
  return `"${term.replaceAll('"', '""')}"`;
}

function parenthesize(expression: string): string {
  return `(${expression})`;
}

/** Order of hits everywhere: score, then uri (code unit order), then ordinal. */
export function compareRanked(
  a: { readonly score: number; readonly uri: string; readonly ordinal: number },
  b: { readonly score: number; readonly uri: string; readonly ordinal: number },
): number {
  if (a.score !== b.score) return b.score - a.score;
  if (a.uri !== b.uri) return a.uri < b.uri ? -1 : 1;
  return a.ordinal - b.ordinal;
}

interface Candidate {
  readonly chunk: ChunkId;
  readonly score: number;
}

/**
 * Keeps the candidates that can still be among the k best. Chunks that tie with the k-th are all kept until the end,
 * because which of them is in is decided by uri.
 */
class BestChunks {
  readonly #reader: ShardReader;
  readonly #k: number;
  readonly #by: 'chunk' | 'document';
  readonly #documents = new Map<ChunkId, DocumentId>();
  #candidates: Candidate[] = [];
  #threshold = Number.NEGATIVE_INFINITY;
  #pruneAt: number;

  constructor(reader: ShardReader, k: number, by: 'chunk' | 'document') {
    this.#reader = reader;
    this.#k = k;
    this.#by = by;
    this.#pruneAt = 4 * k + 64;
  }

  offer(chunk: ChunkId, score: number): void {
    if (score < this.#threshold) return;
    this.#candidates.push({ chunk, score });
    if (this.#candidates.length >= this.#pruneAt) this.#prune();
  }

  take(): RankedChunk[] {
    this.#prune();
    return this.#candidates
      .map(({ chunk, score }): RankedChunk => {
        const { id, uri } = this.#reader.documentOfChunk(chunk);
        return { score, chunk, document: id, ordinal: chunk - id + 1, uri };
      })
      .sort(compareRanked)
      .slice(0, this.#k);
  }

  /** Drops what cannot be a hit any more; in `by: 'document'` also all but the best chunk of each document. */
  #prune(): void {
    this.#candidates.sort((a, b) => b.score - a.score || a.chunk - b.chunk);
    const best: Candidate[] = [];
    const seen = new Set<DocumentId>();
    for (const candidate of this.#candidates) {
      const kth = best[this.#k - 1];
      if (kth !== undefined && candidate.score < kth.score) break;
      if (this.#by === 'document') {
        const document = this.#documentOf(candidate.chunk);
        if (seen.has(document)) continue;
        seen.add(document);
      }
      best.push(candidate);
    }
    this.#candidates = best;
    this.#threshold = best[this.#k - 1]?.score ?? Number.NEGATIVE_INFINITY;
    this.#pruneAt = Math.max(this.#pruneAt, 2 * best.length);
  }

  #documentOf(chunk: ChunkId): DocumentId {
    let document = this.#documents.get(chunk);
    if (document === undefined) {
      document = this.#reader.documentIdOfChunk(chunk);
      this.#documents.set(chunk, document);
    }
    return document;
  }
}
