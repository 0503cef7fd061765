import { ShelfmarkError } from '../../shards/index.ts';
import { escapeTrecId } from '../batch/trec.ts';
import { findLines, type Line, readLines, type Source } from '../sources/index.ts';
import { parseAnswer } from './answer-line.ts';
import { lineError } from './line-error.ts';

/** The documents found for each query, best first. Ids are written as a TREC run writes them: see `escapeTrecId`. */
export type Run = ReadonlyMap<string, readonly string[]>;

/**
 * Reads a run, compressed or not: a TREC run (`query Q0 document rank score tag`), or what `shelfmark batch` writes with
 * `--format jsonl` or `contexts`.
 *
 * A TREC run is ordered as trec_eval does: by score, ranks are not looked at, and equal scores by document id, the
 * greater one first. Answers keep their order; of several passages of a document the first counts.
 *
 * @throws ShelfmarkError SHELFMARK_USAGE naming the file and line that cannot be read; SourceError.
 */
export async function readRun(file: string): Promise<Run> {
  const source = await findLines(file, 'a run');
  let collect: RunCollector | undefined;
  for await (const line of readLines(source)) {
    collect ??= line.text.trimStart().startsWith('{') ? new AnswerCollector(source) : new TrecCollector(source);
    collect.add(line);
  }
  if (collect !== undefined) return collect.finish();
  throw new ShelfmarkError('SHELFMARK_USAGE', `${source.uri} is empty: there is no run in it.`, { file: source.uri });
}

interface RunCollector {
  add(line: Line): void;
  finish(): Run;
}

class TrecCollector implements RunCollector {
  readonly #file: string;
  readonly #scores = new Map<string, Map<string, number>>();

  constructor({ uri }: Source) {
    this.#file = uri;
  }

  add(line: Line): void {
    const fields = line.text.trim().split(/\s+/);
    if (fields.length !== 6) {
      throw lineError(this.#file, line, `expected "query Q0 document rank score tag", got ${fields.length} fields`);
    }
    const [query, document, score] = [fields[0]!, fields[2]!, Number(fields[4])];
    if (!Number.isFinite(score)) throw lineError(this.#file, line, `the score "${fields[4]}" is not a number`);
    const scores = this.#scores.get(query) ?? new Map<string, number>();
    if (scores.has(document)) throw lineError(this.#file, line, `${document} comes twice for query ${query}`);
    this.#scores.set(query, scores.set(document, score));
  }

  finish(): Run {
    return new Map([...this.#scores].map(([query, scores]) => [query, rank(scores)]));
  }
}

function rank(scores: ReadonlyMap<string, number>): string[] {
  return [...scores]
    .sort(([a, scoreOfA], [b, scoreOfB]) => scoreOfB - scoreOfA || compareBytes(b, a))
    .map(([document]) => document);
}

/** UTF-8 bytes, as trec_eval compares them; UTF-16 has another order beyond U+FFFF. */
function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

class AnswerCollector implements RunCollector {
  readonly #file: string;
  readonly #run = new Map<string, string[]>();

  constructor({ uri }: Source) {
    this.#file = uri;
  }

  add(line: Line): void {
    const { id, passages } = parseAnswer(line, this.#file);
    const query = escapeTrecId(id);
    if (this.#run.has(query)) throw lineError(this.#file, line, `query ${query} comes twice`);
    this.#run.set(query, [...new Set(passages.map(({ uri }) => escapeTrecId(uri)))]);
  }

  finish(): Run {
    return this.#run;
  }
}
