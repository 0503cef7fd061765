import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { judge } from '../../bench/measure/judge.ts';
import { type BenchResult, encodeResult, type Measurement, Measurements } from '../../bench/measure/results.ts';

function time(name: string, repetitions: readonly number[], engine = 'shelfmark'): Measurement {
  return measure({ case: name, engine, measure: 'p50', unit: 'ms', better: 'lower' }, repetitions);
}

function rate(name: string, repetitions: readonly number[]): Measurement {
  return measure(
    { case: name, engine: 'shelfmark', measure: 'batch', unit: 'queries/s', better: 'higher' },
    repetitions,
  );
}

function measure(
  name: Omit<Measurement, 'input' | 'value' | 'repetitions'>,
  repetitions: readonly number[],
): Measurement {
  const measured = new Measurements();
  for (const value of repetitions) measured.add({ input: 'real', ...name }, value);
  return measured.list()[0]!;
}

describe('judge', () => {
  it('calls slower what no repetition of the other run reached', () => {
    const { worse, better, failed } = judge([time('any', [1, 1.1, 1.2])], [time('any', [1.3, 1.4, 1.6])], 1.25);
    expect(worse.map(({ ratio }) => ratio)).toEqual([expect.closeTo(1.4 / 1.1, 6)]);
    expect(better).toEqual([]);
    expect(failed).toHaveLength(1);
  });

  it('lets pass what is slower by less than the tolerance, but says it', () => {
    const { worse, failed } = judge([time('any', [1, 1.01, 1.02])], [time('any', [1.1, 1.11, 1.12])], 1.25);
    expect(worse).toHaveLength(1);
    expect(failed).toEqual([]);
  });

  it('takes for noise what lies within the repetitions, however large', () => {
    const { worse, better, unchanged, failed } = judge([time('any', [1, 2, 9])], [time('any', [4, 8, 9])], 1.25);
    expect({ worse, better, unchanged, failed }).toEqual({ worse: [], better: [], unchanged: 1, failed: [] });
  });

  it('takes fewer queries per second for worse', () => {
    const { worse, failed } = judge([rate('any', [900, 1000])], [rate('any', [400, 500])], 1.25);
    expect(worse[0]?.ratio).toBeCloseTo(950 / 450, 3);
    expect(failed).toHaveLength(1);
    expect(judge([rate('any', [400])], [rate('any', [900])], 1.25).better).toHaveLength(1);
  });

  it('allows a tenth where a number was measured once', () => {
    expect(judge([time('any', [100])], [time('any', [109])], 1).unchanged).toBe(1);
    expect(judge([time('any', [100])], [time('any', [111])], 1).failed).toHaveLength(1);
  });

  it('compares equal zeros', () => {
    expect(judge([time('any', [0])], [time('any', [0])], 1).unchanged).toBe(1);
  });

  it('puts the worst first and counts what only one run has', () => {
    const before = [time('a', [1]), time('b', [1]), time('gone', [1])];
    const after = [time('a', [2]), time('b', [3]), time('new', [1]), time('a', [1], 'lucene')];
    const { worse, unmatched } = judge(before, after, 1.25);
    expect(worse.map((change) => change.after.case)).toEqual(['b', 'a']);
    expect(unmatched).toBe(3);
  });
});

describe('bench:compare', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'shelfmark-compare-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  function save(name: string, ...measurements: Measurement[]): string {
    const file = join(folder, name);
    const result: BenchResult = {
      kind: 'rivals',
      date: '2026-01-02T03:04:05.000Z',
      machine: { cpu: 'a processor', cores: 2, memoryGB: 8, system: 'linux x64' },
      versions: {},
      settings: {},
      inputs: {},
      measurements,
      notes: [],
    };
    writeFileSync(file, encodeResult(result));
    return file;
  }

  function compare(...args: string[]): { status: number | null; output: string } {
    const script = fileURLToPath(new URL('../../bench/compare.ts', import.meta.url));
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', script, ...args], {
      encoding: 'utf8',
    });
    return { status, output: stdout + stderr };
  }

  it('exits with 1 for what got slower, and judges no rival', () => {
    const before = save('a.json', time('any', [1, 1.1]), time('any', [1, 1], 'lucene'));
    const after = save('b.json', time('any', [2, 2.2]), time('any', [3, 3], 'lucene'));
    const { status, output } = compare(before, after);
    expect(output).toContain('| real | any | p50 | 1.05 ms | 2.10 ms | 2.00× |');
    expect(output).toContain('moved by 3.00×');
    expect(status).toBe(1);
    expect(compare(before, after, '--tolerance', '2.5').status).toBe(0);
  });

  it('exits with 0 for what got faster', () => {
    const { status, output } = compare(save('c.json', time('any', [2, 2.2])), save('d.json', time('any', [1, 1.1])));
    expect(output).toContain('0.50×');
    expect(status).toBe(0);
  });

  it('says in one line what is no result, and exits with 2', () => {
    const file = join(folder, 'e.json');
    writeFileSync(file, '{}');
    const { status, output } = compare(file, file);
    expect(output.trim()).toBe(`bench:compare: ${file} is not the result of a bench: it has no "measurements"`);
    expect(status).toBe(2);
  });
});
