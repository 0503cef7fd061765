/**
 * `npm run bench:vectors`: the exact scan of vectors beside that of sqlite-vec, in one process, taking turns. bench/README.md
 * says what is measured how.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import yargs from 'yargs';
import {
  ANALYZER_ID,
  analyzerFor,
  NO_FILTER,
  ShardReader,
  ShardWriter,
  vectorsFileName,
} from '../dist/shards/index.js';
import { encodeQuery, modelKey, rankVectors, VectorsReader, VectorsWriter } from '../dist/shards/vectors/index.js';
import { workFolder } from './corpora.ts';
import { progress } from './measure/child.ts';
import {
  type BenchResult,
  describeMachine,
  describeProject,
  encodeResult,
  Measurements,
  resultsFolder,
  today,
} from './measure/results.ts';
import { toTable, toText } from './measure/table.ts';
import { installPackages } from './rivals/engines.ts';
import { randomFrom } from './zipf.ts';

const options = await yargs(process.argv.slice(2))
  .usage('npm run bench:vectors -- [options]: exact scans of vectors, beside sqlite-vec')
  .option('vectors', { type: 'number', default: 100_000, describe: 'how many' })
  .option('dimensions', { type: 'number', default: 384, describe: 'of each' })
  .option('repetitions', { type: 'number', default: 15, describe: 'turns of each' })
  .option('name', { type: 'string', default: `vectors-${today()}`, describe: 'name of the files in bench/results' })
  .strict()
  .parse();

const { vectors: count, dimensions, repetitions } = options;
const k = 10;
const batch = 32;
const model = { name: 'random', queryPrefix: '', passagePrefix: '', maxCharacters: 1 };

/** Vectors around 1,000 centres, as those of real texts stand in groups; normally distributed, from a seed. */
function createVectors(): Float32Array[] {
  const random = randomFrom(5);
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const draw = (centre: Float32Array | null): Float32Array =>
    Float32Array.from({ length: dimensions }, (_, index) => (centre?.[index] ?? 0) + normal());
  const centres = Array.from({ length: 1000 }, () => draw(null));
  return Array.from({ length: count + batch }, () => draw(centres[Math.floor(random() * centres.length)]!));
}

/** A shard of short texts with the vectors beside it. */
async function createShard(vectors: readonly Float32Array[]): Promise<{ shard: string; file: string; id: string }> {
  const folder = join(workFolder, 'vectors');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const shard = join(folder, 'bench.shard');
  const writer = new ShardWriter(shard, analyzerFor(ANALYZER_ID), { maxWords: 300, overlapWords: 0 });
  const text = 'a passage';
  for (let number = 0; number < count; number++) {
    const document = {
      ...{ uri: `d${number}`, title: '', kind: 'document', collection: 'default', fileType: 'txt', label: '', text },
      ...{ modifiedAt: null, metadata: null, source: { path: '/bench', compression: 'none' as const } },
      ...{ byteStart: 0, byteEnd: text.length, sha256: Buffer.alloc(32) },
    };
    writer.addDocument(document, [{ start: 0, bodyStart: 0, end: text.length, heading: [] }]);
  }
  const sealed = await writer.seal();
  if (sealed === null) throw new Error('the shard is empty');
  const file = join(folder, vectorsFileName(sealed.id, modelKey(model)));
  const output = await VectorsWriter.open(file, { shard: sealed.id, chunks: count, dimensions, model });
  for (let next = 0; !output.isComplete; ) {
    const { nextCount } = output;
    await output.add(vectors.slice(next, next + nextCount));
    next += nextCount;
  }
  await output.finish();
  await output.close();
  return { shard, file, id: sealed.id };
}

/** What is measured: name, how many questions one call answers, and the call, which gives the best of its first question. */
interface Contestant {
  readonly name: string;
  readonly questions: number;
  readonly run: () => readonly number[];
}

function ours(shard: string, file: string, id: string, queries: readonly Float32Array[]): Contestant[] {
  const reader = new ShardReader(shard);
  const owner = { shard: id, chunks: count, key: modelKey(model) };
  const encoded = queries.map(encodeQuery);
  const opened = VectorsReader.open(file, owner)!;
  const rank = (vectors: VectorsReader, asked: typeof encoded): number[] => {
    const settings = { k, by: 'chunk' as const, filter: NO_FILTER, words: null, phrases: [], check: () => {} };
    return rankVectors(reader, vectors, asked, settings)[0]!.map(({ chunk }) => chunk);
  };
  return [
    { name: 'Shelfmark', questions: 1, run: () => rank(opened, encoded.slice(0, 1)) },
    { name: `Shelfmark, ${batch} questions together`, questions: batch, run: () => rank(opened, encoded) },
    {
      name: 'Shelfmark, first question of a process',
      questions: 1,
      run: () => {
        const fresh = VectorsReader.open(file, owner)!;
        const found = rank(fresh, encoded.slice(0, 1));
        fresh.close();
        return found;
      },
    },
  ];
}

