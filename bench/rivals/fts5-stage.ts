/**
 * Stages of plain SQLite FTS5, one a process: one file, one table, `ORDER BY rank LIMIT 10`. It is given what makes it
 * fast: one large flush, one segment, all pages in memory. Its bm25() has k1 1.2 and b 0.75 built in.
 */
import { rmSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { runStage, typeScript } from '../measure/child.ts';
import type { RivalQuery } from './query-classes.ts';
import {
  answer,
  type BatchAnswer,
  type BuildAnswer,
  batchClassesOf,
  documentsOf,
  measureBatch,
  measureLatency,
  parseRounds,
  peakMB,
  queriesOf,
  type RunQuery,
} from './stages.ts';

/** As in the project: what FTS5 collects before it writes a segment. */
const hashBytes = 512n * 1024n * 1024n;

const [stage, file, folder, ...rest] = process.argv.slice(2) as [string, string, string, ...string[]];

switch (stage) {
  case 'build':
    answer(build());
    break;
  case 'latency': {
    const run = openSearch();
    const queries = queriesOf(folder).map((query) => ({ class: query.class, run: run(query) }));
    answer(measureLatency(queries, parseRounds(rest)));
    break;
  }
  case 'batch':
    answer(await batch(Number(rest[0]), Number(rest[1])));
    break;
  case 'batch-one':
    answer(batchOfOne(Number(rest[0])));
    break;
  default:
    throw new Error(`unknown stage ${stage}`);
}

function build(): BuildAnswer {
  rmSync(file, { force: true });
  const startedAt = performance.now();
  const database = new Database(file);
  database.unsafeMode(true);
  for (const setting of ['page_size=4096', 'journal_mode=OFF', 'synchronous=OFF', 'locking_mode=EXCLUSIVE']) {
    database.pragma(setting);
  }
  database.exec(
    `CREATE VIRTUAL TABLE plain USING fts5(body, content='', detail=full, columnsize=1, tokenize="ascii tokenchars '+#.-_'")`,
  );
  const configure = database.prepare('INSERT INTO plain(plain, rank) VALUES(?, ?)');
  configure.run('hashsize', hashBytes);
  configure.run('automerge', 0n);
  const insert = database.prepare('INSERT INTO plain(rowid, body) VALUES(?, ?)');
  database.exec('BEGIN');
  let row = 0;
  for (const terms of documentsOf(folder)) insert.run(++row, terms);
  database.exec('COMMIT');
  const builtAt = performance.now();
  // A no-op when everything fitted into one segment.
  database.exec(`INSERT INTO plain(plain) VALUES('optimize')`);
  database.close();
  const { size } = statSync(file);
  return {
    seconds: (builtAt - startedAt) / 1000,
    mergeSeconds: (performance.now() - builtAt) / 1000,
    indexBytes: size,
    totalBytes: size,
    peakMB: peakMB(),
  };
}

/** Opens the file; gives what makes a query ready. Documents are numbered from 0, rows from 1. */
function openSearch(): (query: Pick<RivalQuery, 'mode' | 'terms'>) => RunQuery {
  const database = new Database(file, { readonly: true });
  database.pragma('cache_size=-4194304');
  database.pragma('mmap_size=2147418112');
  const search = database.prepare('SELECT rowid FROM plain WHERE plain MATCH ? ORDER BY rank LIMIT 10').pluck();
  return ({ mode, terms }) => {
    const expression = terms.map((term) => `"${term.replaceAll('"', '""')}"`).join(mode === 'or' ? ' OR ' : ' AND ');
    return () => (search.all(expression) as number[]).map((row) => row - 1);
  };
}

async function batch(threads: number, seconds: number): Promise<BatchAnswer> {
  // Processes, not threads: Node 20 does not load TypeScript in threads.
  const one = typeScript(new URL(import.meta.url), ['batch-one', file, folder, seconds]);
  const answers = await Promise.all(Array.from({ length: threads }, () => runStage<BatchAnswer>(one)));
  return Object.fromEntries(
    Object.keys(answers[0]!).map((name) => [name, answers.reduce((sum, rates) => sum + rates[name]!, 0)]),
  );
}

function batchOfOne(seconds: number): BatchAnswer {
  const run = openSearch();
  const rates: Record<string, number> = {};
  for (const [name, queries] of batchClassesOf(folder)) rates[name] = measureBatch(queries.map(run), seconds);
  return rates;
}
