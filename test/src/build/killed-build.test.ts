import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { BuildReport } from '../../../src/index.ts';
import { temporaryFolder } from '../sources/support.ts';
import {
  contentOf,
  randomNumbers,
  randomWords,
  rejectsOf,
  runJob,
  shardHashes,
  strayFiles,
  withCorpus,
  writeJsonl,
} from '../support.ts';

const queries = ['archive ledger', 'pepper', 'lantern quarry needle unheard', 'walnut island'];

/** JSON lines with duplicates, empty documents and lines that are none, a damaged and a whole .gz, a folder. */
async function writeSources(folder: string): Promise<string[]> {
  const random = randomNumbers(7);
  const records = (prefix: string, count: number): (object | string)[] =>
    Array.from({ length: count }, (_, index) => {
      if (index % 23 === 11) return { _id: `${prefix}${index - 1}`, text: 'again' };
      if (index % 29 === 13) return { _id: `${prefix}${index}`, text: ' ' };
      if (index % 31 === 17) return '{"_id": broken';
      return { _id: `${prefix}${index}`, text: randomWords(random, 10 + Math.floor(random() * 60)) };
    });
  const notes = join(folder, 'notes');
  await mkdir(notes);
  for (let note = 0; note < 12; note++) {
    await writeFile(join(notes, `${note}.md`), `# Note ${note}\n\n${randomWords(random, 80)}\n`);
  }
  await writeFile(join(notes, 'binary.txt'), Buffer.from([0, 1, 2, 3]));
  const plain = await writeJsonl(join(folder, 'plain.jsonl'), records('p', 260));
  const packed = await writeJsonl(join(folder, 'packed.jsonl'), records('g', 200));
  await writeFile(`${packed}.gz`, gzipSync(await readFile(packed)));
  const broken = await writeJsonl(join(folder, 'broken.jsonl'), records('b', 60));
  await writeFile(`${broken}.gz`, gzipSync(await readFile(broken)).subarray(0, -3000));
  const last = await writeJsonl(join(folder, 'last.jsonl'), records('p', 40));
  return [`${packed}.gz`, plain, notes, `${broken}.gz`, last];
}

const counted = ['indexed', 'unchanged', 'empty', 'duplicate', 'skipped', 'repaired', 'seen'] as const;

function countersOf(report: unknown): Record<(typeof counted)[number], number> {
  const counters = report as BuildReport;
  return Object.fromEntries(counted.map((name) => [name, counters[name]])) as Record<(typeof counted)[number], number>;
}

describe('a build killed with SIGKILL', () => {
  test.each([
    { shardBytes: 4096, kills: 10 },
    { shardBytes: 32_768, kills: 10 },
  ])(
    'at $kills random moments ends like an unbroken one ($shardBytes bytes a shard)',
    { timeout: 120_000 },
    async ({ shardBytes, kills }) => {
      const seed = Number(process.env.SHELFMARK_SEED ?? Date.now() % 1_000_000);
      console.log(`killed-build seed ${seed}`);
      const random = randomNumbers(seed);
      const folder = await temporaryFolder();
      const sources = await writeSources(folder);
      const whole = join(folder, 'whole');
      const startedAt = performance.now();
      const unbroken = countersOf((await runJob('build', { sources, corpus: whole, shardBytes, workers: 2 })).report);
      const duration = performance.now() - startedAt;
      const expected = {
        content: await contentOf(whole, queries),
        hashes: await shardHashes(whole),
        rejects: await rejectsOf(whole),
      };
      expect(unbroken.seen).toBe(
        unbroken.indexed + unbroken.unchanged + unbroken.empty + unbroken.duplicate + unbroken.skipped,
      );

      const check = async (corpus: string, report: unknown): Promise<void> => {
        const { indexed, unchanged, ...rest } = countersOf(report);
        // Killed after its last transaction, a build has ended: the run after it finds everything unchanged.
        expect({ ...rest, indexed: indexed + unchanged, unchanged: 0 }, `seed ${seed}`).toEqual(unbroken);
        expect(await strayFiles(corpus)).toEqual([]);
        expect(await shardHashes(corpus)).toEqual(expected.hashes);
        expect(await rejectsOf(corpus)).toEqual(expected.rejects);
        expect(await contentOf(corpus, queries)).toEqual(expected.content);
        const { ok, strays, catalog } = await withCorpus(corpus, (open) => open.verify({ deep: true }));
        expect({ ok, strays, catalog: catalog.ok }).toEqual({ ok: true, strays: [], catalog: true });
      };

      for (let killed = 0, round = 0; killed < kills; round++) {
        const corpus = join(folder, `round-${round}`);
        let last: unknown = null;
        while (last === null) {
          // The first run may last longer than the later ones, which begin where it was killed.
          const killAfterMs = killed < kills ? random() * duration * 0.5 : undefined;
          const end = await runJob('build', { sources, corpus, shardBytes, workers: 2 }, killAfterMs);
          if (end.killed) killed++;
          else expect(end.stderr).toBe('');
          last = end.report;
        }
        await check(corpus, last);
        await rm(corpus, { recursive: true });
      }
    },
  );
});