/** 32-bit floats in JavaScript: what is exact to compare with, too. */
function floats(vectors: readonly Float32Array[], query: Float32Array): Contestant {
  const lengths = Float64Array.from(vectors, (vector) => Math.hypot(...vector));
  const run = (): number[] => {
    const scores = vectors.slice(0, count).map((vector, index) => {
      let sum = 0;
      for (let at = 0; at < dimensions; at++) sum += vector[at]! * query[at]!;
      return sum / lengths[index]!;
    });
    const best = [...scores.keys()].sort((a, b) => scores[b]! - scores[a]!).slice(0, k);
    return best.map((index) => index + 1);
  };
  return { name: 'floats in JavaScript', questions: 1, run };
}

function sqliteVec(type: 'float' | 'int8', vectors: readonly Float32Array[], query: Float32Array): Contestant {
  const database = new Database(':memory:');
  const require = createRequire(new URL('rivals/package.json', import.meta.url));
  (require('sqlite-vec') as { load(database: Database.Database): void }).load(database);
  const toBytes = (vector: Float32Array): Buffer => {
    if (type === 'float') return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
    const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    return Buffer.from(Int8Array.from(vector, (value) => Math.round((value / largest) * 127)).buffer);
  };
  const value = type === 'float' ? '?' : 'vec_int8(?)';
  database.exec(`CREATE VIRTUAL TABLE v USING vec0(e ${type}[${dimensions}] distance_metric=cosine)`);
  const insert = database.prepare(`INSERT INTO v(rowid, e) VALUES(?, ${value})`);
  database.transaction(() => {
    for (let index = 0; index < count; index++) insert.run(BigInt(index + 1), toBytes(vectors[index]!));
  })();
  const select = database.prepare(`SELECT rowid FROM v WHERE e MATCH ${value} AND k = ${k}`).pluck();
  const wanted = toBytes(query);
  return { name: `sqlite-vec, ${type}`, questions: 1, run: () => select.all(wanted) as number[] };
}

installPackages();
progress(`making ${count} vectors of ${dimensions} dimensions`);
const vectors = createVectors();
const queries = vectors.slice(count);
const { shard, file, id } = await createShard(vectors);
const exact = floats(vectors, queries[0]!);
const contestants = [
  ...ours(shard, file, id, queries),
  sqliteVec('int8', vectors, queries[0]!),
  sqliteVec('float', vectors, queries[0]!),
  exact,
];
const measurements = new Measurements();
const input = `${count} x ${dimensions}`;
const best = new Set(exact.run());
for (const { name, run } of contestants) {
  const shared = run().filter((chunk) => best.has(chunk)).length;
  const place = { input, case: 'exact scan', engine: name, unit: '', better: 'higher' } as const;
  measurements.add({ ...place, measure: 'of the ten best by floats' }, shared);
}
for (let repetition = 0; repetition < repetitions; repetition++) {
  for (const { name, questions, run } of contestants) {
    const startedAt = performance.now();
    run();
    const ms = (performance.now() - startedAt) / questions;
    measurements.add({ input, case: 'exact scan', engine: name, measure: 'time', unit: 'ms', better: 'lower' }, ms);
  }
}
const list = measurements.list();
const rows = contestants.map(({ name }) => {
  const [shared, time] = list.filter(({ engine }) => engine === name);
  return [name, toText(time!.value), toText(Math.min(...time!.repetitions)), toText(shared!.value)];
});
const report = `# Exact scans of ${toText(count)} vectors of ${dimensions} dimensions, ${today()}

One thread, the ${k} best, ${repetitions} turns each in one process.

${toTable(['', 'median ms a question', 'least ms', 'of the ten best by floats'], rows)}
`;
const result: BenchResult = {
  kind: 'vectors',
  date: new Date().toISOString(),
  machine: describeMachine(),
  versions: { node: process.version, shelfmark: await describeProject(), 'sqlite-vec': '0.1.9' },
  settings: { vectors: count, dimensions, repetitions, k },
  inputs: { [input]: { vectors: count, dimensions } },
  measurements: list,
  notes: [],
};
await writeFile(join(resultsFolder, `${options.name}.json`), encodeResult(result));
await writeFile(join(resultsFolder, `${options.name}.md`), report);
console.log(report);
