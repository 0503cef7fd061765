import { ShelfmarkError } from '../../shards/index.ts';
import { escapeTrecId } from '../batch/trec.ts';
import { findLines, type Line, readLines } from '../sources/index.ts';
import { lineError } from './line-error.ts';

/** The grades of judged documents, by query. Ids of both are written as a TREC run writes them: see `escapeTrecId`. */
export type Qrels = ReadonlyMap<string, ReadonlyMap<string, number>>;

interface Judgement {
  readonly query: string;
  readonly document: string;
  readonly grade: number;
}

/**
 * Reads relevance judgements, compressed or not: TREC's `query iteration document grade`, apart by white space, or BEIR's
 * `query document grade`, apart by tabs, with or without a header. Blank lines are passed over.
 *
 * @throws ShelfmarkError SHELFMARK_USAGE naming the file and line that cannot be read; SourceError.
 */
export async function readQrels(file: string): Promise<Qrels> {
  const source = await findLines(file, 'relevance judgements');
  const qrels = new Map<string, Map<string, number>>();
  let isFirst = true;
  for await (const line of readLines(source)) {
    const wasFirst = isFirst;
    isFirst = false;
    if (wasFirst && isHeader(line.text)) continue;
    const { query, document, grade } = parseJudgement(line, source.uri);
    const grades = qrels.get(query) ?? new Map<string, number>();
    if (grades.has(document)) {
      throw lineError(source.uri, line, `${document} is judged twice for query ${query}; keep one of the lines`);
    }
    qrels.set(query, grades.set(document, grade));
  }
  if (qrels.size > 0) return qrels;
  throw new ShelfmarkError('SHELFMARK_USAGE', `${source.uri} has no relevance judgements.`, { file: source.uri });
}

/** BEIR's first line is `query-id corpus-id score`; what is not a number cannot be a grade. */
function isHeader(line: string): boolean {
  const fields = line.split('\t');
  return fields.length === 3 && Number.isNaN(Number(fields[2]));
}

function parseJudgement(line: Line, file: string): Judgement {
  const [query, document, grade] = fieldsOf(line, file);
  if (isGrade(grade)) return { query, document, grade: Number(grade) };
  throw lineError(file, line, `the grade "${grade}" is not a whole number`);
}

/** Query, document and grade. Ids apart by tabs may hold spaces, which a TREC file has percent-encoded. */
function fieldsOf(line: Line, file: string): [query: string, document: string, grade: string] {
  const byTabs = line.text.split('\t');
  if (byTabs.length === 3) return [escapeTrecId(byTabs[0]!), escapeTrecId(byTabs[1]!), byTabs[2]!.trim()];
  const fields = line.text.trim().split(/\s+/);
  if (fields.length === 4) return [fields[0]!, fields[2]!, fields[3]!];
  const expected = 'expected "query 0 document grade", or query, document and grade with a tab between them';
  throw lineError(file, line, `${expected}, got ${fields.length} fields`);
}

function isGrade(text: string): boolean {
  return /^[+-]?[0-9]{1,9}$/.test(text);
}
