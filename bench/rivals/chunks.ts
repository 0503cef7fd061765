/** Words of a chunk, counted as runs of anything but white space. */
const wordsPerChunk = 180;

const word = /\S+\s*/g;

/**
 * Cuts a text into pieces of {@link wordsPerChunk} words that tile it, white space kept; what is left over at the end is a
 * piece of its own. A text without words has no piece.
 */
export function* chunksOf(text: string): Generator<string> {
  word.lastIndex = 0;
  let start = 0;
  let words = 0;
  while (word.exec(text) !== null) {
    if (++words < wordsPerChunk) continue;
    const end = word.lastIndex;
    yield text.slice(start, end);
    // The generator may have been left for another text in the meantime.
    word.lastIndex = end;
    start = end;
    words = 0;
  }
  if (words > 0) yield text.slice(start);
}
