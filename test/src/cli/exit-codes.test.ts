import { cpSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openDurable } from '../../../shards/index.ts';
import { exitCodeFor, exitCodeHelp, exitCodeOfError, exitCodes } from '../../../src/cli/exit-codes.ts';
import { describeError } from '../../../src/cli/report-error.ts';
import { layoutOf } from '../../../src/layout.ts';
import { FileLock } from '../../../src/lock.ts';
import { bin, type Run, shelfmark, start, temporaryFolder } from './command-line.ts';
import { writeSources } from './fixture.ts';

const cwd = temporaryFolder();

async function run(...args: string[]): Promise<Run> {
  return await shelfmark(args, { cwd });
}

/** A run that must fail with one line that says why, and no stack. */
async function failing(code: number, args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const failed = await shelfmark(args, { cwd, env });
  expect({ code: failed.code, stdout: failed.stdout }).toEqual({ code, stdout: '' });
  expect(failed.stderr).toMatch(/^shelfmark: .*\n$/);
  return failed.stderr;
}

/** A copy of the corpus, to be damaged. */
function copyCorpus(name: string): { readonly root: string; readonly shards: string[] } {
  const root = join(cwd, name);
  cpSync(join(cwd, 'corpus'), root, { recursive: true });
  return { root, shards: readdirSync(join(root, 'shards')).map((file) => join(root, 'shards', file)) };
}

beforeAll(async () => {
  writeSources(cwd);
  expect((await run('build', 'records.jsonl', '--shard-size', '4KiB')).code).toBe(0);
});

describe('exit code 2, wrong usage', () => {
  it.each([
    [['build'], 'Too few words. Expected: shelfmark build <source...>'],
    [['show'], 'Expected: shelfmark show <shelfmark>'],
    [['stats', 'more'], 'Too many words'],
    [['batch', 'queries.tsv'], 'Missing required argument: output'],
    [['bild', 'x'], 'Unknown command "bild x"'],
    [[], 'Which command?'],
    [['search', 'x', '--colour'], 'Unknown argument: colour'],
    [['search', 'x', '--match', 'most'], 'Argument: match, Given: "most", Choices: "strict", "any", "all"'],
    [['search', 'x', '-n', '0'], '--limit: expected a whole number from 1 to 10,000, got "0"'],
    [['search', 'x', '-n', '1', '-n', '2'], '--limit: expected once'],
    [['search', 'x', '--timeout', 'soon'], '--timeout: expected seconds'],
    [['search', 'x', '--workers', '65'], '--workers: expected a whole number from 0 to 64'],
    [['build', 'notes', '--shard-size', '4K'], '--shard-size: expected a size from 4,096 to'],
    [['build', 'notes', '--shard-size', '4095'], 'such as 1048576, 4KiB, 256MiB or 1GB, got "4095"'],
    [['build', 'notes', '--part', '3/2'], '--part: expected i/n'],
    [['build', 'notes', '--overlap', '151'], '--overlap: expected a whole number from 0 to 150'],
    [['show', 'page-3'], '"page-3" is not a shelfmark'],
    [['cite', 'page-3'], '"page-3" is not a shelfmark'],
    [['adopt', 'corpus', 'corpus'], 'cannot adopt itself'],
    [['batch', 'queries.tsv', '-o', 'x', '--budget', '20tokens'], '--budget: only --format contexts has one'],
    [['batch', 'queries.tsv', '-o', 'x', '--format', 'contexts', '--budget', '2k'], 'such as 2000tokens or 8000chars'],
    [['batch', 'queries.tsv', '-o', 'x', '--tag', 'a b'], '--tag: expected a word without spaces'],
  ])('%j', async (args, message) => {
    expect(await failing(exitCodes.usage, args)).toContain(message);
  });

  it('a query without searchable words', async () => {
    expect(await failing(exitCodes.usage, ['search', '?!', '--', '---'])).toContain('no searchable words');
  });

  it('an output that belongs to another batch', async () => {
    writeFileSync(join(cwd, 'mine.txt'), 'precious');
    expect(await failing(exitCodes.usage, ['batch', 'queries.tsv', '-o', 'mine.txt'])).toContain('no batch wrote it');
    expect(readFileSync(join(cwd, 'mine.txt'), 'utf8')).toBe('precious');
  });
});

