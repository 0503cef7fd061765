import { BLOCK_LEVEL } from '../format.ts';
import { writePackedColumn } from '../packed-columns.ts';
import type { Database } from '../sqlite.ts';
import { FrameCompressor } from '../zstd.ts';
import type { AttributeBuilder } from './attribute-builder.ts';
import {
  ATTRIBUTE_BLOCK_BYTES,
  AttributeBlockEncoder,
  type AttributeValue,
  encodeAttributeDirectory,
  type IndexedAttribute,
} from './attribute-format.ts';

/** Writes the attribute index. Runs inside the caller's transaction. @returns the number of blocks */
export function writeAttributes(database: Database, builder: AttributeBuilder): number {
  const insert = database.prepare('INSERT INTO attribute_block VALUES(?, ?, ?)');
  const compressor = new FrameCompressor(BLOCK_LEVEL);
  const encoder = new AttributeBlockEncoder();
  let blocks = 0;
  const writeBlock = (): void => {
    const raw = encoder.finish(++blocks);
    insert.run(blocks, raw.length, compressor.compress(raw));
  };
  const writeValues = (values: Iterable<AttributeValue>): IndexedAttribute => {
    const firstBlock = blocks + 1;
    const lastValues: string[] = [];
    let last = '';
    for (const value of values) {
      encoder.add(value);
      last = value.value;
      if (encoder.bytes < ATTRIBUTE_BLOCK_BYTES) continue;
      writeBlock();
      lastValues.push(last);
    }
    if (encoder.bytes > 0) {
      writeBlock();
      lastValues.push(last);
    }
    return { firstBlock, lastValues };
  };
  const attributes = new Map<string, IndexedAttribute | null>();
  for (const [name, values] of builder.attributes()) attributes.set(name, values === null ? null : writeValues(values));
  writePackedColumn(database, 'attributes', encodeAttributeDirectory({ isComplete: builder.isComplete, attributes }));
  return blocks;
}
