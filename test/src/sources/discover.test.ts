import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { fileTypeOf } from '../../../src/sources/file-type.ts';
import { type DiscoverOptions, discoverSources, SourceError } from '../../../src/sources/index.ts';
import { drain, temporaryFolder } from './support.ts';

/** A folder of files with that content. */
async function folderOf(files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const cwd = await temporaryFolder();
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(cwd, name)), { recursive: true });
    await writeFile(join(cwd, name), content);
  }
  return cwd;
}

async function urisOf(args: readonly string[], options: DiscoverOptions): Promise<string[]> {
  return (await discoverSources(args, options)).sources.map(({ uri }) => uri);
}

test('a file is described by path, uri, format, compression, size and time', async () => {
  const cwd = await folderOf({ 'in/a.md': 'Title' });
  const { sources } = await discoverSources(['./in//a.md'], { cwd });
  expect(sources).toEqual([
    {
      path: join(cwd, 'in/a.md'),
      uri: 'in/a.md',
      format: 'markdown',
      compression: 'none',
      size: 5,
      mtimeNs: expect.stringMatching(/^\d{19}$/),
    },
  ]);
});

test('sources come in the order of the names given, and inside a folder in the byte order of their paths', async () => {
  const cwd = await folderOf({
    'd/b.txt': '',
    'd/a/z.txt': '',
    'd/a.txt': '',
    'd/a-b/x.txt': '',
    'd/B.txt': '',
    'd/é.txt': '',
    'd/\uffee.txt': '',
    'd/😀.txt': '',
    'z.txt': '',
  });
  expect(await urisOf(['z.txt', 'd'], { cwd })).toEqual([
    'z.txt',
    'd/B.txt',
    'd/a-b/x.txt',
    'd/a.txt',
    'd/a/z.txt',
    'd/b.txt',
    'd/é.txt',
    'd/\uffee.txt',
    'd/😀.txt',
  ]);
});

test('the uri is what the user named, normalised', async () => {
  const cwd = await folderOf({ 'd/a.txt': '', 'd/e/b.txt': '' });
  expect(await urisOf(['.'], { cwd })).toEqual(['d/a.txt', 'd/e/b.txt']);
  expect(await urisOf(['./d/'], { cwd })).toEqual(['d/a.txt', 'd/e/b.txt']);
  expect(await urisOf([`${cwd}/d/`], {})).toEqual([`${cwd}/d/a.txt`, `${cwd}/d/e/b.txt`]);
  expect(await urisOf(['../e'], { cwd: join(cwd, 'd/e') })).toEqual(['../e/b.txt']);
});

test('a folder gives the files of known extensions and counts the others', async () => {
  const cwd = await folderOf({
    'a.jsonl': '',
    'b.MD.gz': '',
    'c.png': '',
    'd.gz': '',
    README: '',
    'e.txt.xz': '',
    '.md': '',
  });
  const { sources, ignoredFiles } = await discoverSources(['.'], { cwd });
  expect(sources.map(({ uri, format, compression }) => [uri, format, compression])).toEqual([
    ['.md', 'markdown', 'none'],
    ['a.jsonl', 'jsonl', 'none'],
    ['b.MD.gz', 'markdown', 'gzip'],
    ['e.txt.xz', 'text', 'xz'],
  ]);
  expect(ignoredFiles).toBe(3);
});

test('with a format a folder gives only the files whose extension belongs to it', async () => {
  const cwd = await folderOf({ 'a.jsonl': '', 'b.md': '', 'c.ndjson.zst': '' });
  const { sources, ignoredFiles } = await discoverSources(['.'], { cwd, format: 'jsonl' });
  expect(sources.map(({ uri }) => uri)).toEqual(['a.jsonl', 'c.ndjson.zst']);
  expect(ignoredFiles).toBe(1);
});

