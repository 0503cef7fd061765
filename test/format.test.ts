import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SHARD_SCHEMA } from '../shards/index.ts';
import { CATALOG_SCHEMA } from '../src/catalog.ts';

const page = readFileSync(new URL('../FORMAT.md', import.meta.url), 'utf8');

/** The ```sql block of FORMAT.md that starts with the comment `-- name`, without that line. */
function documentedSchema(name: string): string {
  const blocks = [...page.matchAll(/^```sql\n([\s\S]*?)^```$/gm)].map(([, block]) => block ?? '');
  const found = blocks.filter((block) => new RegExp(`^-- ${name}\\b`).test(block));
  expect(found, `FORMAT.md needs one sql block that starts with "-- ${name}"`).toHaveLength(1);
  return (found[0] ?? '').replace(/^.*\n/, '');
}

/** SQL with its white space made alike: none next to brackets, commas and semicolons, single elsewhere. */
function normalized(sql: string): string {
  return sql
    .replace(/\s+/g, ' ')
    .replace(/ ?([(),;]) ?/g, '$1')
    .trim();
}

describe('FORMAT.md', () => {
  it('has the schema of a shard as the code creates it', () => {
    expect(normalized(documentedSchema('shard'))).toBe(normalized(SHARD_SCHEMA));
  });

  it('has the schema of the catalog as the code creates it', () => {
    expect(normalized(documentedSchema('catalog'))).toBe(normalized(CATALOG_SCHEMA));
  });
});
