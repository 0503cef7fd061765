import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const filler = 'Shelves hold volumes that readers borrow and return, and a clerk notes every loan by hand. '.repeat(6);

/** Records that make several shards of 4 KiB: 40 plain ones, and some that a careless program stumbles over. */
export function writeSources(folder: string): void {
  const records: Record<string, unknown>[] = [];
  for (let number = 1; number <= 40; number++) {
    const animal = number % 4 === 0 ? 'otter' : 'heron';
    records.push({
      _id: `doc-${number}`,
      title: `Ledger ${number}`,
      kind: number % 2 === 0 ? 'even' : 'odd',
      text: `Entry ${number} mentions the ${animal} near the river. ${filler}`,
    });
  }
  records.push({
    _id: 'odd-words',
    title: 'Odd words',
    text: 'Values 1e3 and 1.10, flag -foo, pair a:b, C++ code, NEAR( it.',
  });
  records.push({
    _id: 'hostile\u001b[2J',
    title: 'Hostile \u001b[31mred\u001b[0m \u009b1mbold \u202egnp.exe\u0000',
    text: 'A hostile walrus\u001b]0;owned\u0007 rings \u001b]8;;http://evil.example\u001b\\the link\u001b]8;;\u001b\\\u0007 and \u0085ends.\rOverwritten',
  });
  writeFileSync(join(folder, 'records.jsonl'), records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  mkdirSync(join(folder, 'notes'));
  writeFileSync(
    join(folder, 'notes', 'guide.md'),
    '# Guide\n\n## Badgers\n\nThe badger digs.\n\n## Foxes\n\nThe fox waits.\n',
  );
  writeFileSync(join(folder, 'notes', 'draft.md'), '# Draft\n\nUnfinished lynx.\n');
  writeFileSync(join(folder, 'queries.tsv'), 'q1\totter river\nq2\tbadger\nq3\t???\nq4\tzyzzyva\n');
}

/** Lines of JSON of about this many bytes in all, the same every time. */
export function manyRecords(bytes: number): { readonly text: string; readonly count: number } {
  const words = Array.from({ length: 5000 }, (_, index) => `word${(index * 7919).toString(36)}`);
  let seed = 42;
  const next = (): number => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed;
  };
  const lines: string[] = [];
  let length = 0;
  while (length < bytes) {
    const text = Array.from({ length: 300 }, () => words[next() % words.length]).join(' ');
    const line = `${JSON.stringify({ _id: `r${lines.length}`, title: `Record ${lines.length}`, text })}\n`;
    lines.push(line);
    length += line.length;
  }
  return { text: lines.join(''), count: lines.length };
}
