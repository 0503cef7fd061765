import { ShelfmarkError } from '../../shards/index.ts';
import { discoverSources } from './discover.ts';
import { frameSource } from './frame-source.ts';
import type { Source } from './source.ts';

/** A line that is not blank. */
export interface Line {
  readonly text: string;
  /** from 1, blank lines counted */
  readonly number: number;
}

/**
 * The one file or stream that a name stands for, to be read line by line.
 * @throws SourceError when it cannot be found, ShelfmarkError SHELFMARK_USAGE when it is a folder; `what` says what was expected.
 */
export async function findLines(name: string, what: string): Promise<Source> {
  const { sources } = await discoverSources([name], { format: 'jsonl' });
  const [source] = sources;
  if (sources.length === 1 && source !== undefined) return source;
  throw new ShelfmarkError('SHELFMARK_USAGE', `${name} is not a file of ${what}.`, { file: name });
}

/**
 * The lines of a source that are not blank, decompressed.
 * @throws ShelfmarkError SHELFMARK_USAGE naming the byte of a line that cannot be read, SourceError.
 */
export async function* readLines(source: Source): AsyncGenerator<Line> {
  const lineEnds = new LineEndCount();
  for await (const { bytes, records, rejects } of frameSource({ ...source, format: 'jsonl' })) {
    const [reject] = rejects;
    if (reject !== undefined) {
      const place = `${source.uri}, byte ${reject.byteStart}`;
      throw new ShelfmarkError('SHELFMARK_USAGE', `${place}: ${reject.reason}.`, { file: source.uri });
    }
    let counted = 0;
    for (let at = 0; at < records.length; at += 2) {
      const [start, end] = [records[at]!, records[at + 1]!];
      lineEnds.add(bytes, counted, start);
      counted = end;
      yield { text: bytes.toString('utf8', start, end), number: lineEnds.total + 1 };
    }
    lineEnds.add(bytes, counted, bytes.length);
  }
}

/** Counts line ends in the bytes between lines; CR LF is one, also when a frame ends between the two. */
class LineEndCount {
  #total = 0;
  #previous = 0;

  get total(): number {
    return this.#total;
  }

  add(bytes: Buffer, from: number, to: number): void {
    for (let at = from; at < to; at++) {
      const byte = bytes[at]!;
      if (byte === 0x0d || (byte === 0x0a && this.#previous !== 0x0d)) this.#total++;
      this.#previous = byte;
    }
  }
}
