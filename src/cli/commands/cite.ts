import { ShelfmarkError } from '../../../shards/errors.ts';
import { parseShelfmark } from '../../../shards/shelfmark.ts';
import type { Citation } from '../../cite.ts';
import type { Corpus } from '../../corpus.ts';
import type { Command } from '../command.ts';
import { corpusFlag, jsonFlag } from '../common-flags.ts';
import { exitCodes } from '../exit-codes.ts';
import { toJson } from '../json.ts';
import { print } from '../output.ts';
import { sanitizeLine } from '../sanitize.ts';
import { withCorpus } from '../with-corpus.ts';

const flags = {
  corpus: corpusFlag,
  json: { ...jsonFlag, describe: 'Print the citations as one JSON array' },
} as const;

/** `shelfmark cite` */
export const citeCommand: Command<typeof flags> = {
  name: 'cite',
  summary: 'Read cited records from their sources again: verified, changed, missing, or not in this corpus',
  words: {
    usage: '<shelfmark...>',
    describe: 'As search prints them: shard/document/passage',
    minimum: 1,
    maximum: Number.POSITIVE_INFINITY,
  },
  flags,
  examples: [['shelfmark cite s3f9c21a07b/418/2 -c corpus', 'exit code 4 unless it is verified']],
  async run({ words, corpus, json }) {
    for (const shelfmark of words) parseShelfmark(shelfmark);
    const citations = await withCorpus(corpus, async (opened) => {
      const checked: CheckedCitation[] = [];
      for (const shelfmark of words) checked.push(await check(opened, shelfmark));
      return checked;
    });
    await print(json ? `${toJson(citations)}\n` : citations.map(describe).join(''));
    return citations.every(({ status }) => status === 'verified') ? exitCodes.ok : exitCodes.notFound;
  },
};

/** A citation, or a shelfmark that this corpus does not have. */
type CheckedCitation =
  | Citation
  | { readonly shelfmark: string; readonly status: 'unknown'; readonly detail: string; readonly source: null };

async function check(corpus: Corpus, shelfmark: string): Promise<CheckedCitation> {
  try {
    return await corpus.cite(shelfmark);
  } catch (error) {
    if (!(error instanceof ShelfmarkError) || error.code !== 'SHELFMARK_NOT_FOUND') throw error;
    return { shelfmark, status: 'unknown', detail: error.message, source: null };
  }
}

function describe({ shelfmark, status, detail, source }: CheckedCitation): string {
  const where = source === null ? '' : `${sanitizeLine(source.path)}: `;
  return `${status.padEnd(8)}  ${shelfmark}  ${where}${sanitizeLine(detail)}\n`;
}
