// One query to a plain FTS5 file in a process of its own: fts5-once.mjs FILE "terms". JavaScript, so that compiling is not measured.
import process from 'node:process';
import Database from 'better-sqlite3';

const [file, terms] = process.argv.slice(2);
const database = new Database(file, { readonly: true });
const expression = terms
  .split(' ')
  .map((term) => `"${term.replaceAll('"', '""')}"`)
  .join(' OR ');
const rows = database
  .prepare('SELECT rowid FROM plain WHERE plain MATCH ? ORDER BY rank LIMIT 10')
  .pluck()
  .all(expression);
console.log(JSON.stringify(rows.map((row) => row - 1)));
