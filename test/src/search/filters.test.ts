import { readdirSync, rmSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { Corpus, type SearchOptions } from '../../../src/index.ts';
import { fillSearchOptions } from '../../../src/search/options.ts';
import { tempFolder } from '../../shards/support.ts';
import { build, failureOf, shardsOf, shelfmarkError, writeJsonl } from '../support.ts';

let corpus: string;

const filler = 'lorem '.repeat(700);

/** Each of these fills a shard. */
const records = [
  {
    _id: 'docs/locks.md',
    kind: 'guide',
    modified_at: '2026-01-31T23:30:00-01:00',
    metadata: { topics: ['kernel', 'locks'], author: { name: 'Ada' }, year: 2025, draft: true },
    text: `---\nreviewed: yes please\n---\n# Locks\n\nquince, see \`src/lock.ts\` ${filler}`,
  },
  {
    _id: 'docs/mail/1',
    kind: 'mail',
    collection: 'letters',
    modified_at: '2026-03-05',
    metadata: { tags: 'locks, doors', author: [{ name: 'Bob' }, { name: 'Eve' }], year: '2025' },
    text: `quince [plan](../plans/door%20one.svg) ${filler}`,
  },
  { _id: 'src/lock.ts', kind: 'code', metadata: { mentions: ['Ada', './docs/locks.md'] }, text: `quince ${filler}` },
];

beforeAll(async () => {
  const folder = tempFolder();
  corpus = join(folder, 'corpus');
  const sources = [await writeJsonl(join(folder, 'a.jsonl'), records)];
  await build({ sources, corpus, shardBytes: 4096, label: 'sworn' });
  expect(shardsOf(corpus)).toHaveLength(3);
});

async function withOpen<Result>(use: (open: Corpus) => Promise<Result>, path = corpus): Promise<Result> {
  const open = await Corpus.open(path, { workers: 0 });
  try {
    return await use(open);
  } finally {
    await open.close();
  }
}

async function found(options: SearchOptions): Promise<string[]> {
  const { hits } = await withOpen((open) => open.search('quince', options));
  return hits.map(({ uri }) => uri).sort();
}

const [guide, mail, code] = ['docs/locks.md', 'docs/mail/1', 'src/lock.ts'];

describe('a search finds only documents', () => {
  test.each<[string, SearchOptions, readonly (string | undefined)[]]>([
    ['of a kind', { kinds: ['mail'] }, [mail]],
    ['of any of several kinds', { kinds: ['mail', 'code'] }, [mail, code]],
    ['of a kind and a collection', { kinds: ['mail', 'code'], collections: ['letters'] }, [mail]],
    ['below a path', { pathPrefixes: ['docs/'] }, [guide, mail]],
    ['below any of several paths', { pathPrefixes: ['docs/m', 'src'] }, [mail, code]],
    ['below a path that no document is below', { pathPrefixes: ['absent/'] }, []],
    ['of a file type', { fileTypes: ['md'] }, [guide]],
    ['of a file type with a dot and in capitals', { fileTypes: ['.TS'] }, [code]],
    ['of a file type that none has', { fileTypes: ['pdf'] }, []],
    ['modified since a time', { modifiedSince: '2026-02-01T00:30:00Z' }, [guide, mail]],
    ['modified since a date, which is its beginning in UTC', { modifiedSince: '2026-03-05' }, [mail]],
    ['modified before, and not at, a time', { modifiedBefore: '2026-02-01T01:30:00+01:00' }, []],
    ['modified before a date', { modifiedBefore: '2026-03-05' }, [guide]],
    ['modified in a stretch of time', { modifiedSince: '2026-02', modifiedBefore: '2026-03' }, [guide]],
    ['with a label', { labels: ['sworn'] }, [guide, mail, code]],
    ['on a topic of a list', { topics: ['kernel'] }, [guide]],
    ['on a topic of a list or of a text with commas', { topics: ['locks'] }, [guide, mail]],
    ['that mention a path in code', { mentions: ['src/lock.ts'] }, [guide]],
    ['that mention a path in a link', { mentions: ['../plans/door one.svg'] }, [mail]],
    ['whose metadata mention something', { mentions: ['./docs/locks.md', 'Ada'] }, [code]],
    ['that mention what none does', { mentions: ['absent.md'] }, []],
    ['with a value in their metadata', { where: { draft: true } }, [guide]],
    ['with a value in their front matter', { where: { reviewed: 'yes please' } }, [guide]],
    ['with a number or the same as text', { where: { year: 2025 } }, [guide, mail]],
    ['with any of several values', { where: { 'author.name': ['Ada', 'Eve', 'Zoe'] } }, [guide, mail]],
    ['with values of several keys', { where: { year: 2025, 'author.name': 'Bob' } }, [mail]],
    ['with a value that a key never has', { where: { year: 1999 } }, []],
  ])('%s', async (_what, options, uris) => {
    expect(await found(options)).toEqual([...uris].sort());
  });

  test('whatever the mode, in a batch too', async () => {
    for (const match of ['strict', 'any', 'all', 'scan'] as const) {
      expect(await found({ match, topics: ['locks'], fileTypes: ['md'] })).toEqual([guide]);
    }
    await withOpen(async (open) => {
      const rows = [];
      for await (const row of open.batch([{ id: '1', text: 'quince' }], { topics: ['doors'] })) rows.push(row);
      expect(rows.map(({ hits }) => hits.map(({ uri }) => uri))).toEqual([[mail]]);
    });
  });
});

describe('what no document of the corpus has', () => {
  test.each<[string, SearchOptions, string]>([
    ['a kind', { kinds: ['mail', 'giude'] }, 'Unknown kind "giude". Known: "guide", "code", "mail".'],
    ['a collection', { collections: ['letter'] }, 'Unknown collection "letter". Known: "letters", "default".'],
    ['a label', { labels: ['Sworn'] }, 'Unknown label "Sworn". Known: "sworn".'],
    ['a topic', { topics: ['lock'] }, 'Unknown topic "lock". Known: "locks", "doors", "kernel".'],
    [
      'a key',
      { where: { yaer: 1 } },
      'Unknown metadata key "yaer". Known: "year", "tags", "draft", "topics", "reviewed", "mentions", "author.name".',
    ],
  ])('is refused as %s with what there is, the nearest first', async (_what, options, message) => {
    const error = await shelfmarkError(found(options) as Promise<unknown>, 'SHELFMARK_USAGE');
    expect(error.message).toBe(message);
  });

  test('is let pass when it may be in a shard that cannot be read', async () => {
    const broken = join(tempFolder(), 'corpus');
    await cp(corpus, broken, { recursive: true });
    rmSync(join(broken, 'shards', readdirSync(join(broken, 'shards'))[0]!));
    const answer = await withOpen((open) => open.search('quince', { kinds: ['absent'] }), broken);
    expect(answer).toMatchObject({ hits: [], coverage: { shards: 3, failed: 1 } });
  });

  test('is asked for once in a batch, and refuses the whole of it', async () => {
    await withOpen(async (open) => {
      const queries = Array.from({ length: 3 }, (_, index) => ({ id: `${index}`, text: 'quince' }));
      const rank = async (options: SearchOptions): Promise<number> => {
        let rows = 0;
        for await (const _ of open.rank(queries, options)) rows++;
        return rows;
      };
      expect(await rank({ kinds: ['mail'] })).toBe(3);
      await shelfmarkError(rank({ kinds: ['absent'] }), 'SHELFMARK_USAGE');
    });
  });

  test('names twenty at most', async () => {
    const folder = tempFolder();
    const many = Array.from({ length: 60 }, (_, number) => ({
      _id: `${number}`,
      kind: `kind ${number}`,
      text: 'quince',
    }));
    const path = join(folder, 'corpus');
    await build({ sources: [await writeJsonl(join(folder, 'a.jsonl'), many)], corpus: path });
    const failure = await failureOf(withOpen((open) => open.search('quince', { kinds: ['kind 7x'] }), path));
    expect(failure).toMatchObject({ facts: { what: 'kind', got: 'kind 7x' } });
    const { message } = failure as Error;
    expect(message).toMatch(/^Unknown kind "kind 7x"\. The nearest known ones: "kind 7", /);
    expect(message.match(/"/g)).toHaveLength(2 + 2 * 20);
  });
});

test('thousands of values are looked up at once, in any order', async () => {
  const folder = tempFolder();
  const path = join(folder, 'corpus');
  const count = 4000;
  // 7919 is prime to the count, so this is each of them once.
  const topics = Array.from({ length: count }, (_, index) => `topic number ${(index * 7919) % count}`);
  const many = topics.map((topic, index) => ({ _id: `${index}`, text: 'quince', metadata: { topics: [topic] } }));
  await build({ sources: [await writeJsonl(join(folder, 'a.jsonl'), many)], corpus: path });
  await withOpen(async (open) => {
    const odd = topics.filter((_, index) => index % 2 === 1);
    const { hits } = await open.search('quince', { topics: odd, limit: count });
    expect(hits.map(({ uri }) => Number(uri) % 2)).toEqual(odd.map(() => 1));
  }, path);
});

describe('filters are refused', () => {
  test.each<[SearchOptions | object, string]>([
    [{ modifiedSince: 'yesterday' }, 'modifiedSince'],
    [{ modifiedBefore: 20260101 }, 'modifiedBefore'],
    [{ topics: 'locks' }, 'topics'],
    [{ pathPrefixes: [1] }, 'pathPrefixes'],
    [{ where: { a: null } }, 'where'],
    [{ where: { a: [] } }, 'where'],
    [{ where: Object.fromEntries(Array.from({ length: 101 }, (_, key) => [key, 1])) }, 'where'],
  ])('when they are %j, naming %s', (options, option) => {
    expect(() => fillSearchOptions(options)).toThrow(
      expect.objectContaining({ code: 'SHELFMARK_USAGE', facts: { option } }),
    );
  });
});
