import { beforeAll, describe, expect, it } from 'vitest';
import { toJson } from '../../../src/cli/json.ts';
import { sanitize, sanitizeLine } from '../../../src/cli/sanitize.ts';
import { type Run, shelfmark, temporaryFolder } from './command-line.ts';
import { writeSources } from './fixture.ts';

const harmful = /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/;

describe('sanitize', () => {
  it.each([
    ['colours \x1b[1;31mred\x1b[0m', 'colours red'],
    ['8-bit \x9b31mred\x9b0m', '8-bit red'],
    ['a title \x1b]0;owned\x07 with BEL', 'a title  with BEL'],
    ['a link \x1b]8;;http://x\x1b\\text\x1b]8;;\x1b\\', 'a link text'],
    ['8-bit OSC \x9d0;owned\x9c ends', '8-bit OSC  ends'],
    ['DCS \x1bP1$r0m\x1b\\ and APC \x1b_x\x1b\\', 'DCS  and APC '],
    ['reset \x1bc charset \x1b(0 keypad \x1b=', 'reset  charset  keypad '],
    ['an OSC without end \x1b]0;all the rest stays', 'an OSC without end ]0;all the rest stays'],
    ['half a sequence \x1b[12', 'half a sequence [12'],
    ['bell \x07, NUL \0, backspace \b\b, DEL \x7f', 'bell , NUL , backspace , DEL '],
    ['overrides \u202egnp.exe\u202c \u2066x\u2069', 'overrides gnp.exe x'],
    ['lines\r\nof\rall\u2028kinds\x85stay\ttabbed', 'lines\nof\nall\nkinds\nstay\ttabbed'],
    ['नमस्ते שלום 日本語 👩‍👩‍👧 stay', 'नमस्ते שלום 日本語 👩‍👩‍👧 stay'],
  ])('%j', (text, clean) => {
    expect(sanitize(text)).toBe(clean);
  });

  it('makes one line of text for a place that has one', () => {
    expect(sanitizeLine('a\r\n\tb\u2029c')).toBe('a b c');
  });

  it('gets through long runs of half-open sequences', () => {
    for (const piece of ['\x1b]', '\x9d', '\x1b[', '\x1b[1;', '\x9b', '\x1b', '\x1b ', '\x90a', '\x1b]8;;\x1b']) {
      expect(sanitize(piece.repeat(200_000))).not.toMatch(harmful);
    }
  });
});

describe('toJson', () => {
  it('escapes what a terminal may act on, and is read back unchanged', () => {
    const text = 'C0 \x1b[31m DEL \x7f C1 \x9b31m separators \u2028\u2029 overrides \u202e\u2066';
    expect(toJson({ text })).not.toMatch(harmful);
    expect(JSON.parse(toJson({ text }))).toEqual({ text });
  });
});

describe('hostile archive text', () => {
  const cwd = temporaryFolder();

  beforeAll(async () => {
    writeSources(cwd);
    await shelfmark(['build', 'records.jsonl'], { cwd });
  });

  async function harmless(...args: string[]): Promise<Run> {
    const ended = await shelfmark(args, { cwd });
    expect(ended.code).toBe(0);
    expect(ended.stdout).not.toMatch(harmful);
    return ended;
  }

  it('reaches no terminal as it is', async () => {
    const { stdout } = await harmless('search', 'walrus', '--text');
    expect(stdout).toMatch(/\n1\. Hostile red bold gnp\.exe +\(/);
    expect(stdout).toContain('   A hostile <b>walrus</b>');
    expect(stdout).toContain('   | Overwritten');
    const json = JSON.parse((await harmless('search', 'walrus', '--json')).stdout) as {
      hits: { title: string; shelfmark: string }[];
    };
    expect(json.hits[0]?.title).toContain('\u009b1mbold \u202egnp.exe');
    const line = await harmless('search', 'walrus', '--jsonl');
    expect(JSON.parse(line.stdout)).toEqual(json.hits[0]);
    const mark = json.hits[0]?.shelfmark ?? '';
    expect((await harmless('show', mark)).stdout).toContain('rings the link');
    await harmless('show', mark, '--json');
  });

  it('nor does a hostile query or file name', async () => {
    const { stderr, code } = await shelfmark(['build', 'no\x1b[2Jfile'], { cwd });
    expect({ stderr, code }).toEqual({ stderr: 'shelfmark: cannot read nofile: no such file or folder\n', code: 8 });
    await harmless('search', 'zyz\x1b[31mzyva\u202e');
  });
});
