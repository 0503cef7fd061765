import type { Command } from '../command.ts';
import { corpusFlag, jsonFlag } from '../common-flags.ts';
import { exitCodes } from '../exit-codes.ts';
import { toJson } from '../json.ts';
import { print } from '../output.ts';
import { parseInteger } from '../parse-number.ts';
import { renderPassages } from '../render-passages.ts';
import { styleOf } from '../style.ts';
import { withCorpus } from '../with-corpus.ts';

const flags = {
  corpus: corpusFlag,
  around: { type: 'string', requiresArg: true, defaultDescription: '0', describe: 'Passages before and after it too' },
  document: { type: 'boolean', conflicts: 'around', describe: 'The whole document' },
  json: { ...jsonFlag, describe: 'Print the passages as one JSON array' },
} as const;

/** `shelfmark show` */
export const showCommand: Command<typeof flags> = {
  name: 'show',
  summary: 'Print a passage, with where it comes from',
  words: {
    usage: '<shelfmark>',
    describe: 'As search prints it: shard/document/passage',
    minimum: 1,
    maximum: 1,
  },
  flags,
  examples: [['shelfmark show s3f9c21a07b/418/2 --around 1 -c corpus', 'a passage and its neighbours']],
  async run({ words, corpus, around, document, json }) {
    const options = { around: parseInteger('--around', around ?? '0', 0, 1_000_000), document: document ?? false };
    const passages = await withCorpus(corpus, (opened) => opened.show(words[0]!, options));
    if (json) await print(`${toJson(passages)}\n`);
    else for (const block of renderPassages(passages, styleOf(process.stdout))) await print(block);
    return exitCodes.ok;
  },
};
