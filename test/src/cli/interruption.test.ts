import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type { BuildReport, CorpusStats, SearchAnswer } from '../../../src/index.ts';
import { bin, type Run, shelfmark, start, temporaryFolder } from './command-line.ts';
import { manyRecords } from './fixture.ts';

const cwd = temporaryFolder();
const { text, count } = manyRecords(12_000_000);

beforeAll(() => {
  writeFileSync(join(cwd, 'many.jsonl'), text);
});

/** Starts a command and sends it a signal as soon as something is there. */
async function interrupt(args: readonly string[], signal: NodeJS.Signals, isReady: () => boolean): Promise<Run> {
  const running = start(process.execPath, [bin, ...args], { cwd });
  let isOver = false;
  const ended = running.ended.finally(() => {
    isOver = true;
  });
  while (!isReady() && !isOver) await sleep(5);
  running.kill(signal);
  return await ended;
}

const build = (corpus: string): string[] => ['build', 'many.jsonl', '-c', corpus, '--shard-size', '1MiB'];

function hasShard(corpus: string): boolean {
  const shards = join(cwd, corpus, 'shards');
  return existsSync(shards) && readdirSync(shards).length > 0;
}

describe('an interrupted build', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('ends with its own exit code on %s, and the same command completes it', async (signal, code) => {
    const corpus = signal.toLowerCase();
    const stopped = await interrupt(build(corpus), signal, () => hasShard(corpus));
    expect(stopped).toEqual({
      code,
      stdout: '',
      stderr: 'shelfmark: Stopped. What is done is kept: run the same command again to continue.\n',
    });
    const halfway = JSON.parse((await shelfmark(['stats', '-c', corpus, '--json'], { cwd })).stdout) as CorpusStats;
    expect(halfway.unfinishedBuilds).toBe(1);
    expect(halfway.documents).toBeGreaterThan(0);
    expect(halfway.documents).toBeLessThan(count);

    const completed = await shelfmark([...build(corpus), '--json'], { cwd });
    expect(completed.code).toBe(0);
    const report = JSON.parse(completed.stdout) as BuildReport;
    expect(report).toMatchObject({ resumed: true, seen: count, indexed: count, skipped: 0, duplicate: 0 });
    const { stdout } = await shelfmark(['search', 'Record', '17', '-c', corpus, '--json'], { cwd });
    expect((JSON.parse(stdout) as SearchAnswer).hits.map(({ uri }) => uri)).toContain('r17');
  });
});

describe('an interrupted batch', () => {
  it('is continued by the same command, to the same bytes', async () => {
    expect((await shelfmark(build('whole'), { cwd })).code).toBe(0);
    const queries = Array.from({ length: 300 }, (_, index) => `word${(index * 7919).toString(36)}`).join('\n');
    writeFileSync(join(cwd, 'queries.txt'), queries);
    const batch = (output: string): string[] => [
      'batch',
      'queries.txt',
      '-c',
      'whole',
      '-o',
      output,
      '-n',
      '20',
      '--match',
      'any',
    ];
    expect((await shelfmark(batch('unbroken.trec'), { cwd })).code).toBe(0);

    const stopped = await interrupt(batch('broken.trec'), 'SIGINT', () => existsSync(join(cwd, 'broken.trec.partial')));
    expect(stopped).toMatchObject({ code: 130, stdout: '' });
    expect((await shelfmark(batch('broken.trec'), { cwd })).code).toBe(0);
    expect(readFileSync(join(cwd, 'broken.trec'))).toEqual(readFileSync(join(cwd, 'unbroken.trec')));
  });
});

describe('a reader that has seen enough', () => {
  it('ends a long output quietly', async () => {
    expect((await shelfmark(build('whole'), { cwd })).code).toBe(0);
    const command = `set -o pipefail; "${process.execPath}" "$0" search record -n 2000 --text -c whole | head -n 1`;
    const { code, stdout, stderr } = await start('bash', ['-c', command, bin], { cwd }).ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^2,000 hits .*\n$/);
  });

  it('gets all of a long output when it is slow', async () => {
    const command = `"${process.execPath}" "$0" search record -n 2000 --text --jsonl -c whole | (sleep 1; wc -l)`;
    const { stdout } = await start('bash', ['-c', command, bin], { cwd }).ended;
    expect(stdout.trim()).toBe('2000');
  });
});
