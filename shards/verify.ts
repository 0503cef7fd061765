import { compareAttributes, readAttributes } from './attributes/check-attributes.ts';
import type { StoredChunk } from './block.ts';
import { encodeError, explainReadError } from './errors.ts';
import { bodyTerms, headingTerms, titleTerms } from './field-terms.ts';
import type { ChunkId } from './format.ts';
import { PostingSum } from './posting-sum.ts';
import { analyzerFor, ShardReader, type StoredDocument } from './shard-reader.ts';

/** `quick` compares no index with the text, `sample` the attributes and some of the postings, `deep` all. */
export type VerifyDepth = 'quick' | 'sample' | 'deep';

/** One checked part of a shard. */
export interface VerifyPart {
  readonly name: 'open' | 'sqlite' | 'counts' | 'documents' | 'blocks' | 'columns' | 'attributes' | 'lists' | 'index';
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

/** Lists compared in a sample. */
const sampleLists = 64;

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
      parts.push({ name, status: 'damaged', detail: encodeError(explainReadError(file, error)).message });
    }
  };

  let reader: ShardReader | undefined;
  check('open', () => {
    reader = new ShardReader(file);
    return `format ${reader.meta.format}, analyzed by ${Object.keys(reader.meta.analyzers).join(', ')}`;
  });
  if (reader !== undefined) {
    const open = reader;
    check('sqlite', () => quickCheck(open, options.depth));
    check('counts', () => checkCounts(open));
    let documents: readonly CheckedDocument[] = [];
    check('documents', () => {
      documents = checkDocuments(open);
      return 'every checksum matches';
    });
    check('blocks', () => checkBlocks(open, documents));
    check('columns', () => checkColumns(open, documents));
    check('attributes', () => checkAttributes(open, options.depth));
    if (options.depth !== 'quick') {
      const step = options.depth === 'deep' ? 1 : Math.max(1, Math.floor(open.meta.lists / sampleLists));
      check('lists', () => checkLists(open, step));
    }
    if (options.depth === 'sample') check('index', () => checkSampledPostings(open));
    if (options.depth === 'deep') check('index', () => checkAllPostings(open));
    open.close();
  }
  return { file, ok: parts.every((part) => part.status === 'ok'), parts };
}

/**
 * SQLite's own check. On the whole file it also runs FTS5's over the whole index, most of its time; right after sealing,
 * which has just walked over every posting, tables are enough: the pages are compared with checksums made in that walk.
 */
function quickCheck(reader: ShardReader, depth: VerifyDepth): string {
  const tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'";
  const pragmas =
    depth === 'quick'
      ? [...reader.inspect(tables)].map(([name]) => `PRAGMA quick_check('${String(name)}')`)
      : ['PRAGMA quick_check(5)'];
  for (const pragma of pragmas) {
    const lines = [...reader.inspect(pragma)].map((row) => String(row[0]));
    if (lines.length !== 1 || lines[0] !== 'ok') throw new Error(lines.join('; '));
  }
  return 'quick_check ok';
}

function checkCounts(reader: ShardReader): string {
  const { documents, chunks, blocks, metadataBlocks, attributeBlocks, lists } = reader.meta;
  const expected = {
    document: documents,
    block: blocks,
    metadata_block: metadataBlocks,
    attribute_block: attributeBlocks,
    list: lists,
  };
  for (const [table, count] of Object.entries(expected)) {
    const [row] = [...reader.inspect(`SELECT count(*) FROM ${table}`)];
    if (row?.[0] !== count) throw new Error(`${table} has ${String(row?.[0])} rows, expected ${count}`);
  }
  return `${documents} documents, ${chunks} chunks, ${blocks} blocks, ${lists} lists`;
}

/** What other parts must agree with. */
type CheckedDocument = Pick<StoredDocument, 'id' | 'modifiedAt'>;

/** All documents, in order. @throws when a row or its metadata is damaged, or the rows do not cover the chunks. */
function checkDocuments(reader: ShardReader): CheckedDocument[] {
  const checked: CheckedDocument[] = [];
  const analyzers = new Map<string, number>();
  let next = 1;
  for (const document of reader.documents()) {
    if (document.id !== next) throw new Error(`document ${document.id} should have been ${next}`);
    reader.metadata(document);
    analyzers.set(document.analyzer, (analyzers.get(document.analyzer) ?? 0) + 1);
    checked.push({ id: document.id, modifiedAt: document.modifiedAt });
    next += document.chunkCount;
  }
  if (next !== reader.meta.chunks + 1) throw new Error(`documents cover ${next - 1} of ${reader.meta.chunks} chunks`);
  for (const [analyzer, count] of analyzers) {
    const expected = reader.meta.analyzers[analyzer] ?? 0;
    if (count !== expected) throw new Error(`${count} documents have analyzer ${analyzer}, expected ${expected}`);
  }
  return checked;
}

