import { compareNames, type DocumentName, SELECT_NAME } from '../document.ts';
import { writePackedColumn } from '../packed-columns.ts';
import { type ColumnUnits, LeafDirectoryBuilder, walkSegment } from '../postings/index.ts';
import type { Database } from '../sqlite.ts';
import { classifyLengths, encodeLengths } from './chunk-lengths.ts';
import { encodeDocumentOrder, encodeDocumentStarts } from './document-starts.ts';
import { ListEncoder } from './list-encoder.ts';
import { encodeModifiedTimes } from './modified-times.ts';

/** What sealing knows of a shard besides its FTS5 index. */
export interface IndexedChunks {
  /** tokens of chunk c, all columns, at index c; index 0 is unused */
  readonly tokens: Uint32Array;
  /** first chunk of every document, ascending */
  readonly starts: Uint32Array;
}

/**
 * Writes what is searched beside FTS5's tables: offset lists of frequent terms, the leaf directory, lengths of chunks, and
 * chunks, order and times of documents. Reads every page of the index once. Runs inside the caller's transaction.
 * @param listThreshold chunks in which a term must occur to have a list
 * @returns the number of lists
 */
export function writeIndex(
  database: Database,
  file: string,
  { tokens, starts }: IndexedChunks,
  columnUnits: ColumnUnits,
  listThreshold: number,
): number {
  const chunkCount = tokens.length - 1;
  const lengths = classifyLengths(tokens);
  writePackedColumn(database, 'lengths', encodeLengths(lengths));
  writePackedColumn(database, 'documents', encodeDocumentStarts(starts, chunkCount));
  writePackedColumn(database, 'order', encodeDocumentOrder(ranksOf(database)));
  writePackedColumn(database, 'modified', encodeModifiedTimes(modifiedTimesOf(database)));

  const insertList = database.prepare('INSERT INTO list VALUES(?, ?, ?)');
  const insertSegment = database.prepare('INSERT INTO list_segment VALUES(?, ?, ?)');
  const encoder = new ListEncoder(lengths, starts, columnUnits);
  const directory = new LeafDirectoryBuilder();
  let lists = 0;
  let nextSegment = 1;
  walkSegment(database, file, chunkCount, columnUnits, {
    leaf: (page, bytes, separator) => directory.add(page, bytes, separator),
    term: (term, postings) => {
      if (postings.length < listThreshold) return;
      const { head, segments } = encoder.encode(term, postings, nextSegment);
      insertList.run(term.toString('utf8'), nextSegment, head);
      for (const { rawLength, data } of segments) insertSegment.run(nextSegment++, rawLength, data);
      lists++;
    },
  });
  writePackedColumn(database, 'leaves', directory.finish());
  return lists;
}

/** Place of each document, in the order of ids, when all are sorted by uri, then collection. */
function ranksOf(database: Database): Uint32Array {
  const rows = database.prepare(`${SELECT_NAME} ORDER BY document.id`).all() as DocumentName[];
  const sorted = [...rows.keys()].sort((a, b) => compareNames(rows[a]!, rows[b]!));
  const ranks = new Uint32Array(rows.length);
  for (const [rank, document] of sorted.entries()) ranks[document] = rank;
  return ranks;
}

/** When each document was modified, in the order of ids. */
function modifiedTimesOf(database: Database): Float64Array {
  const rows = database.prepare('SELECT modified_at FROM document ORDER BY id').pluck().all() as (string | null)[];
  return Float64Array.from(rows, (time) => (time === null ? Number.NaN : Date.parse(time)));
}
