import type { StoredChunk } from './block.ts';
import { encodeError } from './errors.ts';
import { bodyTerms, headingTerms, titleTerms } from './field-terms.ts';
import type { ChunkId } from './format.ts';
import { ShardReader } from './shard-reader.ts';

/** `quick` leaves the index's postings alone, `sample` compares some with the text, `deep` all. */
export type VerifyDepth = 'quick' | 'sample' | 'deep';

/** One checked part of a shard. */
export interface VerifyPart {
  readonly name: 'open' | 'sqlite' | 'counts' | 'documents' | 'blocks' | 'index';
  readonly status: 'ok' | 'damaged';
  readonly detail: string;
}

/** One status per part; nothing is printed. */
export interface VerifyReport {
  readonly file: string;
  readonly ok: boolean;
  readonly parts: readonly VerifyPart[];
}

/** Chunks whose postings are compared in a sample. */
const sampleChunks = 64;

/** Terms looked up per sampled chunk. */
const sampleTerms = 16;

/**
 * Checks a shard file part by part. The file's hash is the caller's to compare (see `hashFile`): it stands in the
 * catalog, and alone shows any flipped bit; this says where the damage is.
 */
export function verifyShardFile(file: string, options: { readonly depth: VerifyDepth }): VerifyReport {
  const parts: VerifyPart[] = [];
  const check = (name: VerifyPart['name'], run: () => string): void => {
    try {
      parts.push({ name, status: 'ok', detail: run() });
    } catch (error) {
      parts.push({ name, status: 'damaged', detail: encodeError(error).message });
    }
  };

  let reader: ShardReader | undefined;
  check('open', () => {
    reader = new ShardReader(file);
    return `format ${reader.meta.format}, analyzer ${reader.meta.analyzer}`;
  });
  if (reader !== undefined) {
    const open = reader;
    check('sqlite', () => quickCheck(open));
    check('counts', () => checkCounts(open));
    check('documents', () => checkDocuments(open));
    check('blocks', () => checkBlocks(open));
    if (options.depth === 'sample') check('index', () => checkSampledPostings(open));
    if (options.depth === 'deep') check('index', () => checkAllPostings(open));
    open.close();
  }
  return { file, ok: parts.every((part) => part.status === 'ok'), parts };
}

function quickCheck(reader: ShardReader): string {
  const lines = [...reader.inspect('PRAGMA quick_check(5)')].map((row) => String(row[0]));
  if (lines.length !== 1 || lines[0] !== 'ok') throw new Error(lines.join('; '));
  return 'quick_check ok';
}

function checkCounts(reader: ShardReader): string {
  const { documents, chunks, blocks } = reader.meta;
  const expected = { document: documents, block: blocks, fts_docsize: chunks };
  for (const [table, count] of Object.entries(expected)) {
    const [row] = [...reader.inspect(`SELECT count(*) FROM ${table}`)];
    if (row?.[0] !== count) throw new Error(`${table} has ${String(row?.[0])} rows, expected ${count}`);
  }
  return `${documents} documents, ${chunks} chunks, ${blocks} blocks`;
}

function checkDocuments(reader: ShardReader): string {
  let next = 1;
  for (const document of reader.documents()) {
    if (document.id !== next) throw new Error(`document ${document.id} should have been ${next}`);
    next += document.chunkCount;
  }
  if (next !== reader.meta.chunks + 1) throw new Error(`documents cover ${next - 1} of ${reader.meta.chunks} chunks`);
  return 'every checksum matches';
}

function checkBlocks(reader: ShardReader): string {
  let next = 1;
  let textBytes = 0;
  for (const chunk of reader.chunks()) {
    if (chunk.chunk !== next) throw new Error(`chunk ${chunk.chunk} should have been ${next}`);
    checkPlace(reader, chunk);
    textBytes += chunk.textBytes;
    next++;
  }
  if (next !== reader.meta.chunks + 1) throw new Error(`blocks hold ${next - 1} of ${reader.meta.chunks} chunks`);
  if (textBytes !== reader.meta.textBytes) {
    throw new Error(`blocks hold ${textBytes} bytes of text, expected ${reader.meta.textBytes}`);
  }
  return `${textBytes} bytes of text decompress`;
}