/** @param documents in order, walked side by side with the blocks; empty when they are damaged. */
function checkBlocks(reader: ShardReader, documents: readonly CheckedDocument[]): string {
  let next = 1;
  let textBytes = 0;
  let at = 0;
  for (const chunk of reader.chunks()) {
    if (chunk.chunk !== next) throw new Error(`chunk ${chunk.chunk} should have been ${next}`);
    if (documents[at + 1]?.id === next) at++;
    if (documents.length > 0 && chunk.document !== documents[at]?.id) {
      throw new Error(`chunk ${next} says document ${chunk.document}, the table says ${documents[at]?.id}`);
    }
    textBytes += chunk.textBytes;
    next++;
  }
  if (next !== reader.meta.chunks + 1) throw new Error(`blocks hold ${next - 1} of ${reader.meta.chunks} chunks`);
  if (textBytes !== reader.meta.textBytes) {
    throw new Error(`blocks hold ${textBytes} bytes of text, expected ${reader.meta.textBytes}`);
  }
  return `${textBytes} bytes of text decompress`;
}

/** Opens the packed columns and compares them with what they are made from. @param documents as for {@link checkBlocks} */
function checkColumns(reader: ShardReader, documents: readonly CheckedDocument[]): string {
  const { index } = reader;
  const { classes, lengths } = index.lengths();
  let tokens = 0;
  for (let chunk = 1; chunk < classes.length; chunk++) tokens += lengths[classes[chunk]!]!;
  if (tokens !== reader.meta.terms) throw new Error(`lengths add up to ${tokens}, expected ${reader.meta.terms}`);
  const starts = index.documentStarts();
  const times = index.modifiedTimes();
  for (const [number, { id, modifiedAt }] of documents.entries()) {
    if (starts[number] !== id) throw new Error(`document number ${number + 1} begins with another chunk in the table`);
    const time = modifiedAt === null ? Number.NaN : Date.parse(modifiedAt);
    if (!Object.is(times[number], time)) throw new Error(`document ${id} was modified at another time`);
  }
  const ranks = new Set(Array.from(starts, (_, document) => index.rankOf(document)));
  if (ranks.size !== reader.meta.documents) throw new Error('two documents have the same place in the order');
  return `${tokens} tokens; ${index.checkPages()} pages of the index match their checksums`;
}

/** Right after sealing the attributes have just been made from the documents; reading them is enough. */
function checkAttributes(reader: ShardReader, depth: VerifyDepth): string {
  return depth === 'quick'
    ? `${readAttributes(reader)} values can be read`
    : `${compareAttributes(reader)} values match the documents`;
}

/** Compares offset lists with the pages they were made from. @param step compares every step-th list */
function checkLists(reader: ShardReader, step: number): string {
  let at = 0;
  let compared = 0;
  for (const [term] of reader.inspect('SELECT term FROM list ORDER BY term')) {
    if (at++ % step !== 0) continue;
    reader.index.checkList(String(term));
    compared++;
  }
  return `${compared} lists match the index`;
}

/** Compares the index with re-analysed text for chunks spread evenly over the shard. */
function checkSampledPostings(reader: ShardReader): string {
  const { chunks } = reader.meta;
  const step = Math.max(1, Math.floor(chunks / sampleChunks));
  let compared = 0;
  for (let id = 1; id <= chunks; id += step) {
    const chunk = reader.chunk(id as ChunkId);
    const terms = [...new Set(fieldsOf(chunk, reader.documentOfChunk(chunk.chunk)).flat())];
    const stride = Math.max(1, Math.floor(terms.length / sampleTerms));
    for (let at = 0; at < terms.length; at += stride) {
      const quoted = `"${terms[at]}"`;
      // FTS5 takes no notice of a rowid bound as a JavaScript number: it arrives as REAL.
      const found = [...reader.inspect('SELECT rowid FROM fts WHERE fts MATCH ? AND rowid = ?', quoted, BigInt(id))];
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
  const text = new PostingSum();
  let document: StoredDocument | undefined;
  for (const chunk of reader.chunks()) {
    if (document?.id !== chunk.document) document = reader.documentOfChunk(chunk.chunk);
    for (const [column, terms] of fieldsOf(chunk, document).entries()) {
      for (const [offset, term] of terms.entries()) text.add(term, chunk.chunk, columns[column] ?? '', offset);
    }
  }
  const index = new PostingSum();
  reader.attachPostings();
  for (const [term, chunk, column, offset] of reader.inspect('SELECT term, doc, col, offset FROM temp.posting')) {
    index.add(String(term), Number(chunk), String(column), Number(offset));
  }
  if (index.count !== text.count || index.sum !== text.sum) {
    throw new Error(`the index holds ${index.count} postings, the text gives ${text.count}, or they differ`);
  }
  if (index.count !== reader.meta.terms) {
    throw new Error(`the index holds ${index.count} postings, expected ${reader.meta.terms}`);
  }
  return `${index.count} postings match the text`;
}

const columns = ['title', 'heading', 'body'];

/** Terms of the three columns as the writer bound them. */
function fieldsOf(chunk: StoredChunk, document: StoredDocument): string[][] {
  const analyzer = analyzerFor(document.analyzer);
  return [
    split(titleTerms(analyzer, document.title)),
    split(headingTerms(analyzer, chunk.heading)),
    split(bodyTerms(analyzer, Buffer.from(chunk.body))),
  ];
}

function split(terms: Buffer): string[] {
  return terms.length === 0 ? [] : terms.toString('utf8').split(' ');
}
