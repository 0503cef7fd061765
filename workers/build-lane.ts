import {
  analyzerFor,
  analyzerOf,
  type SealedShard,
  type ShardDocument,
  ShardWriter,
  ShelfmarkError,
  sha256Hex,
} from '../shards/index.ts';
import { chunkDocument } from './chunk/index.ts';
import { type DetectLanguage, loadDetector } from './detect-language.ts';
import { documentKey, hash64 } from './document-key.ts';
import { type ParsedDocument, parseRecord } from './parse/index.ts';
import {
  type BatchSource,
  type BuildSettings,
  type IndexedBatch,
  type ParsedBatch,
  type RecordBatch,
  type RecordReject,
  recordStatus,
  recordStride,
  verdict,
} from './protocol.ts';

/** A parsed document that waits for the main thread's verdict. */
interface WaitingDocument {
  readonly document: ParsedDocument;
  readonly source: BatchSource;
  readonly byteStart: number;
  readonly byteEnd: number;
  /** of the record's bytes, in hex */
  readonly sha256: string;
}

/**
 * One lane of a build: records in, one shard after another out. Each batch is parsed, then judged by the main thread
 * (which alone knows all other lanes and earlier builds), then indexed.
 */
export class BuildLane {
  readonly #waiting = new Map<number, readonly (WaitingDocument | undefined)[]>();
  #writer:
    | { readonly shard: ShardWriter; readonly settings: BuildSettings; readonly detect: DetectLanguage | null }
    | undefined;

  /** Starts a shard. */
  async open(file: string, settings: BuildSettings): Promise<null> {
    if (this.#writer !== undefined)
      throw new ShelfmarkError('SHELFMARK_INTERNAL', 'The lane has an open shard already.');
    const chunking = { maxWords: settings.maxWords, overlapWords: settings.overlapWords };
    const detect = settings.detector === null ? null : await loadDetector();
    const shard = new ShardWriter(file, analyzerFor(settings.analyzers[0]!), chunking);
    this.#writer = { shard, settings, detect };
    return null;
  }

  /** Parses a batch and keeps its documents until `index` is called for it. */
  parse(settings: BuildSettings, batch: RecordBatch): ParsedBatch {
    const count = batch.records.length / recordStride;
    const status = new Uint8Array(count);
    const keys = new BigInt64Array(count);
    const fingerprints = new BigInt64Array(count);
    const rejects: RecordReject[] = [];
    const waiting: (WaitingDocument | undefined)[] = [];
    const settingsText = JSON.stringify(settings);
    const repaired = new Uint8Array(count);
    const { collection, kind } = settings;
    for (let record = 0; record < count; record++) {
      const at = record * recordStride;
      const source = batch.sources[batch.records[at]!];
      if (source === undefined) throw new ShelfmarkError('SHELFMARK_INTERNAL', `Record ${record} names no source.`);
      const offset = batch.records[at + 1]!;
      const bytes = batch.bytes.subarray(offset, offset + batch.records[at + 2]!);
      const byteStart = batch.records[at + 3]!;
      const partial = batch.records[at + 4] === 1;
      const { format, uri: sourceUri } = source;
      const parsed = parseRecord(bytes, { format, sourceUri, byteStart, partial, collection, kind });
      waiting.push(undefined);
      if (!parsed.ok) {
        status[record] = recordStatus.rejected;
        rejects.push({ record, uri: parsed.uri, reason: parsed.reason });
        continue;
      }
      const { document } = parsed;
      if (document.replacedBytes) repaired[record] = 1;
      if (isBlank(document.text) && isBlank(document.title)) {
        status[record] = recordStatus.empty;
        continue;
      }
      const sha256 = sha256Hex(bytes);
      const byteEnd = byteStart + bytes.length;
      keys[record] = documentKey(document.collection, document.uri);
      fingerprints[record] = hash64(
        `${settingsText}\n${source.path}\n${source.format}\n${byteStart}\n${byteEnd}\n${sha256}`,
      );
      waiting[record] = { document, source, byteStart, byteEnd, sha256 };
    }
    this.#waiting.set(batch.index, waiting);
    return { index: batch.index, status, keys, fingerprints, rejects, repaired };
  }

  /** Writes the documents of a parsed batch that the main thread wants. */
  index(index: number, verdicts: Uint8Array): IndexedBatch {
    const waiting = this.#waiting.get(index);
    if (waiting === undefined || this.#writer === undefined) {
      throw new ShelfmarkError('SHELFMARK_INTERNAL', `Batch ${index} was not parsed here or no shard is open.`);
    }
    this.#waiting.delete(index);
    const { shard, settings, detect } = this.#writer;
    const { label } = settings;
    const documents = new Float64Array(waiting.length);
    const duplicates: { record: number; uri: string }[] = [];
    for (const [record, entry] of waiting.entries()) {
      if (entry === undefined) continue;
      if (verdicts[record] === verdict.duplicate) duplicates.push({ record, uri: entry.document.uri });
      if (verdicts[record] !== verdict.index) continue;
      const chunks = chunkDocument(entry.document, settings);
      const analyzer = detect === null ? undefined : analyzerFor(analyzerOf(detect(entry.document)));
      documents[record] = shard.addDocument(toShardDocument(entry, label), chunks, analyzer);
    }
    return { index, documents, duplicates };
  }

  /** Seals the open shard; null when it has no document. */
  async seal(): Promise<SealedShard | null> {
    const writer = this.#writer;
    if (writer === undefined) throw new ShelfmarkError('SHELFMARK_INTERNAL', 'The lane has no open shard.');
    this.#writer = undefined;
    return await writer.shard.seal();
  }

  /** Throws away whatever is unfinished. */
  abort(): void {
    this.#writer?.shard.abort();
    this.#writer = undefined;
    this.#waiting.clear();
  }
}

function toShardDocument(
  { document, source, byteStart, byteEnd, sha256 }: WaitingDocument,
  label: string,
): ShardDocument {
  // Written out: copying a document's fields with a spread takes longer than hashing them.
  return {
    uri: document.uri,
    title: document.title,
    kind: document.kind,
    collection: document.collection,
    fileType: document.fileType,
    modifiedAt: document.modifiedAt,
    metadata: document.metadata,
    label,
    source,
    byteStart,
    byteEnd,
    sha256: Buffer.from(sha256, 'hex'),
    text: document.text,
  };
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}