test('a file named explicitly is taken: by the format asked for, else its extension, else its first bytes', async () => {
  const cwd = await folderOf({
    'a.md': '{',
    b: '\ufeff {"id":1}',
    'c.dat': 'plain words',
    'd.dat.gz': gzipSync('{"id":1}'),
    e: gzipSync('{"id":1}'),
    f: '',
    'g.dat.zst': 'not zstd',
  });
  const typesOf = async (options: DiscoverOptions) =>
    (await discoverSources(['a.md', 'b', 'c.dat', 'd.dat.gz', 'e', 'f', 'g.dat.zst'], { cwd, ...options })).sources.map(
      ({ format, compression }) => `${format} ${compression}`,
    );
  expect(await typesOf({})).toEqual([
    'markdown none',
    'jsonl none',
    'text none',
    'jsonl gzip',
    'jsonl gzip',
    'text none',
    'text zstd',
  ]);
  expect(await typesOf({ format: 'text' })).toEqual([
    'text none',
    'text none',
    'text none',
    'text gzip',
    'text gzip',
    'text none',
    'text zstd',
  ]);
});

test('ignore patterns work as in .gitignore, relative to the folder named, and not on files named', async () => {
  const cwd = await folderOf({
    'd/keep.md': '',
    'd/drop.md': '',
    'd/node_modules/x/y.md': '',
    'd/sub/drop.md': '',
    'd/sub/Drop.md': '',
    'd/sub/deep/only.md': '',
  });
  const ignore = ['node_modules/', 'drop.md', '/sub/deep/*.md', '# a comment', ''];
  const { sources, ignoredFiles } = await discoverSources(['d', 'd/drop.md'], { cwd, ignore });
  expect(sources.map(({ uri }) => uri)).toEqual(['d/keep.md', 'd/sub/Drop.md', 'd/drop.md']);
  expect(ignoredFiles).toBe(3);
  expect(await urisOf(['d'], { cwd, ignore: ['*.md', '!keep.md'] })).toEqual(['d/keep.md']);
});

test('links inside folders are not followed, so a cycle ends, and a link named is followed', async () => {
  const cwd = await folderOf({ 'd/a.md': '' });
  await symlink('..', join(cwd, 'd/up'));
  await symlink('a.md', join(cwd, 'd/b.md'));
  await symlink('d', join(cwd, 'link'));
  const { sources, ignoredFiles } = await discoverSources(['d'], { cwd });
  expect(sources.map(({ uri }) => uri)).toEqual(['d/a.md']);
  expect(ignoredFiles).toBe(2);
  expect(await urisOf(['link'], { cwd })).toEqual(['link/a.md']);
  expect(await urisOf(['d/b.md'], { cwd })).toEqual(['d/b.md']);
});

test('a file reached twice is taken once, where it is reached first', async () => {
  const cwd = await folderOf({ 'd/a.md': '', 'd/b.md': '', 'd/c/e.md': '' });
  await symlink('d', join(cwd, 'link'));
  expect(await urisOf(['d/b.md', 'd', './d/', 'link', 'd/c', join(cwd, 'd/a.md')], { cwd })).toEqual([
    'd/b.md',
    'd/a.md',
    'd/c/e.md',
  ]);
});

test.each(['gone.md', 'gone/', 'a.md/inside', '', 'nul\0byte'])(
  'an argument that cannot be read is an error that names it: %j',
  async (arg) => {
    const cwd = await folderOf({ 'a.md': '' });
    const error = await discoverSources(['a.md', arg], { cwd }).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(SourceError);
    expect(error).toMatchObject({ code: 'SHELFMARK_SOURCE', path: arg, byte: null });
    expect(error.message).toContain(arg);
  },
);

test.skipIf(process.getuid?.() === 0)('a folder inside a folder that may not be read is a reject', async () => {
  const cwd = await folderOf({ 'd/a.md': '', 'd/shut/b.md': '' });
  await chmod(join(cwd, 'd/shut'), 0);
  const { sources, rejects } = await discoverSources(['d'], { cwd });
  await chmod(join(cwd, 'd/shut'), 0o700);
  expect(sources.map(({ uri }) => uri)).toEqual(['d/a.md']);
  expect(rejects).toEqual([{ path: join(cwd, 'd/shut'), uri: 'd/shut', reason: 'permission denied' }]);
});

