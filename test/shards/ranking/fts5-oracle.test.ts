import BetterSqlite from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bodyTerms, headingTerms, titleTerms } from '../../../shards/field-terms.ts';
import { TERM_PUNCTUATION } from '../../../shards/format.ts';
import { type ColumnUnits, type Database, type ShardReader, termsOf } from '../../../shards/index.ts';
import { analyzer, buildShard, newPath, reopen, tempFolder } from '../support.ts';
import { nowhere, randomCorpus, vocabulary } from './random-corpus.ts';
import { ask, rank, scoringOf } from './support.ts';

/** FTS5's own table over the terms of a shard, with the sizes of columns that bm25() needs and the shard does not keep. */
function oracleOf(reader: ShardReader): Database {
  const database = new BetterSqlite(':memory:');
  database.exec(
    `CREATE VIRTUAL TABLE fts USING fts5(
       title, heading, body, detail=full, columnsize=1, tokenize="ascii tokenchars '${TERM_PUNCTUATION}'")`,
  );
  const insert = database.prepare('INSERT INTO fts(rowid, title, heading, body) VALUES(?, ?, ?, ?)');
  database.exec('BEGIN');
  for (const { chunk, heading, body } of reader.chunks()) {
    const title = titleTerms(analyzer, reader.documentOfChunk(chunk).title);
    const fields = [title, headingTerms(analyzer, heading), bodyTerms(analyzer, Buffer.from(body))];
    insert.run(chunk, ...fields.map((terms) => terms.toString('utf8')));
  }
  database.exec('COMMIT');
  return database;
}

/** Score of every chunk that has one of some terms, by FTS5. */
function scoresByFts5(
  oracle: Database,
  terms: readonly string[],
  [title, heading, body]: ColumnUnits,
): Map<number, number> {
  const expression = terms.map((term) => `"${term}"`).join(' OR ');
  const weights = [title / body, heading / body, 1];
  const sql = 'SELECT rowid, -bm25(fts, ?, ?, ?) FROM fts WHERE fts MATCH ?';
  return new Map(
    oracle
      .prepare(sql)
      .raw()
      .all(...weights, expression) as [number, number][],
  );
}

const folder = tempFolder();

describe('with one shard, k1 1.2, b 0.75 and its idf', () => {
  it("scores are those of FTS5's bm25() with the same column weights", async () => {
    const words = fc.array(fc.constantFrom(...vocabulary, nowhere!), { minLength: 1, maxLength: 5 });
    const units = fc.constantFrom<ColumnUnits>([4, 3, 2], [1, 1, 1], [7, 1, 5]);
    await fc.assert(
      fc.asyncProperty(
        fc.nat(),
        fc.integer({ min: 1, max: 300 }),
        units,
        fc.array(words, { minLength: 8, maxLength: 8 }),
        async (seed, chunks, columnUnits, questions) => {
          const documents = randomCorpus({ seed, chunks, hasDuplicates: false });
          const { file } = await buildShard(documents, { file: newPath(folder), listThreshold: 4, columnUnits });
          reopen(file, (reader) => {
            const oracle = oracleOf(reader);
            const scoring = scoringOf(reader, { k1: 1.2, b: 0.75, idf: 'fts5' });
            for (const words of questions) {
              for (const mode of ['or', 'and'] as const) {
                const query = ask(words.join(' '), mode);
                const expected = scoresByFts5(oracle, termsOf(query), columnUnits);
                const hits = rank(reader, query, { k: 10_000, scoring });
                if (mode === 'or') expect(hits.map(({ chunk }) => chunk).sort()).toEqual([...expected.keys()].sort());
                for (const { chunk, score } of hits) expect(Math.abs(score - expected.get(chunk)!)).toBeLessThan(1e-6);
              }
            }
            oracle.close();
          });
        },
      ),
      { numRuns: 15 },
    );
  });
});
