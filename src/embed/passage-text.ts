import type { ChunkId, ShardReader } from '../../shards/index.ts';
import type { EmbeddingModel } from '../../shards/vectors/index.ts';

/**
 * What of a chunk is embedded: title, heading path and body, a line each, what is empty left out; cut to the model's number of
 * characters, never inside one; the model's prefix before it. Blank when the chunk has none of them.
 */
export function passageText(reader: ShardReader, chunk: ChunkId, model: EmbeddingModel): string {
  const [title, heading, body] = reader.columns(chunk).texts;
  const lines = [title, heading.replaceAll('\n', ' > '), body].map((text) => text.trim()).filter((text) => text !== '');
  return lines.length === 0 ? '' : model.passagePrefix + cutText(lines.join('\n'), model.maxCharacters);
}

/** The beginning of a text; a surrogate pair is not cut in two. */
function cutText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const cut = text.slice(0, maxCharacters);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}
