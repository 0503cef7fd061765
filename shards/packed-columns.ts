import { CorruptError } from './errors.ts';
import { BLOCK_LEVEL } from './format.ts';
import type { Database, Statement } from './sqlite.ts';
import { decodeFrame } from './stored-frame.ts';
import { FrameCompressor } from './zstd.ts';

/** Columns over all chunks, documents or pages of a shard, each stored as one compressed value. */
export type PackedColumn = 'lengths' | 'documents' | 'order' | 'modified' | 'attributes' | 'leaves';

/** A raw column above this is not believed when read from disk. */
const maxRawBytes = 1 << 30;

/** Reads the table `packed`. */
export class PackedColumns {
  readonly #file: string;
  readonly #select: Statement;

  constructor(file: string, database: Database) {
    this.#file = file;
    this.#select = database.prepare('SELECT raw_length, data FROM packed WHERE name = ?').raw();
  }

  /** A column's raw bytes. @throws CorruptError when it is missing or damaged */
  read(name: PackedColumn): Buffer {
    const part = `its column "${name}"`;
    const row = this.#select.get(name) as [number, Buffer] | undefined;
    if (row === undefined) throw new CorruptError(this.#file, part, 'it is missing');
    const [raw_length, data] = row;
    const bytes = decodeFrame(this.#file, part, { raw_length, data }, maxRawBytes, (raw) => raw);
    const label = labelOf(name);
    // A damaged row or key must not pass off one column as another.
    if (!bytes.subarray(0, label.length).equals(label))
      throw new CorruptError(this.#file, part, 'it is another column');
    return bytes.subarray(label.length);
  }
}

/** Writes a column. */
export function writePackedColumn(database: Database, name: PackedColumn, raw: Buffer): void {
  const bytes = Buffer.concat([labelOf(name), raw]);
  const data = new FrameCompressor(BLOCK_LEVEL).compress(bytes);
  database.prepare('INSERT INTO packed VALUES(?, ?, ?)').run(name, bytes.length, data);
}

/** What a column begins with: its name and a zero byte. */
function labelOf(name: PackedColumn): Buffer {
  return Buffer.from(`${name}\0`);
}
