import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

describe('the examples', () => {
  let folder: string;

  function run(example: string): string {
    return execFileSync(process.execPath, [`examples/${example}`, join(folder, 'corpus')], {
      cwd: root,
      encoding: 'utf8',
    });
  }

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'shelfmark-examples-'));
  });

  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('build a corpus from the documentation, find a passage and verify its citation', () => {
    const lines = run('build-and-search.mjs').trimEnd().split('\n');
    expect(lines[0]).toBe('3 indexed, 0 unchanged');
    expect(lines).toContainEqual(expect.stringMatching(/^1\. \w+\.md > .+ \[s[0-9a-f]{10}\/\d+\/\d+\]$/));
    expect(lines.at(-1)).toBe('verified');
  });

  it('answer a stream of questions in its order', () => {
    const lines = run('batch.mjs').trimEnd().split('\n');
    expect(lines.map((line) => line.split(' ')[0])).toEqual(['q1', 'q2', 'q3']);
    expect(lines[2]).toBe('q3 any no hit 0 characters');
  });

  it('embed a corpus and search it by words and vectors', () => {
    const lines = run('hybrid.mjs').trimEnd().split('\n');
    expect(lines[0]).toMatch(/^\d+ passages have vectors by hash-256$/);
    expect(lines).toHaveLength(4);
    expect(lines[1]).toMatch(/^1\. \S+\.md: (\d+|–) by words, (\d+|–) by vectors$/);
  });

  it('show deadlines, aborts and typed errors', () => {
    expect(run('deadline.mjs').trimEnd().split('\n')).toEqual([
      '1 searched, 0 failed, 0 timed out',
      'AbortError',
      'SHELFMARK_NO_WORDS',
    ]);
  });
});