describe('exit code 3, partial coverage', () => {
  it('names each shard that failed, and is 0 unless --strict-coverage asks', async () => {
    const { root, shards } = copyCorpus('one-missing');
    rmSync(shards[0] ?? '');
    const lax = await run('search', 'heron', '-c', root);
    expect(lax.code).toBe(0);
    expect(lax.stdout).toMatch(/^10 hits /);
    expect(lax.stderr).toMatch(
      /^shelfmark: warning: only (\d+) of \d+ shards could be searched\.\n {2}s[0-9a-f]{10}: .+\n$/,
    );
    const strict = await run('search', 'heron', '-c', root, '--strict-coverage');
    expect(strict.code).toBe(exitCodes.partial);
    expect(strict.stderr).toBe(lax.stderr);
    expect((await run('search', 'heron', '-c', root, '--strict-coverage', '--json')).code).toBe(exitCodes.partial);
  });

  it('is always said of an answer that rests on no shard', async () => {
    const { root, shards } = copyCorpus('all-missing');
    for (const shard of shards) rmSync(shard);
    expect(await run('search', 'heron', '-c', root)).toMatchObject({ code: exitCodes.partial });
  });

  it('stops a batch unless it is allowed', async () => {
    const { root, shards } = copyCorpus('batch-partial');
    rmSync(shards[0] ?? '');
    await failing(exitCodes.partial, ['batch', 'queries.tsv', '-c', root, '-o', 'strict.trec']);
    const allowed = await run('batch', 'queries.tsv', '-c', root, '-o', 'lax.trec', '--allow-partial');
    expect(allowed.code).toBe(0);
    expect(allowed.stderr).toContain('shelfmark: warning: only ');
  });

  it('a corpus without shards is warned of', async () => {
    await shelfmark(['build', '-', '--format', 'jsonl', '-c', 'no-shards'], { cwd, input: '' });
    const { code, stderr } = await run('search', 'heron', '-c', 'no-shards');
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('the corpus has no shards') });
  });
});

describe('exit code 4, not found', () => {
  it('a folder that is no corpus', async () => {
    for (const command of [
      ['search', 'x'],
      ['stats'],
      ['verify'],
      ['show', 's0000000000/1/1'],
      ['cite', 's0000000000/1/1'],
    ]) {
      expect(await failing(exitCodes.notFound, [...command, '-c', 'nowhere'])).toContain('nowhere is not a corpus');
    }
  });

  it('a passage', async () => {
    expect(await failing(exitCodes.notFound, ['show', 's0000000000/1/1'])).toContain('no shard s0000000000');
  });

  it('a citation that is changed, missing or unknown, next to one that is verified', async () => {
    for (const name of ['stays', 'changes', 'goes']) writeFileSync(join(cwd, `${name}.txt`), `This text ${name}.\n`);
    await run('build', 'stays.txt', 'changes.txt', 'goes.txt', '-c', 'cited');
    const { stdout } = await run('search', 'text', '-c', 'cited', '--jsonl');
    const hits = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { uri: string; shelfmark: string });
    writeFileSync(join(cwd, 'changes.txt'), 'That text changes.\n');
    rmSync(join(cwd, 'goes.txt'));
    const marks = ['stays', 'changes', 'goes'].map(
      (name) => hits.find(({ uri }) => uri === `${name}.txt`)?.shelfmark ?? '',
    );
    const cited = await run('cite', ...marks, 's0000000000/1/1', '-c', 'cited');
    expect(cited.code).toBe(exitCodes.notFound);
    expect(
      cited.stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.split(' ')[0]),
    ).toEqual(['verified', 'changed', 'missing', 'unknown']);
    expect((await run('cite', marks[0] ?? '', '-c', 'cited')).code).toBe(0);
  });
});