test.skipIf(process.platform !== 'linux')(
  'a name that is not UTF-8 is a reject, one with a newline is taken',
  async () => {
    const cwd = await folderOf({ 'd/new\nline.md': '', 'd/z.md': '' });
    await writeFile(Buffer.concat([Buffer.from(`${cwd}/d/latin-`), Buffer.from([0xe9]), Buffer.from('.md')]), '');
    await mkdir(Buffer.concat([Buffer.from(`${cwd}/d/folder-`), Buffer.from([0xe9])]));
    const { sources, rejects } = await discoverSources(['d'], { cwd });
    expect(sources.map(({ uri }) => uri)).toEqual(['d/new\nline.md', 'd/z.md']);
    expect(rejects.map(({ uri, reason }) => [uri, reason])).toEqual([
      ['d/folder-\ufffd', 'its name is not valid UTF-8: rename it'],
      ['d/latin-\ufffd.md', 'its name is not valid UTF-8: rename it'],
    ]);
  },
);

test.skipIf(process.platform === 'win32')(
  'a pipe is taken when its format is known, and never looked into',
  async () => {
    const cwd = await temporaryFolder();
    execFileSync('mkfifo', [join(cwd, 'pipe')]);
    await expect(discoverSources(['pipe'], { cwd })).rejects.toThrow('it is a pipe: say which format it has');
    const { sources } = await discoverSources(['pipe'], { cwd, format: 'jsonl' });
    expect(sources).toMatchObject([{ uri: 'pipe', format: 'jsonl', compression: 'none', size: 0 }]);
  },
);

test.skipIf(process.platform !== 'linux')('what is neither file nor folder nor pipe is an error', async () => {
  const cwd = await temporaryFolder();
  const server = createServer().listen(join(cwd, 'socket'));
  await once(server, 'listening');
  await expect(discoverSources(['socket'], { cwd })).rejects.toThrow('it is neither a file nor a folder nor a pipe');
  server.close();
});

test('an empty folder and no arguments give no sources', async () => {
  const cwd = await temporaryFolder();
  expect(await discoverSources(['.'], { cwd })).toEqual({ sources: [], ignoredFiles: 0, rejects: [] });
  expect(await discoverSources([])).toEqual({ sources: [], ignoredFiles: 0, rejects: [] });
});

test.each([
  ['JSON lines', '{"id":1}\n', 'jsonl none'],
  ['text', 'plain words', 'text none'],
  ['gzip', gzipSync('{"id":1}\n'), 'jsonl gzip'],
  ['nothing', '', 'text none'],
])('standard input that holds %s is looked into and still read whole', async (_, bytes, expected) => {
  const script = `
    import { discoverSources, openSource } from ${JSON.stringify(new URL('../../../src/sources/index.ts', import.meta.url).href)};
    const { sources } = await discoverSources(['-', '-']);
    if (sources.length !== 1) throw new Error('standard input was taken twice');
    console.log(sources[0].format, sources[0].compression);
    for await (const chunk of openSource({ path: '-', compression: 'none' })) process.stdout.write(chunk);
  `;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script]);
  child.stdin.end(bytes);
  const { items } = await drain<Buffer>(child.stdout);
  expect(Buffer.concat(items)).toEqual(Buffer.concat([Buffer.from(`${expected}\n`), Buffer.from(bytes)]));
});

test.each([
  ['a.jsonl', 'jsonl', 'none'],
  ['a.NDJSON.ZST', 'jsonl', 'zstd'],
  ['archive.v1.markdown.bz2', 'markdown', 'bzip2'],
  ['a.mkd', 'markdown', 'none'],
  ['notes.log.xz', 'text', 'xz'],
  ['md', null, 'none'],
  ['gz', null, 'none'],
  ['a.gz', null, 'gzip'],
  ['a.md.tar', null, 'none'],
  ['a.constructor', null, 'none'],
])('%s is read as %s in %s', (name, format, compression) => {
  expect(fileTypeOf(name)).toEqual({ format, compression });
});
