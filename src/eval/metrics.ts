import { ShelfmarkError } from '../../shards/index.ts';

/** How one query was answered, as the measures see it. */
export interface JudgedRanking {
  /** grade of each hit, best hit first; 0 for one that was not judged or was judged not relevant */
  readonly gains: readonly number[];
  /** grades of all relevant documents, highest first */
  readonly ideal: readonly number[];
}

/** A measure with its cutoff, as it was asked for. */
export interface Metric {
  /** for example `ndcg@10` */
  readonly name: string;
  /** Its value for one query, 0 to 1. */
  measure(judged: JudgedRanking): number;
}

/** What `shelfmark eval` prints unless told otherwise. */
export const defaultMetrics = 'ndcg@10,recall@100,map,mrr@10,p@10,success@5';

type Measure = (judged: JudgedRanking, cutoff: number) => number;

/** trec_eval's names are ndcg_cut and ndcg, recall, map_cut and map, recip_rank (with -M for a cutoff), P, success. */
const measures: Readonly<Record<string, { readonly measure: Measure; readonly needsCutoff: boolean }>> = {
  ndcg: { measure: ndcg, needsCutoff: false },
  recall: { measure: recall, needsCutoff: true },
  map: { measure: averagePrecision, needsCutoff: false },
  mrr: { measure: reciprocalRank, needsCutoff: false },
  p: { measure: precision, needsCutoff: true },
  success: { measure: success, needsCutoff: true },
};

/**
 * Reads a list of metrics such as `ndcg@10,map`.
 * @throws ShelfmarkError SHELFMARK_USAGE naming what is not a metric, and the known ones.
 */
export function parseMetrics(text: string): Metric[] {
  const names = text.split(',').map((name) => name.trim().toLowerCase());
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw notMetrics(`"${repeated}" comes twice`);
  return names.map(parseMetric);
}

function parseMetric(name: string): Metric {
  const [, measureName = '', digits] = /^([a-z]+)(?:@([1-9][0-9]{0,5}))?$/.exec(name) ?? [];
  const known = Object.hasOwn(measures, measureName) ? measures[measureName] : undefined;
  if (known === undefined) throw notMetrics(`"${name}" is not one`);
  if (known.needsCutoff && digits === undefined) throw notMetrics(`${name} needs a cutoff, such as ${name}@10`);
  const cutoff = digits === undefined ? Number.POSITIVE_INFINITY : Number(digits);
  return { name, measure: (judged) => known.measure(judged, cutoff) };
}

function notMetrics(problem: string): ShelfmarkError {
  const known = 'ndcg, ndcg@k, recall@k, map, map@k, mrr, mrr@k, p@k, success@k';
  return new ShelfmarkError('SHELFMARK_USAGE', `metrics: ${problem}. Known are ${known}, separated by commas.`);
}

/** Järvelin and Kekäläinen 2002 as trec_eval has it: the gain is the grade, the discount log2(rank + 1). */
function ndcg({ gains, ideal }: JudgedRanking, cutoff: number): number {
  return ratio(discountedGain(gains, cutoff), discountedGain(ideal, cutoff));
}

function discountedGain(gains: readonly number[], cutoff: number): number {
  let sum = 0;
  const end = Math.min(cutoff, gains.length);
  for (let index = 0; index < end; index++) sum += gains[index]! / Math.log2(index + 2);
  return sum;
}

function recall({ gains, ideal }: JudgedRanking, cutoff: number): number {
  return ratio(relevantAmong(gains, cutoff), ideal.length);
}

/** The precisions at the ranks of the relevant hits, over all relevant documents, found or not. */
function averagePrecision({ gains, ideal }: JudgedRanking, cutoff: number): number {
  let sum = 0;
  let found = 0;
  const end = Math.min(cutoff, gains.length);
  for (let index = 0; index < end; index++) {
    if (gains[index]! > 0) sum += ++found / (index + 1);
  }
  return ratio(sum, ideal.length);
}

function reciprocalRank({ gains }: JudgedRanking, cutoff: number): number {
  const index = gains.findIndex((gain) => gain > 0);
  return index === -1 || index >= cutoff ? 0 : 1 / (index + 1);
}

/** Over the cutoff, however few hits there are. */
function precision({ gains }: JudgedRanking, cutoff: number): number {
  return relevantAmong(gains, cutoff) / cutoff;
}

function success({ gains }: JudgedRanking, cutoff: number): number {
  return relevantAmong(gains, cutoff) > 0 ? 1 : 0;
}

function relevantAmong(gains: readonly number[], cutoff: number): number {
  let count = 0;
  const end = Math.min(cutoff, gains.length);
  for (let index = 0; index < end; index++) if (gains[index]! > 0) count++;
  return count;
}

/** A query without relevant documents has 0 in every measure. */
function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
