import { extname } from 'node:path';
import { ShelfmarkError } from '../../shards/index.ts';
import { readLines, type Source } from '../sources/index.ts';
import type { BatchQuery } from './answer-batch.ts';

/** How the queries of a file are written. */
type QueryFormat = 'jsonl' | 'tsv' | 'lines';

/**
 * Reads queries one by one. JSON lines with `_id` (or `id`, `qid`) and `text` (or `query`, `question`); TSV with the id
 * before the first tab; else plain lines, whose id is their number from 1. Blank lines are no queries and are not counted.
 * The format is that of the file's name (.jsonl, .tsv), else of its first line.
 *
 * @throws ShelfmarkError SHELFMARK_USAGE naming the file and the query that cannot be read.
 */
export async function* readQueries(source: Source): AsyncGenerator<BatchQuery> {
  let format = formatOfName(source.uri);
  let number = 0;
  for await (const { text } of readLines(source)) {
    format ??= formatOfLine(text);
    yield parseQuery(text, format, source.uri, ++number);
  }
}

function formatOfName(name: string): QueryFormat | undefined {
  switch (extname(name.replace(/\.(gz|zst|bz2|xz)$/i, '')).toLowerCase()) {
    case '.jsonl':
    case '.ndjson':
      return 'jsonl';
    case '.tsv':
      return 'tsv';
    default:
      return undefined;
  }
}

function formatOfLine(line: string): QueryFormat {
  if (line.trimStart().startsWith('{')) return 'jsonl';
  return line.includes('\t') ? 'tsv' : 'lines';
}

function parseQuery(text: string, format: QueryFormat, file: string, number: number): BatchQuery {
  const fail = (problem: string): never => {
    throw new ShelfmarkError('SHELFMARK_USAGE', `${file}, query ${number}: ${problem}.`, { file, number });
  };
  switch (format) {
    case 'lines':
      return { id: String(number), text };
    case 'tsv': {
      const tab = text.indexOf('\t');
      if (tab <= 0) fail('expected an id, a tab and the query');
      return { id: text.slice(0, tab), text: text.slice(tab + 1) };
    }
    case 'jsonl': {
      let value: unknown;
      try {
        value = JSON.parse(text);
      } catch (error) {
        fail(`not valid JSON (${error instanceof Error ? error.message : String(error)})`);
      }
      if (typeof value !== 'object' || value === null) fail('expected a JSON object');
      const fields = value as Record<string, unknown>;
      const id = fields._id ?? fields.id ?? fields.qid;
      const query = fields.text ?? fields.query ?? fields.question;
      const isId = (typeof id === 'string' && id !== '') || Number.isSafeInteger(id);
      if (!isId) fail('"_id" must be a string or an integer');
      if (typeof query !== 'string') return fail('"text" must be a string');
      return { id: String(id), text: query };
    }
  }
}
