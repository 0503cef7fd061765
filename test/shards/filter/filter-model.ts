import fc from 'fast-check';
import { METADATA_PREFIX, type ShardDocument, type ShardFilter } from '../../../shards/index.ts';

/** Whether a document meets a filter, the slow and plain way: it is asked itself, and no index. */
export function meets(document: ShardDocument, filter: ShardFilter): boolean {
  const { attributes, uriPrefixes, modifiedSince, modifiedBefore } = filter;
  const time = document.modifiedAt === null ? null : Date.parse(document.modifiedAt);
  return (
    attributes.every(({ name, values }) => valuesOf(document, name).some((value) => values.includes(value))) &&
    (uriPrefixes.length === 0 || uriPrefixes.some((prefix) => document.uri.startsWith(prefix))) &&
    (modifiedSince === null || (time !== null && time >= modifiedSince)) &&
    (modifiedBefore === null || (time !== null && time < modifiedBefore))
  );
}

function valuesOf(document: ShardDocument, name: string): string[] {
  const leaves = document.metadata === null ? [] : leavesOf(JSON.parse(document.metadata), [], false);
  const under = (...keys: readonly string[]): Leaf[] => leaves.filter(({ key }) => keys.includes(key));
  switch (name) {
    case 'kind':
      return [document.kind];
    case 'collection':
      return [document.collection];
    case 'file_type':
      return [document.fileType];
    case 'label':
      return [document.label];
    case 'topic':
      return under('topic', 'topics', 'tag', 'tags', 'keyword', 'keywords')
        .flatMap(({ text, isMember }) => (isMember ? [text] : text.split(',')))
        .map((topic) => topic.trim())
        .filter((topic) => topic !== '');
    case 'mention':
      // All that stands between backticks in the documents below are paths.
      return [
        ...under('mention', 'mentions').map(({ text }) => text.replace(/^\.\//, '')),
        ...[...document.text.matchAll(/`([^`]*)`/g)].map(([, path]) => path!),
      ];
    default:
      return under(name.slice(METADATA_PREFIX.length)).map(({ text }) => text);
  }
}

interface Leaf {
  readonly key: string;
  readonly text: string;
  readonly isMember: boolean;
}

function leavesOf(value: unknown, path: readonly string[], isMember: boolean): Leaf[] {
  if (Array.isArray(value)) return value.flatMap((member) => leavesOf(member, path, true));
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, [...path, key], isMember));
  }
  return value === null ? [] : [{ key: path.join('.'), text: String(value), isMember }];
}

const paths = ['src/cli.ts', 'src/a b.md', 'README.md', 'docs/x/y.json'];
const scalar = fc.oneof(
  fc.constantFrom('a', 'b', 'a, b', 'B', '', '1', 'é'),
  fc.constantFrom(1, 2.5, true, false, null),
);
const metadata = fc.dictionary(
  fc.constantFrom('year', 'tags', 'topics', 'author', 'mentions', 'ms.date', 'x'),
  fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), fc.dictionary(fc.constantFrom('name', 'date'), scalar)),
);
const times = [
  '1969-12-31T23:59:59.999Z',
  '2026-01-01T00:00:00.000Z',
  '2026-01-01T00:00:00.001Z',
  '2026-11-30T12:00:00.000Z',
];
const folders = ['', 'a/', 'a/b/', 'ab/', 'é/', '𠮷/', '\uffff/'];

/** Fields by which a document can be filtered, and text that mentions paths. */
export const filterableFields = fc.record({
  folder: fc.constantFrom(...folders),
  kind: fc.constantFrom('note', 'mail', ''),
  collection: fc.constantFrom('x', 'y'),
  fileType: fc.constantFrom('md', 'ts', ''),
  label: fc.constantFrom('sworn', 'ungrounded'),
  modifiedAt: fc.oneof(fc.constant(null), fc.constantFrom(...times)),
  metadata: fc.option(metadata.map((value) => JSON.stringify(value))),
  mentions: fc.subarray(paths).map((mentioned) => mentioned.map((path) => ` \`${path}\` `).join('')),
});

const condition = fc.oneof(
  fc.record({ name: fc.constant('kind'), values: fc.subarray(['note', 'mail', '', 'none'], { minLength: 1 }) }),
  fc.record({ name: fc.constant('collection'), values: fc.subarray(['x', 'y', 'z'], { minLength: 1 }) }),
  fc.record({ name: fc.constant('file_type'), values: fc.subarray(['md', 'ts', '', 'js'], { minLength: 1 }) }),
  fc.record({ name: fc.constant('label'), values: fc.subarray(['sworn', 'other'], { minLength: 1 }) }),
  fc.record({ name: fc.constant('topic'), values: fc.subarray(['a', 'b', 'a, b', '1', 'c'], { minLength: 1 }) }),
  fc.record({ name: fc.constant('mention'), values: fc.subarray([...paths, 'a', 'b'], { minLength: 1 }) }),
  fc.record({
    name: fc
      .constantFrom('year', 'tags', 'topics', 'author', 'author.name', 'ms.date', 'x', 'x.date', 'absent')
      .map((key) => METADATA_PREFIX + key),
    values: fc.subarray(['a', 'b', 'a, b', 'B', '', '1', 'é', '2.5', 'true', 'false', 'c'], { minLength: 1 }),
  }),
);

const time = fc.constantFrom(...times, '2026-06-01T00:00:00.000Z').map((text) => Date.parse(text));
const seldom = <Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> => fc.option(arbitrary, { freq: 2 });

/** Any filter by these fields: often one condition, seldom three. */
export const anyFilter: fc.Arbitrary<ShardFilter> = fc.record({
  attributes: fc.uniqueArray(condition, { maxLength: 3, selector: ({ name }) => name }),
  uriPrefixes: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    fc.subarray(['a', 'a/', 'a/b', 'ab/u', 'é', '\uffff', '', 'zz'], { minLength: 1, maxLength: 2 }),
  ),
  modifiedSince: seldom(time),
  modifiedBefore: seldom(time),
});
