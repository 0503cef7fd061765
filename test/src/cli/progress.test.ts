import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Progress, type ProgressState } from '../../../src/cli/progress.ts';
import { shellQuote } from '../../../src/cli/shell-quote.ts';
import { bin, shelfmark, start, temporaryFolder } from './command-line.ts';
import { manyRecords, writeSources } from './fixture.ts';

/** A stream that keeps what is written, and a clock that is set by hand. */
function recorder(stream: { readonly isTTY?: boolean; readonly columns?: number }) {
  const written: string[] = [];
  const clock = { ms: 0 };
  const progress = new Progress('build', { ...stream, write: (text: string) => written.push(text) }, () => clock.ms);
  return { written, clock, progress };
}

const halfway: ProgressState = { fraction: 0.5, elapsedMs: 30_000, facts: ['18.2 MB/s', '12,345 documents'] };

describe('Progress', () => {
  it('is a plain line every five seconds where nothing can be redrawn', () => {
    const { written, clock, progress } = recorder({});
    for (clock.ms = 0; clock.ms <= 12_000; clock.ms += 200) progress.update(halfway);
    progress.end();
    expect(written).toEqual(Array(2).fill('build: 50 %, 18.2 MB/s, 12,345 documents, 30.0 s left\n'));
  });

  it('is one line redrawn in place on a terminal, and wiped at the end', () => {
    const { written, clock, progress } = recorder({ isTTY: true, columns: 100 });
    progress.update(halfway);
    clock.ms = 50;
    progress.update(halfway);
    progress.end();
    const plain = written.map((text) => text.replace(/\x1b\[\d+m/g, ''));
    expect(plain).toEqual([
      '\rbuild [############------------] 50 %  18.2 MB/s  12,345 documents  30.0 s left\x1b[K',
      '\r\x1b[K',
    ]);
  });

  it('never fills the line, and shows no bar without an end', () => {
    const narrow = recorder({ isTTY: true, columns: 20 });
    narrow.progress.update(halfway);
    expect(narrow.written).toEqual(['\rbuild 50 %  18.2 MB\x1b[K']);
    const endless = recorder({ isTTY: true, columns: 100 });
    endless.progress.update({ ...halfway, fraction: null });
    expect(endless.written).toEqual(['\rbuild 18.2 MB/s  12,345 documents  30.0 s\x1b[K']);
  });
});

function hasScript(): boolean {
  if (existsSync('/usr/bin/script')) return true;
  console.warn('/usr/bin/script (util-linux) is missing: the checks on a pseudo-terminal are skipped.');
  return false;
}

describe.skipIf(!hasScript())('on a pseudo-terminal', () => {
  const cwd = temporaryFolder();

  /** Runs the program with a terminal for all three streams; what it shows, with line ends as written. */
  async function onTerminal(args: readonly string[], env: Record<string, string> = {}): Promise<string> {
    const command = ['stty cols 120;', process.execPath, bin, ...args.map(shellQuote)].join(' ');
    const { stdout, code } = await start('/usr/bin/script', ['-qec', command, '/dev/null'], {
      cwd,
      env: { TERM: 'xterm', ...env },
    }).ended;
    expect(code).toBe(0);
    return stdout.replaceAll('\r\n', '\n');
  }

  it('a build draws its bar in one line and leaves nothing of it', async () => {
    const { text, count } = manyRecords(4_000_000);
    writeFileSync(join(cwd, 'many.jsonl'), text);
    writeFileSync(join(cwd, 'more.jsonl'), text.replaceAll('"r', '"s'));
    const shown = await onTerminal(['build', 'many.jsonl', 'more.jsonl', '-c', 'bar', '--shard-size', '1MiB']);
    const [bar = '', after = ''] = shown.split('\r\x1b[KBuilt ');
    expect(bar.split('\n')).toHaveLength(1);
    const frames = bar.split('\r').slice(1);
    expect(frames.length).toBeGreaterThan(3);
    for (const frame of frames)
      expect(frame).toMatch(/^build .*MB\/s {2}[\d,]+ documents? {2}[\d,]+ shards? .*\x1b\[K$/);
    expect(frames.at(-1)).toMatch(/\[\x1b\[32m#+\x1b\[39m-*\]/);
    expect(after).toContain(`seen       ${(2 * count).toLocaleString('en-US')}`);
  });

  it('a search highlights with colour, unless NO_COLOR is set', async () => {
    writeSources(cwd);
    expect((await shelfmark(['build', 'records.jsonl', 'notes'], { cwd })).code).toBe(0);
    const coloured = await onTerminal(['search', 'badger']);
    expect(coloured).toContain('The \x1b[1;33mbadger\x1b[22;39m digs.');
    expect(await onTerminal(['search', 'badger'], { NO_COLOR: '1' })).toContain('The <b>badger</b> digs.');
    const hostile = await onTerminal(['search', 'walrus', '--text']);
    expect(hostile.replace(/\x1b\[(1|2|22|1;33|22;39)m/g, '')).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]/);
  });
});
