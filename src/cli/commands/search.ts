import type { SearchAnswer } from '../../search/hits.ts';
import type { ScanProgress, SearchOptions } from '../../search/options.ts';
import type { Command, Typed } from '../command.ts';
import { corpusFlag, jsonFlag, parseWorkers, workersFlag } from '../common-flags.ts';
import { isPartial, warnOfCoverage, warnOfRetrieval } from '../coverage.ts';
import { exitCodes } from '../exit-codes.ts';
import { given } from '../given.ts';
import { toJson } from '../json.ts';
import { note, print } from '../output.ts';
import { parseInteger, parseSeconds } from '../parse-number.ts';
import { withProgress } from '../progress.ts';
import { formatCount, formatCounted } from '../quantities.ts';
import { renderAnswer } from '../render-answer.ts';
import { searchFlags, toSearchOptions } from '../search-flags.ts';
import { styleOf } from '../style.ts';
import { usageError } from '../usage-error.ts';
import { withCorpus } from '../with-corpus.ts';

const flags = {
  corpus: corpusFlag,
  ...searchFlags,
  limit: { ...searchFlags.limit, defaultDescription: '10' },
  json: { ...jsonFlag, describe: 'Print the whole answer as one JSON object' },
  jsonl: { type: 'boolean', conflicts: 'json', describe: 'Print each hit as one line of JSON' },
  mark: {
    type: 'string',
    array: true,
    nargs: 2,
    describe: 'What to print before and after highlighted words',
    defaultDescription: 'colour on a terminal, else <b> </b>',
  },
  'no-mark': { type: 'boolean', conflicts: 'mark', describe: 'Highlight nothing' },
  html: { type: 'boolean', describe: 'Escape snippets for HTML' },
  'snippet-length': { type: 'string', requiresArg: true, default: '240', describe: 'Characters, 40 to 10,000' },
  timeout: { type: 'string', requiresArg: true, describe: 'Seconds after which slow shards are given up' },
  explain: { type: 'boolean', describe: 'Say how the answer came about' },
  'strict-coverage': { type: 'boolean', describe: 'Exit code 3 unless every shard answered' },
  workers: {
    ...workersFlag,
    defaultDescription: '0, with --match scan one a core',
    describe: 'Threads, 0 to 64; 0 starts none, which is soonest done unless shards are many and large',
  },
} as const;

/** `shelfmark search` */
export const searchCommand: Command<typeof flags> = {
  name: 'search',
  summary: 'Answer a question from all shards. No character of it is an operator',
  words: {
    usage: '<query...>',
    describe: 'The question; words that begin with a dash go after --. May be left out when there is a --phrase',
    minimum: 0,
    maximum: Number.POSITIVE_INFINITY,
  },
  flags,
  examples: [
    ['shelfmark search what is a spin lock -c corpus', 'words need no quotes'],
    ['shelfmark search --match any --by chunk -n 20 spin lock', 'any word; several hits a document'],
    ['shelfmark search lock --phrase "acquire the spin lock"', 'with exactly these words in a row'],
    ['shelfmark search --match scan "catch (err) {" -c corpus', 'the very text, punctuation too'],
    ['shelfmark search --retriever hybrid --embedder http://localhost:11434/v1 lock', 'by words and by meaning'],
    ['shelfmark search --json spin lock | jq .hits[0].uri', 'for programs'],
    ['shelfmark search -- -fno-exceptions', 'words that begin with a dash'],
  ],
  async run(typed) {
    const options = {
      ...toSearchOptions(typed, 10),
      snippetLength: parseInteger('--snippet-length', typed.snippetLength, 40, 10_000),
      explain: typed.explain ?? false,
      ...given({ timeoutMs: typed.timeout === undefined ? undefined : parseSeconds('--timeout', typed.timeout) }),
    };
    const markers = { ...markersOf(typed), html: typed.html ?? false };
    const query = typed.words.join(' ');
    if (typed.words.length === 0 && typed.phrase === undefined) {
      throw usageError('search: expected a question, or a --phrase.');
    }
    const answer = await ask(typed, query, options);
    if (typed.json) await print(`${toJson(answer)}\n`);
    else if (typed.jsonl) for (const hit of answer.hits) await print(`${toJson(hit)}\n`);
    else for (const block of renderAnswer(answer, markers, styleOf(process.stdout))) await print(block);
    if (answer.droppedTokens > 0) {
      note(
        `shelfmark: warning: ${formatCounted(answer.droppedTokens, 'word')} beyond the first 1,024 were not searched for.`,
      );
    }
    warnOfRetrieval(answer.retrieval);
    warnOfCoverage(answer.coverage);
    return exitCodeOf(answer, typed.strictCoverage ?? false);
  },
};

/** One question is soonest answered without threads; a scan takes all there are, and as long as to be worth a bar. */
async function ask(typed: Typed<typeof flags>, query: string, options: SearchOptions): Promise<SearchAnswer> {
  const workers = parseWorkers(typed.workers, 0);
  if (typed.match !== 'scan') {
    return await withCorpus(typed.corpus, (corpus) => corpus.search(query, options), workers ?? 0);
  }
  return await withProgress('scan', (progress) => {
    const onProgress = ({ done, total, elapsedMs }: ScanProgress): void =>
      progress.update({ fraction: done / Math.max(1, total), elapsedMs, facts: [`${formatCount(done)} passages`] });
    return withCorpus(typed.corpus, (corpus) => corpus.search(query, { ...options, onProgress }), workers);
  });
}

function markersOf({ mark, noMark, html }: Typed<typeof flags>): { readonly open: string; readonly close: string } {
  if (noMark) return { open: '', close: '' };
  if (mark === undefined) {
    if (html) return { open: '<b>', close: '</b>' };
    const style = styleOf(process.stdout);
    return style.isColoured ? style.highlight : { open: '<b>', close: '</b>' };
  }
  const [open, close] = mark;
  if (open === undefined || close === undefined || mark.length !== 2) {
    throw usageError(`--mark: expected two markers, such as --mark '[' ']', got ${mark.length}.`);
  }
  return { open, close };
}

/** An answer that rests on no shard at all is no answer, asked for strictly or not. */
function exitCodeOf({ coverage }: SearchAnswer, strict: boolean): number {
  const isEmpty = coverage.searched + coverage.scanned === 0 && coverage.shards > 0;
  return isEmpty || (strict && isPartial(coverage)) ? exitCodes.partial : exitCodes.ok;
}