function checkPlace(reader: ShardReader, chunk: StoredChunk): void {
  const document = reader.documentOfChunk(chunk.chunk);
  if (document.id !== chunk.document) {
    throw new Error(`chunk ${chunk.chunk} says document ${chunk.document}, the table says ${document.id}`);
  }
}

/** Compares the index with re-analysed text for chunks spread evenly over the shard. */
function checkSampledPostings(reader: ShardReader): string {
  const { chunks } = reader.meta;
  const step = Math.max(1, Math.floor(chunks / sampleChunks));
  let compared = 0;
  for (let id = 1; id <= chunks; id += step) {
    const terms = [...new Set(fieldsOf(reader, reader.chunk(id as ChunkId)).flat())];
    const stride = Math.max(1, Math.floor(terms.length / sampleTerms));
    for (let at = 0; at < terms.length; at += stride) {
      const quoted = `"${terms[at]}"`;
      const found = [...reader.inspect('SELECT rowid FROM fts WHERE fts MATCH ? AND rowid = ?', quoted, id)];
      if (found.length !== 1) throw new Error(`chunk ${id} is not found by its term ${quoted}`);
      compared++;
    }
  }
  return `${compared} postings sampled`;
}

/**
 * Compares every posting with re-analysed text. Both sides are summed up as one number each, since FTS5 lists postings
 * by term and the text lists them by chunk.
 */
function checkAllPostings(reader: ShardReader): string {
  let expected = 0;
  let expectedCount = 0;
  const columns = ['title', 'heading', 'body'];
  for (const chunk of reader.chunks()) {
    for (const [column, terms] of fieldsOf(reader, chunk).entries()) {
      terms.forEach((term, offset) => {
        expected = addHash(expected, term, chunk.chunk, columns[column] ?? '', offset);
      });
      expectedCount += terms.length;
    }
  }
  let actual = 0;
  let actualCount = 0;
  reader.attachPostings();
  for (const [term, chunk, column, offset] of reader.inspect('SELECT term, doc, col, offset FROM temp.posting')) {
    actual = addHash(actual, String(term), Number(chunk), String(column), Number(offset));
    actualCount++;
  }
  if (actualCount !== expectedCount || actual !== expected) {
    throw new Error(`the index holds ${actualCount} postings, the text gives ${expectedCount}, or they differ`);
  }
  return `${actualCount} postings match the text`;
}

/** Terms of the three columns as the writer bound them. */
function fieldsOf(reader: ShardReader, chunk: StoredChunk): string[][] {
  const analyzer = reader.analyzer();
  const document = reader.documentOfChunk(chunk.chunk);
  return [
    split(titleTerms(analyzer, document.title)),
    split(headingTerms(analyzer, chunk.heading)),
    split(bodyTerms(analyzer, Buffer.from(chunk.body))),
  ];
}

function split(terms: Buffer): string[] {
  return terms.length === 0 ? [] : terms.toString('utf8').split(' ');
}

/** Adds a 32-bit FNV-1a hash of one posting to a sum below 2^53. */
function addHash(sum: number, term: string, chunk: number, column: string, offset: number): number {
  let hash = 0x811c9dc5;
  const mix = (value: number): void => {
    hash = Math.imul(hash ^ value, 0x01000193);
  };
  for (let index = 0; index < term.length; index++) mix(term.charCodeAt(index));
  mix(0);
  mix(chunk & 0xffff);
  mix(chunk >>> 16);
  mix(column.charCodeAt(0));
  mix(offset);
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return (sum + ((hash ^ (hash >>> 13)) >>> 0)) % Number.MAX_SAFE_INTEGER;
}
