import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { BatchQuery, SearchOptions } from '../../../src/index.ts';
import { tempFolder } from '../../shards/support.ts';
import { build, withCorpus, writeJsonl } from '../support.ts';

let path: string;

beforeAll(async () => {
  const folder = tempFolder();
  path = join(folder, 'corpus');
  const source = await writeJsonl(join(folder, 'a.jsonl'), [{ _id: 'a', text: 'A red lantern.' }]);
  await build({ sources: [source], corpus: path });
});

/** How many of a thousand queries a batch has read when its first answer comes. */
async function readAhead(options: SearchOptions): Promise<number> {
  return await withCorpus(path, async (corpus) => {
    let read = 0;
    function* queries(): Generator<BatchQuery> {
      while (read < 1000) yield { id: String(read++), text: 'lantern' };
    }
    for await (const { hits } of corpus.batch(queries(), options)) {
      expect(hits.length).toBe(1);
      break;
    }
    return read;
  });
}

test('a batch has the fewer queries under way, the more hits each of them may bring into memory', async () => {
  const many = await readAhead({ limit: 100 });
  expect(many).toBeGreaterThan(128);
  expect(await readAhead({ limit: 10_000 })).toBeLessThan(many / 10);
  expect(await readAhead({ limit: 1000, evidence: 100 })).toBeLessThan(many / 10);
  // Two lists of ten times the limit are joined.
  expect(await readAhead({ limit: 1000, retriever: 'hybrid' })).toBeLessThan(many / 10);
});