describe('exit code 5, damaged data', () => {
  it('verify says which part of which shard', async () => {
    const { root, shards } = copyCorpus('flipped');
    const [first = ''] = shards;
    const bytes = readFileSync(first);
    bytes[bytes.length >> 1]! ^= 0x40;
    writeFileSync(first, bytes);
    const { code, stdout } = await run('verify', '-c', root);
    expect(code).toBe(exitCodes.damaged);
    expect(stdout).toMatch(/s[0-9a-f]{10} {2}DAMAGED\n {2}hash +damaged/);
    expect(stdout).toContain(`1 of ${shards.length} shards damaged`);
    expect((await run('verify', '-c', root, '--json')).code).toBe(exitCodes.damaged);
  });

  it('a passage of a shard that was cut off', async () => {
    const { root, shards } = copyCorpus('cut');
    const { stdout } = await run('search', 'otter', '-c', root, '-n', '1', '--jsonl');
    const { shelfmark: mark } = JSON.parse(stdout) as { shelfmark: string };
    const shard = shards.find((file) => file.includes(mark.split('/')[0] ?? '?'));
    truncateSync(shard ?? '', 5000);
    await failing(exitCodes.damaged, ['show', mark, '-c', root]);
  });

  it('a catalog of a newer version, or that is none', async () => {
    const { root } = copyCorpus('newer');
    const { catalog } = layoutOf(root);
    const database = openDurable(catalog);
    database.exec("UPDATE meta SET value = '99' WHERE key = 'format'");
    database.close();
    expect(await failing(exitCodes.damaged, ['search', 'x', '-c', root])).toContain('format 99');
    writeFileSync(catalog, 'This is no database, and it is long enough to be taken for one at first sight.'.repeat(20));
    for (const name of [`${catalog}-wal`, `${catalog}-shm`]) rmSync(name, { force: true });
    await failing(exitCodes.damaged, ['search', 'x', '-c', root]);
  });
});

describe('exit codes 6, 7 and 8', () => {
  it('6: another process is changing the corpus', async () => {
    const { root } = copyCorpus('busy');
    const lock = new FileLock(layoutOf(root).lock, 'it');
    try {
      expect(await failing(exitCodes.busy, ['build', 'notes', '-c', root])).toContain('Another process');
    } finally {
      lock.release();
    }
  });

  it('7: a record was rejected in a strict build', async () => {
    writeFileSync(join(cwd, 'bad.jsonl'), '{"_id":"a","text":"good"}\n{"_id":\n');
    expect(await failing(exitCodes.rejected, ['build', 'bad.jsonl', '-c', 'strict', '--strict'])).toContain(
      'at byte 26',
    );
    expect((await run('build', 'bad.jsonl', '-c', 'lax')).code).toBe(0);
  });

  it('8: a source that is missing leaves no corpus behind', async () => {
    const message = await failing(exitCodes.inputOutput, ['build', 'no-such-file', '-c', 'never']);
    expect(message).toBe('shelfmark: cannot read no-such-file: no such file or folder\n');
    expect(readdirSync(cwd)).not.toContain('never');
  });

  it('8: a corpus that cannot be written', async () => {
    await failing(exitCodes.inputOutput, ['build', 'notes', '-c', 'records.jsonl/corpus']);
  });

  it('8: an output device that is full', async () => {
    const command = `"${process.execPath}" "$0" search heron > /dev/full`;
    const { code, stderr } = await start('sh', ['-c', command, bin], { cwd }).ended;
    expect(code).toBe(exitCodes.inputOutput);
    expect(stderr).toMatch(/^shelfmark: Cannot write to standard output: ENOSPC/);
  });
});

describe('errors', () => {
  it('show a stack only with SHELFMARK_DEBUG=1', async () => {
    const { stderr } = await shelfmark(['stats', '-c', 'nowhere'], { cwd, env: { SHELFMARK_DEBUG: '1' } });
    expect(stderr).toMatch(/^shelfmark: .*\nShelfmarkError: .*\n +at /);
  });

  it('are called a bug, with their stack, when nobody expected them', () => {
    const error = new TypeError('x is not a function', { cause: 'stack of another thread' });
    expect(exitCodeFor(error)).toBe(exitCodes.internal);
    expect(describeError(error)).toMatch(
      /This is a bug .*\nTypeError: x is not a function\n(?: +at .*\n)*Caused by: stack of another thread$/,
    );
  });

  it('of the system are never called a bug', () => {
    const error = Object.assign(new Error('EBUSY: busy'), { code: 'EBUSY', errno: -16, syscall: 'rmdir' });
    expect(exitCodeFor(error)).toBe(exitCodes.inputOutput);
    expect(describeError(error)).toBe('shelfmark: EBUSY: busy');
  });

  it('have exit codes that the help explains', () => {
    const explained = [...exitCodeHelp.matchAll(/^ {2}(\d) /gm)].map(([, code]) => Number(code));
    expect(explained).toEqual(Object.values(exitCodes));
    expect(new Set(Object.values(exitCodeOfError))).toEqual(new Set(explained.filter((code) => code !== 0)));
  });
});
